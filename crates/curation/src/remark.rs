use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// The parts of a model's answer that were not carried out, and why. The answer was about a
/// conversation, or about the triples of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Remark {
    /// The last turn that the answer was about, or the memory that was to be taken apart.
    pub turn: MemoryId,
    /// When it answered.
    pub at: Timestamp,
    /// The parts, each with the reason: it names a memory that was not shown, a word that the
    /// profile does not know ...
    pub left_out: Vec<String>,
}
