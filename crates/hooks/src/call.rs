//! The words of a host at an event.

use std::path::PathBuf;

use serde_json::Value;

use crate::{Event, HookError, Host};

/// The longest prompt that is asked for, in bytes: its beginning tells what it is about.
const PROMPT_BYTES: usize = 4_000;

/// An event of a host, as its JSON tells it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The host.
    pub host: Host,
    /// The event.
    pub event: Event,
    /// The host's name for it.
    pub event_name: &'static str,
    /// The session.
    pub session: String,
    /// The working directory; `None` where the host does not tell it.
    pub cwd: Option<PathBuf>,
    /// The transcript of the session, if there is one.
    pub transcript: Option<PathBuf>,
    /// The prompt that was sent.
    pub prompt: Option<String>,
    /// Whether the session goes on without what was shown in it: behind a compaction, or cleared.
    pub begins_anew: bool,
    /// Whether the event is about a subagent.
    pub of_subagent: bool,
}

impl Call {
    /// Reads what a host writes to the standard input of a hook.
    ///
    /// # Errors
    /// [`HookError::Input`] for a host or an event that is not known, and for JSON without a
    /// session.
    pub fn read(host: &str, event: &str, json: &[u8]) -> Result<Self, HookError> {
        let host = Host::named(host).ok_or_else(|| {
            let known = Host::ALL.map(Host::name).join(", ");
            HookError::Input(format!("no host is called {host:?}; there are {known}"))
        })?;
        let (event_name, event) = host.event(event).ok_or_else(|| {
            let known: Vec<&str> = host.events().map(|(name, _)| name).collect();
            HookError::Input(format!(
                "{} has no event {event:?}; there are {}",
                host.name(),
                known.join(", ")
            ))
        })?;
        let said: Value = serde_json::from_slice(json).map_err(|error| unread(json, &error))?;
        let text = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| said.get(name)?.as_str())
                .filter(|text| !text.is_empty())
        };
        let session = text(&[
            "session_id",
            "sessionId",
            "conversation_id",
            "conversationId",
        ]);
        let session = session
            .ok_or_else(|| HookError::Input("the JSON names no session (session_id)".to_owned()))?;
        let root = || said.get("workspace_roots")?.get(0)?.as_str();
        let prompt = text(&["prompt"]).map(|prompt| {
            prompt
                .get(..prompt.floor_char_boundary(PROMPT_BYTES))
                .unwrap_or(prompt)
                .to_owned()
        });
        Ok(Self {
            host,
            event,
            event_name,
            session: session.to_owned(),
            cwd: text(&["cwd"]).or_else(root).map(PathBuf::from),
            transcript: text(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
            prompt,
            begins_anew: matches!(text(&["source", "trigger"]), Some("compact" | "clear")),
            of_subagent: text(&["agent_id", "agentId", "subagent_id"]).is_some(),
        })
    }
}

/// Why standard input is not the JSON of an event.
fn unread(json: &[u8], error: &serde_json::Error) -> HookError {
    if json.trim_ascii().is_empty() {
        let empty = "standard input is empty: the JSON of an event belongs there";
        return HookError::Input(empty.to_owned());
    }
    let reason = if error.is_eof() {
        "it ends too early".to_owned()
    } else {
        let (line, column) = (error.line(), error.column());
        format!("line {line}, column {column} does not belong there")
    };
    HookError::Input(format!("standard input is no JSON: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_each_host_writes_them() {
        let claude =
            br#"{"session_id":"a","transcript_path":"/t.jsonl","cwd":"/p","source":"compact"}"#;
        let call = Call::read("claude-code", "SessionStart", claude).unwrap();
        assert!(call.begins_anew && !call.of_subagent);
        assert_eq!(call.transcript, Some("/t.jsonl".into()));
        let cursor = br#"{"conversation_id":"b","workspace_roots":["/p"],"transcript_path":null,"prompt":"hi"}"#;
        let call = Call::read("cursor", "beforeSubmitPrompt", cursor).unwrap();
        assert_eq!(
            (call.session.as_str(), call.cwd, call.transcript),
            ("b", Some("/p".into()), None)
        );
        let copilot = br#"{"sessionId":"c","timestamp":1,"cwd":"/p","transcriptPath":"/e.jsonl"}"#;
        assert_eq!(
            Call::read("copilot-cli", "agentStop", copilot)
                .unwrap()
                .event,
            Event::TurnEnd
        );
        let of_agent = br#"{"session_id":"a","agent_id":"x","cwd":"/p"}"#;
        assert!(
            Call::read("claude-code", "Stop", of_agent)
                .unwrap()
                .of_subagent
        );
    }

    #[test]
    fn what_cannot_be_understood_says_what_there_is() {
        for (host, event, json, says) in [
            ("emacs", "Stop", "{}", "claude-code"),
            ("codex", "PreToolUse", "{}", "UserPromptSubmit"),
            ("codex", "Stop", "{", "no JSON"),
            ("codex", "Stop", "{}", "session_id"),
            ("codex", "Stop", "[1]", "session_id"),
        ] {
            let error = Call::read(host, event, json.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    const INPUT: &str = concat!(
        r#"(\{"(session_id|cwd|prompt|workspace_roots)":("#,
        r#""é{0,3}"|\[\]|null|1)\}|.{0,12})"#
    );

    proptest::proptest! {
        #[test]
        fn fuzz_any_input_is_read_or_refused(json in INPUT) {
            for host in Host::ALL {
                if let Ok(call) = Call::read(host.name(), "SessionStart", json.as_bytes()) {
                    proptest::prop_assert!(!call.session.is_empty());
                }
            }
        }
    }
}
