use annals_types::MemoryId;
use serde::Serialize;

use crate::JobReport;

/// What the end of a session brought about.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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
