//! Whether jobs act, and what their report warns of.

use serde::{Deserialize, Serialize};

/// Whether rules act by themselves, and what a report warns of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaintenanceSettings {
    /// Whether the step `rules` does what the rules say; otherwise it only counts what it would do
    /// (true).
    pub auto_forget: bool,
    /// The report counts namespaces that have more memories than this that are not forgotten; 0 for
    /// none (0).
    pub most_kept: u32,
    /// Days. Where nothing used a namespace for longer than this, the clock may be ahead: what a
    /// rule would delete is forgotten instead, and deleted only after a person said that the clock
    /// is right; other rules wait. 0 never asks (31).
    pub clock_jump_days: u32,
    /// Days after which what was forgotten so is deleted, once the clock is known to be right (7).
    pub clock_grace_days: u32,
}

impl Default for MaintenanceSettings {
    fn default() -> Self {
        Self {
            auto_forget: true,
            most_kept: 0,
            clock_jump_days: 31,
            clock_grace_days: 7,
        }
    }
}
