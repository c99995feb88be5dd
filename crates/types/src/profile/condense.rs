//! Condensing of tool results when a turn of a conversation is over.

use super::language::Wording;
use serde::{Deserialize, Serialize};

/// Condensing of tool results when a turn is over: a model keeps what helps in the next turn.
/// Nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CondenseSettings {
    /// Whether results of tools are condensed (false).
    pub on: bool,
    /// Whom the model is told to be. Places: `{user}`, `{assistant}`.
    pub persona: Wording,
    /// Milliseconds that the next prompt waits for what is still being condensed (300).
    pub wait_ms: u32,
    /// Tokens of the turn's conversation that the model is shown, the newest (2000); 0 is no limit.
    pub max_tokens: u32,
    /// Tokens of one result that it is shown (2000); a longer one loses its middle. 0 is no limit.
    pub result_tokens: u32,
    /// Tokens of all results together, the newest (8000); 0 is no limit.
    pub results_tokens: u32,
}

impl Default for CondenseSettings {
    fn default() -> Self {
        let persona = Wording::message("condense-persona");
        Self {
            on: false,
            persona,
            wait_ms: 300,
            max_tokens: 2000,
            result_tokens: 2000,
            results_tokens: 8000,
        }
    }
}
