use annals_types::{MemoryId, Role, Scratchpad, Timestamp, ToolCall};
use serde::{Deserialize, Serialize};

use crate::JobReport;

/// A message of a conversation, as it was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnRecord {
    /// The memory that it is.
    pub id: MemoryId,
    /// The conversation.
    pub session_id: String,
    /// Its place in the conversation, from 0 on.
    pub turn_index: u32,
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub content: String,
    /// What was answered, when question and answer are kept as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Tools called while answering.
    pub tool_calls: Vec<ToolCall>,
    /// When it was said.
    pub timestamp: Timestamp,
    /// Whether it was looked through for what is worth keeping; never under a profile that looks
    /// through nothing.
    pub extracted: bool,
}

/// What a conversation works on before a turn begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnBefore {
    /// The scratchpad of the namespace.
    pub scratchpad: Scratchpad,
    /// The task of the conversation; empty for none.
    pub task: String,
}

/// What the end of a session brought about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// The session.
    pub session: String,
    /// The memories that went with it, and those that were derived from them alone.
    pub deleted: Vec<MemoryId>,
    /// The memory that its turns became.
    pub episode: Option<MemoryId>,
    /// Why they did not become one, though they should have; a job tries again.
    pub put_off: Option<String>,
    /// What the jobs did that run at the end of sessions.
    pub jobs: Vec<JobReport>,
}
