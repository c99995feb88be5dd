//! Transcripts of Copilot CLI: lines `{type, id, timestamp, data}` with types such as
//! `user.message`.

use annals_types::Role;
use serde_json::Value;

use super::reading::{PROGRAM, Reading, SUBAGENT, SUMMARIES, Said, TOOLS, UNKNOWN, text};

pub(super) fn tells(entry: &Value) -> bool {
    text(entry, "type").is_some_and(|kind| kind.contains('.'))
        && entry.get("data").is_some_and(Value::is_object)
}

pub(super) fn read(entry: &Value, reading: &mut Reading) {
    let (Some(kind), Some(data)) = (text(entry, "type"), entry.get("data")) else {
        return reading.leave(UNKNOWN);
    };
    let of_subagent = [entry, data]
        .iter()
        .any(|part| text(part, "agentId").is_some())
        || text(data, "parentToolCallId").is_some();
    let role = match kind {
        "session.start" | "session.resume" => return reading.session(text(data, "sessionId")),
        "user.message" if text(data, "source").is_some_and(|source| source != "user") => {
            return reading.leave(PROGRAM);
        }
        _ if of_subagent => return reading.leave(SUBAGENT),
        "user.message" => Role::User,
        "assistant.message" => Role::Assistant,
        _ if kind.starts_with("tool.") => return reading.leave(TOOLS),
        _ if kind.starts_with("session.compaction") => return reading.leave(SUMMARIES),
        _ if kind.starts_with("subagent.") => return reading.leave(SUBAGENT),
        _ => return reading.leave(PROGRAM),
    };
    let words = text(data, "content").unwrap_or_default();
    if words.trim().is_empty() && data.get("toolRequests").is_some() {
        return reading.leave(TOOLS);
    }
    reading.say(
        &Said::by(role, text(entry, "id"), entry.get("timestamp")),
        &[words],
    );
}
