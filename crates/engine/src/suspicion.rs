use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// Two memories that are so much alike that one may contradict the other, and about which nobody
/// has decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspicion {
    /// The memory that is true from later on; the one that was stored later where both say nothing
    /// of time.
    pub newer: MemoryId,
    /// Its text.
    pub newer_text: String,
    /// The other one.
    pub older: MemoryId,
    /// Its text.
    pub older_text: String,
    /// How like each other they are, 0 to 1.
    pub similarity: f64,
    /// When they were noticed.
    pub at: Timestamp,
}
