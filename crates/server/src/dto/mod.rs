//! What crosses the wire: one type for each JSON object, with its schema.

mod delete;
mod knowledge;
pub(crate) mod mem0;
mod memory;
mod namespace;
mod search;
mod studio;
mod texts;
mod words;
mod work;

pub(crate) use self::delete::{DeleteParams, Receipt, Undone};
pub(crate) use self::knowledge::{
    AddKnowledge, DeleteKnowledge, KnowledgeId, KnowledgeRecord, KnowledgeRecords, NewImportance,
    SearchKnowledge, UpdateImportance, UpdateText,
};
pub(crate) use self::memory::{
    Added, EditMemory, Memories, MemoryView, NewMemoryBody, RevisionView, Revisions,
};
pub(crate) use self::namespace::{
    FileStats, NamespaceReceipt, NamespaceView, Namespaces, NewNamespace,
};
pub(crate) use self::search::{FilterBody, ListParams, SearchAnswer, SearchBody};
pub(crate) use self::studio::{
    ConfirmParams, Conversation, ExtractedIds, Hidden, Message, NewUserMemory, State, UserHit,
    UserHits, UserListParams, UserMemories, UserMemoryView, UserSearch, UserStats,
};
pub(crate) use self::texts::HoldsTexts;
pub(crate) use self::words::{
    AdmissionWord, ChangeWord, ChannelWord, FeatureWord, IdText, LayerWord, MetadataValue,
    ModeWord, RoleWord, StatusWord,
};
pub(crate) use self::work::{
    Begun, BulkBody, ContextBody, ContextView, Costs, DecisionParams, DecisionView, Decisions,
    Entities, EntityParams, EntityView, Ids, ImportParams, Imported, Jobs, LanguageName,
    LineFormat, Neighbours, NewTurns, Number, ProfileName, ProposalView, Queue, ReviewReason,
    ReviewWord, Reviews, Sessions, SettleBody, SuspicionView, TaskNumber, TurnParams, Uses,
    VerdictBody, VerdictWord,
};
