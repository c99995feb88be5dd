//! Whether a call does what it says.

use serde::{Deserialize, Serialize};

/// Whether a destructive call does what it says or only tells what it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// Tell only.
    DryRun,
    /// Do it.
    Commit,
}
