//! Transcripts of Codex ("rollouts"): lines `{timestamp, type, payload}`. Messages have no ids, and
//! lines are only ever appended: turns are known by their lines.

use annals_types::Role;
use serde_json::Value;

use super::reading::{PROGRAM, Reading, SUMMARIES, Said, THOUGHTS, TOOLS, UNKNOWN, text, texts};

pub(super) fn tells(entry: &Value) -> bool {
    let kind = text(entry, "type").unwrap_or_default();
    let known = [
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    ]
    .contains(&kind);
    known && entry.get("payload").is_some_and(Value::is_object)
}

pub(super) fn read(entry: &Value, reading: &mut Reading) {
    let Some(payload) = entry.get("payload") else {
        return reading.leave(UNKNOWN);
    };
    let kind = text(payload, "type");
    match text(entry, "type") {
        Some("session_meta") => {
            reading.session(text(payload, "id"));
            reading.is_of_subagent |= payload
                .get("source")
                .is_some_and(|source| source.get("subagent").is_some());
        }
        // The words of the user as they were typed.
        Some("event_msg") if kind == Some("user_message") => {
            let said = Said::by(Role::User, None, entry.get("timestamp"));
            reading.say(&said, &[text(payload, "message").unwrap_or_default()]);
        }
        Some("event_msg") if kind == Some("item_completed") => completed(entry, payload, reading),
        Some("event_msg") if kind == Some("thread_rolled_back") => {
            reading.take_back(
                payload
                    .get("num_turns")
                    .and_then(Value::as_u64)
                    .unwrap_or(1),
            );
        }
        Some("response_item") => item(entry, payload, reading),
        Some("compacted") => reading.leave(SUMMARIES),
        Some("event_msg" | "turn_context") => reading.leave(PROGRAM),
        _ => reading.leave(UNKNOWN),
    }
}

/// An item that came to its end: the words of the user as they were typed. Those of the assistant
/// are items of the Responses API as well.
fn completed(entry: &Value, payload: &Value, reading: &mut Reading) {
    match payload.get("item") {
        Some(item) if text(item, "type") == Some("UserMessage") => {
            let words = texts(item.get("content"), &["text", "Text"], reading);
            reading.say(&Said::by(Role::User, None, entry.get("timestamp")), &words);
        }
        _ => reading.leave(PROGRAM),
    }
}

/// An item of the Responses API.
fn item(entry: &Value, payload: &Value, reading: &mut Reading) {
    match (text(payload, "type"), text(payload, "role")) {
        (Some("message"), Some(role @ ("user" | "assistant"))) => {
            let words = texts(
                payload.get("content"),
                &["input_text", "output_text", "text"],
                reading,
            );
            let role = if role == "user" {
                Role::User
            } else {
                Role::Assistant
            };
            let said = Said::by(role, None, entry.get("timestamp"));
            reading.say(
                &Said {
                    second_hand: role == Role::User,
                    ..said
                },
                &words,
            );
        }
        (Some("message"), _) => reading.leave("instructions"),
        (Some("reasoning"), _) => reading.leave(THOUGHTS),
        (Some("compaction" | "compaction_summary"), _) => reading.leave(SUMMARIES),
        (Some(kind), _) if kind.ends_with("call") || kind.ends_with("output") => {
            reading.leave(TOOLS)
        }
        _ => reading.leave(UNKNOWN),
    }
}
