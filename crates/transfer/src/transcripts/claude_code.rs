//! Transcripts of Claude Code: lines with `type`, `uuid`, `sessionId` and a message in the form of
//! the Messages API, of which each block may have a line of its own.

use annals_types::Role;
use serde_json::Value;

use super::reading::{PROGRAM, Reading, SUBAGENT, SUMMARIES, Said, TOOLS, UNKNOWN, flag, text, texts};

pub(super) fn tells(entry: &Value) -> bool {
    match text(entry, "type") {
        Some("summary") => text(entry, "leafUuid").is_some(),
        Some("file-history-snapshot") => entry.get("snapshot").is_some(),
        Some(_) => text(entry, "sessionId").is_some() && text(entry, "uuid").is_some(),
        None => false,
    }
}

pub(super) fn read(entry: &Value, reading: &mut Reading) {
    reading.session(text(entry, "sessionId"));
    let message = entry.get("message");
    let model = message.and_then(|message| text(message, "model"));
    if flag(entry, "isSidechain") {
        return reading.leave(SUBAGENT);
    }
    if flag(entry, "isCompactSummary") {
        return reading.leave(SUMMARIES);
    }
    let shown_only =
        ["isMeta", "isVisibleInTranscriptOnly", "isApiErrorMessage"].iter().any(|field| flag(entry, field));
    if shown_only || model == Some("<synthetic>") {
        return reading.leave(PROGRAM);
    }
    let role = match text(entry, "type") {
        Some("user") if entry.get("origin").and_then(|from| text(from, "kind")).is_some_and(|kind| kind != "human") => {
            return reading.leave(PROGRAM);
        }
        Some("user") if entry.get("toolUseResult").is_some() => return reading.leave(TOOLS),
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("summary") => return reading.leave(SUMMARIES),
        Some("system" | "attachment" | "progress" | "queue-operation" | "file-history-snapshot") => {
            return reading.leave(PROGRAM);
        }
        _ => return reading.leave(UNKNOWN),
    };
    let content = message.and_then(|message| message.get("content"));
    let words = texts(content, &["text"], reading);
    // A line of nothing but blocks that were counted says nothing more.
    if words.is_empty() && content.is_some_and(Value::is_array) {
        return;
    }
    reading.say(&Said::by(role, text(entry, "uuid"), entry.get("timestamp")), &words);
}
