//! The answers that hosts read from standard output.

use serde_json::json;

use crate::{Call, Event, Host};

/// The answer to a host; it may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply(String);

impl Reply {
    /// The answer that changes nothing.
    #[must_use]
    pub fn empty(call: &Call) -> Self {
        Self(match (call.host, call.event) {
            // Text on standard output would be shown to the model.
            (Host::ClaudeCode | Host::Codex, _) => String::new(),
            (Host::Cursor, Event::Prompt) => json!({ "continue": true }).to_string(),
            (Host::Cursor | Host::GeminiCli | Host::CopilotCli, _) => "{}".to_owned(),
        })
    }

    /// The answer that puts a text before the model.
    pub(crate) fn context(call: &Call, text: &str) -> Self {
        let answer = match call.host {
            Host::ClaudeCode | Host::Codex | Host::GeminiCli => json!({
                "hookSpecificOutput": { "hookEventName": call.event_name, "additionalContext": text }
            }),
            Host::Cursor => json!({ "additional_context": text }),
            Host::CopilotCli => json!({ "additionalContext": text }),
        };
        Self(answer.to_string())
    }

    /// The text for standard output.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}
