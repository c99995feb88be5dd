use annals_types::MemoryId;
use serde::{Deserialize, Serialize};

/// What came of a message of a running conversation, beside that it is at hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    /// The memory that the oldest messages became.
    pub episode: Option<MemoryId>,
    /// Why they did not become one, though they should have; they stay and are tried again in the
    /// next round.
    pub put_off: Option<String>,
    /// How many of the oldest messages went: into a summary that took their place, or into the
    /// store, where they wait to be looked through.
    pub moved: usize,
    /// How many of the oldest messages the privacy filter refuses: they are at hand no longer and
    /// were stored nowhere.
    pub refused: usize,
}
