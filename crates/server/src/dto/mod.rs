//! What crosses the wire: one type for each JSON object, with its schema.

mod delete;
mod memory;
mod namespace;
mod search;
mod studio;
mod words;

pub(crate) use self::delete::{DeleteParams, Receipt, Undone};
pub(crate) use self::memory::{Added, EditMemory, Memories, MemoryView, NewMemoryBody, RevisionView, Revisions};
pub(crate) use self::namespace::{FileStats, NamespaceReceipt, NamespaceView, Namespaces, NewNamespace};
pub(crate) use self::search::{FilterBody, ListParams, SearchAnswer, SearchBody};
pub(crate) use self::studio::{
    ConfirmParams, Conversation, ExtractedIds, Hidden, Message, NewUserMemory, State, UserHit, UserHits,
    UserListParams, UserMemories, UserMemoryView, UserSearch, UserStats,
};
pub(crate) use self::words::{
    AdmissionWord, ChangeWord, ChannelWord, FeatureWord, IdText, LayerWord, MetadataValue, ModeWord, RoleWord,
    StatusWord,
};
