use annals_types::{MemoryId, Status, Timestamp, profile::ReviewKind};
use serde::{Deserialize, Serialize};

/// What a memory is worth at a moment under the profile of its namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// How much it matters: what was given, set by hand or earned by use, on the scale of the
    /// profile. Where the profile lets scores decay in place, that is its score.
    pub importance: f64,
    /// Its score now, without the access bonus.
    pub score: f64,
    /// Its retention: the score with the access bonus.
    pub retention: f64,
    /// Its class; empty for one that the profile does not name.
    pub class: String,
    /// The last access that counted; the storing before the first.
    pub last_access: Timestamp,
    /// How often it was said to be of use.
    pub used: u32,
    /// How often it was injected or returned, where the profile counts that.
    pub returned: u32,
    /// When it expires, if it does.
    pub expires_at: Option<Timestamp>,
    /// When a rule may have something to do about it, at the earliest.
    pub due_at: Option<Timestamp>,
    /// When it was consolidated, if it was staged at first and is not any more.
    pub consolidated_at: Option<Timestamp>,
}

/// A memory that waits for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PendingReview {
    /// The memory.
    pub id: MemoryId,
    /// What is to be decided.
    pub kind: ReviewKind,
    /// Its score now.
    pub score: f64,
    /// Its status now.
    pub status: Status,
    /// Its text.
    pub text: String,
    /// How often a judge has tried.
    pub attempts: u32,
    /// What the last attempt failed with; empty before the first.
    pub last_error: String,
    /// When a judge is asked next, after one failed.
    pub retry_at: Option<Timestamp>,
}
