//! Switches for the user, and for how long they hold.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::finite_from;

/// Switches for the user: whether memory takes part at all, and what is shown of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SurfaceSettings {
    /// Whether memories are put before models and conversations looked through for new ones
    /// (true). Reading, storing and deleting by hand work either way.
    pub enabled: bool,
    /// Whether a prompt says which memories are in it, so that an answer can name them (true).
    pub show_references: bool,
    /// Minutes after its storing in which a memory can be taken back as if it had never been (10).
    pub undo_minutes: f64,
}

impl Default for SurfaceSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            show_references: true,
            undo_minutes: 10.0,
        }
    }
}

impl SurfaceSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        finite_from("surface.undo_minutes", self.undo_minutes)
    }
}
