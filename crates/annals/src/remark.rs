use annals_types::{MemoryId, Timestamp};
use serde::Serialize;

/// What of a model's answer about a conversation, or about what a memory says, was not done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The last turn of what it was asked about, or the memory that was to be taken apart.
    pub turn: MemoryId,
    /// When it answered.
    pub at: Timestamp,
    /// The parts, each with the reason: it names a memory that was not shown, a word that the profile does not know ...
    pub left_out: Vec<String>,
}
