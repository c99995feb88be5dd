//! What becomes of results of tools when a turn of a conversation is over.

use serde::{Deserialize, Serialize};

/// What becomes of results of tools when a turn is over: a model condenses them to what helps in the next turn. Nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CondenseSettings {
    /// Whether results of tools are condensed (false).
    pub on: bool,
    /// Whom the model is told to be. Places: `{user}`, `{assistant}`.
    pub persona: String,
    /// Milliseconds that the next prompt waits for what is still being condensed (300).
    pub wait_ms: u32,
}

impl Default for CondenseSettings {
    fn default() -> Self {
        let persona = "你是{assistant}的后台程序，负责整理信息。".to_owned();
        Self { on: false, persona, wait_ms: 300 }
    }
}
