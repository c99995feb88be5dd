//! The current task of a session, and when another one takes its place.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::share;

/// How the scratchpad tells tasks apart, and how many it keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScratchpadSettings {
    /// Completed tasks that are kept.
    pub keep: u32,
    /// Cosine of two descriptions from which on they mean one task, -1 to 1 in theory, 0 to 1 here.
    pub same_cosine: f64,
    /// Share of their words that two descriptions have in common from which on they mean one task
    /// (Jaccard: common words by all words).
    pub same_words: f64,
}

impl Default for ScratchpadSettings {
    fn default() -> Self {
        Self {
            keep: 5,
            same_cosine: 0.6,
            same_words: 0.3,
        }
    }
}

impl ScratchpadSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("scratchpad.same_cosine", self.same_cosine)?;
        share("scratchpad.same_words", self.same_words)
    }
}
