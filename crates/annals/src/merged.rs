use serde::{Deserialize, Serialize};

/// What merging a session in brought about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// Memories that are new.
    pub new: usize,
    /// Memories that were there and were said again, changed or contradicted. What only faded is
    /// not among them.
    pub updated: usize,
    /// Memories that fell so low that they were archived.
    pub archived: u64,
    /// Memories that fell so low that they were deleted.
    pub deleted: u64,
    /// Why the session was not looked through, though it should have been; the next end of it tries
    /// again.
    pub put_off: Option<String>,
}
