#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

pub mod blocking;
mod context;
pub mod designs;
pub mod extension;
pub mod graph;
mod handle;
mod handled_command;
mod handles;
pub mod llm;
mod merged;
mod named_embedder;
mod options;
mod prompt;
mod receipt;
mod repair;
mod session;
mod shared;
mod spoken;
mod standing;
mod stats;
pub mod storage;
mod tool_reply;
mod user_memory;

pub use annals_curation::{Proposal, ProposalAction, Remark, Spent};
/// ```
/// let memory = annals::Options::new().in_memory()?;
/// let user = memory.namespace("user:42")?;
/// let (id, masked) = annals::masked_during(|| user.remember("The password is hunter22"));
/// assert_eq!(masked.into_iter().collect::<Vec<_>>(), ["password"]);
/// assert_eq!(user.get(id?)?.map(|memory| memory.body.text).as_deref(), Some("The password is [password]"));
/// # Ok::<(), annals::Error>(())
/// ```
pub use annals_engine::privacy::masked_during;
pub use annals_engine::{
    Adjustment, Admission, Admitted, Answer, ClockJump, Decision, DecisionQuestion, Digest, Error,
    ErrorKind, Hit, JobInfo, JobReport, LastRun, ListQuery, Missing, Mode, Page, PlannedAction,
    QueueState, QueuedTask, ReembedProgress, ReembedReport, StepOutcome, Suspicion, Undone,
    UndoneChange, UndoneMemory, ValidateReport, profiles,
};
pub use annals_extraction::context::{Context, Part as ContextPart};
pub use annals_files::{AgentMemory, SyncReport, SyncedFile, Watch};
pub use annals_language as language;
pub use annals_language::privacy::BuiltInRedactor;
pub use annals_lifecycle::review::Verdict;
pub use annals_lifecycle::{Counted, Reinforced};
pub use annals_messages as messages;
pub use annals_recall::{
    Answered, Channel, Explanation, Feature, GraphTrace, MAX_TOP_K, Nearness, Part, Query,
    QueryPlan, Route, Signals, Trigger, WhyNot,
};
pub use annals_records::{Mismatch, Operation};
pub use annals_transfer::{
    AgentTranscript, BadLine, Conversation, ConversationTurn, Conversations, DateOrder, ExportForm,
    ExportReport, FileFormat, FileKind, ImportFile, ImportFormat, ImportOptions, ImportPosition,
    ImportRecord, ImportReport, ImportRun, ImportedEntity, ImportedMemory, LostPart, OnBad,
    Question, ReadOptions, ReadSummary, TURN_ID, Transcript, TranscriptFormat, TranscriptPosition,
    own_words, without_attachments,
};
pub use annals_types::{Memory as StoredMemory, *};
pub use annals_vector::embed;
pub use context::ContextRequest;
pub use handled_command::HandledCommand;
pub use handles::Incognito;
pub use handles::asynchronous::{
    Admin, Bulk, Decisions, Files, Graph, Jobs, Lifecycle, Memory, Merges, Namespace, Profiles,
    Queue, Reviews, Session, Sessions, Snapshot, SnapshotGraph, SnapshotMerges, Tables, Tools,
    Transfer, WorkingMemory,
};
pub use merged::Merged;
pub use options::Options;
pub use prompt::Prompt;
pub use receipt::{BulkReceipt, NamespaceReceipt, Receipt, ReceiptEntry, ReceiptWords};
pub use repair::{RepairReport, RestoreReport};
pub use session::{SessionEnd, TurnBefore, TurnRecord};
pub use shared::Owner;
pub use spoken::Spoken;
pub use standing::{PendingReview, Standing};
pub use stats::{
    BackupReport, CompactReport, Event, FileStats, NamespaceStats, OpenStats, ProfileInfo,
    SessionInfo, Usage,
};
pub use tool_reply::{ToolReply, ToolSetting};
pub use user_memory::{CardState, MemoryCard, UserMemory};
