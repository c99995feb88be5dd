//! How memories are kept.

use serde::{Deserialize, Serialize};

/// How memories are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSettings {
    /// Whether an update keeps the public id (true) or gives the new text a new id that supersedes
    /// the old.
    pub update_keeps_id: bool,
    /// Rows that feature columns are folded into one stored block at a time.
    pub column_block_rows: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            update_keeps_id: true,
            column_block_rows: 1024,
        }
    }
}
