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

mod adjustment;
mod agent_memory;
mod asynchronous;
pub mod blocking;
mod context;
mod decision;
mod engine;
mod error;
pub mod graph;
mod handled_command;
mod hit;
mod list;
pub mod llm;
mod maintain;
mod merged;
mod mirror;
mod options;
pub mod profiles;
mod prompt;
mod proposal;
mod receipt;
mod remark;
mod session;
mod spent;
mod spoken;
mod standing;
mod stats;
pub mod storage;
mod suspicion;
mod tool_reply;
mod transfer;
mod undone;
mod user_memory;

pub use adjustment::Adjustment;
pub use agent_memory::AgentMemory;
pub use annals_extraction::context::{Context, Part as ContextPart};
pub use annals_extraction::privacy::BuiltInRedactor;
pub use annals_lifecycle::review::Verdict;
pub use annals_lifecycle::{Counted, Reinforced};
pub use annals_recall::{
    Channel, Explanation, Feature, GraphTrace, MAX_TOP_K, Nearness, Part, Query, QueryPlan, Route, Trigger, WhyNot,
};
pub use annals_records::{Mismatch, Operation};
pub use annals_types::{Memory as StoredMemory, *};
pub use annals_vector::embed;
pub use asynchronous::{Memory, Namespace, Snapshot, WorkingMemory};
pub use context::ContextRequest;
pub use decision::{Decision, DecisionQuestion};
pub use error::{Error, ErrorKind, Missing};
pub use handled_command::HandledCommand;
pub use hit::{Answer, Hit};
pub use list::ListQuery;
pub use maintain::{JobInfo, JobReport, LastRun, PlannedAction, QueueState, QueuedTask, StepOutcome};
pub use merged::Merged;
pub use mirror::{SyncReport, SyncedFile, Watch};
pub use options::Options;
pub use prompt::Prompt;
pub use proposal::{Proposal, ProposalAction};
pub use receipt::{BulkReceipt, Mode, NamespaceReceipt, Receipt, ReceiptEntry, ReceiptWords};
pub use remark::Remark;
pub use session::{SessionEnd, TurnBefore, TurnRecord};
pub use spent::Spent;
pub use spoken::Spoken;
pub use standing::{PendingReview, Standing};
pub use stats::{
    CompactReport, Event, FileStats, NamespaceStats, OpenStats, Page, ProfileInfo, SessionInfo, Usage, ValidateReport,
};
pub use suspicion::Suspicion;
pub use tool_reply::{ToolReply, ToolSetting};
pub use transfer::{
    BadLine, Conversation, ConversationTurn, Conversations, ExportReport, ImportFormat, ImportOptions, ImportPosition,
    ImportReport, OnBad, Question, ReembedProgress, ReembedReport, TURN_ID,
};
pub use undone::{Undone, UndoneChange, UndoneMemory};
pub use user_memory::{CardState, MemoryCard, UserMemory};
