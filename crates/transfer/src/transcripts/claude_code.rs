//! Transcripts of Claude Code: lines with `type`, `uuid`, `sessionId` and a message in the form of
//! the Messages API, of which each block may have a line of its own.

use annals_types::Role;
use serde_json::Value;

use super::reading::{
    PROGRAM, Reading, SUBAGENT, SUMMARIES, Said, TOOLS, UNKNOWN, flag, text, texts,
};

pub(super) fn tells(entry: &Value) -> bool {
    match text(entry, "type") {
        Some("summary") => text(entry, "leafUuid").is_some(),
        Some("file-history-snapshot") => entry.get("snapshot").is_some(),
        // The first line of many transcripts.
        Some("queue-operation") => {
            text(entry, "sessionId").is_some() && text(entry, "operation").is_some()
        }
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
    let shown_only = ["isMeta", "isVisibleInTranscriptOnly", "isApiErrorMessage"]
        .iter()
        .any(|field| flag(entry, field));
    if shown_only || model == Some("<synthetic>") {
        return reading.leave(PROGRAM);
    }
    match text(entry, "type") {
        Some("attachment") => return queued(entry, reading),
        Some("queue-operation") => return absorbed(entry, reading),
        _ => {}
    }
    let role = match text(entry, "type") {
        Some("user")
            if entry
                .get("origin")
                .and_then(|from| text(from, "kind"))
                .is_some_and(|kind| kind != "human") =>
        {
            return reading.leave(PROGRAM);
        }
        Some("user") if entry.get("toolUseResult").is_some() => return reading.leave(TOOLS),
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("summary") => return reading.leave(SUMMARIES),
        Some("system" | "progress" | "file-history-snapshot") => {
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
    reading.say(
        &Said::by(role, text(entry, "uuid"), entry.get("timestamp")),
        &words,
    );
}

/// Words that were typed while the agent worked, as it was shown them: the only line that has them.
fn queued(entry: &Value, reading: &mut Reading) {
    let attached = entry.get("attachment");
    let field = |name: &str| attached.and_then(|attached| text(attached, name));
    let by = attached.and_then(|attached| text(attached.get("origin")?, "kind"));
    let is_said = field("type") == Some("queued_command")
        && by.is_none_or(|by| by == "human")
        && field("commandMode").is_none_or(|mode| mode == "prompt");
    if !is_said {
        return reading.leave(PROGRAM);
    }
    let words = texts(
        attached.and_then(|attached| attached.get("prompt")),
        &["text"],
        reading,
    );
    reading.say(
        &Said::by(Role::User, text(entry, "uuid"), entry.get("timestamp")),
        &words,
    );
}

/// Words that left the queue for the model; those that were taken back or became a message of their
/// own are none.
fn absorbed(entry: &Value, reading: &mut Reading) {
    let absorbed = text(entry, "operation") == Some("remove")
        && text(entry, "reason").is_some_and(|reason| reason.starts_with("absorbed"));
    match text(entry, "content") {
        Some(words) if absorbed => {
            let said = Said::by(Role::User, None, entry.get("timestamp"));
            reading.say(
                &Said {
                    noted: true,
                    ..said
                },
                &[words],
            );
        }
        _ => reading.leave(PROGRAM),
    }
}
