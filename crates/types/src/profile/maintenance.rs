//! Whether jobs act, and what their report warns of.

use serde::{Deserialize, Serialize};

/// Whether rules act by themselves, and what a report warns of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintenanceSettings {
    /// Whether the step `rules` does what the rules say; otherwise it only counts what it would do (true).
    pub auto_forget: bool,
    /// The report counts namespaces that have more memories than this that are not forgotten; 0 for none (0).
    pub most_kept: u32,
}

impl Default for MaintenanceSettings {
    fn default() -> Self {
        Self { auto_forget: true, most_kept: 0 }
    }
}
