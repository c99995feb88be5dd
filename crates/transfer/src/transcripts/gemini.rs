//! Transcripts of Gemini CLI: one document with `sessionId`, `projectHash` and `messages`, or
//! lines: the same without messages first, then a message each, `{"$set": ...}` and
//! `{"$rewindTo": ID}`. A message whose id comes again is a newer form of it.

use annals_types::Role;
use serde_json::Value;

use super::reading::{PROGRAM, Reading, Said, THOUGHTS, TOOLS, UNKNOWN, text, texts};

pub(super) fn tells(entry: &Value) -> bool {
    text(entry, "sessionId").is_some() && text(entry, "projectHash").is_some()
}

pub(super) fn read(entry: &Value, reading: &mut Reading) {
    let set = entry.get("$set");
    for head in [Some(entry), set].into_iter().flatten() {
        reading.session(text(head, "sessionId"));
        reading.is_of_subagent |= text(head, "kind") == Some("subagent");
        for one in head
            .get("messages")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            message(one, reading);
        }
    }
    match text(entry, "$rewindTo") {
        Some(id) => reading.rewind(id),
        None if text(entry, "id").is_some() => message(entry, reading),
        None if set.is_some() || tells(entry) => {}
        None => reading.leave(UNKNOWN),
    }
}

fn message(one: &Value, reading: &mut Reading) {
    let role = match text(one, "type") {
        Some("user") => Role::User,
        Some("gemini") => Role::Assistant,
        Some("info" | "warning" | "error") => return reading.leave(PROGRAM),
        _ => return reading.leave(UNKNOWN),
    };
    for (field, sort) in [("toolCalls", TOOLS), ("thoughts", THOUGHTS)] {
        for _ in one
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            reading.leave(sort);
        }
    }
    let mut words = texts(one.get("content"), &["text"], reading);
    if role == Role::User {
        words = typed(one, words);
    }
    let only_tools =
        words.iter().all(|part| part.trim().is_empty()) && one.get("toolCalls").is_some();
    if !only_tools {
        reading.say(
            &Said::by(role, text(one, "id"), one.get("timestamp")),
            &words,
        );
    }
}

/// What the host puts behind the words of the user: files that these named with an `@`.
const REFERENCED: &str = "--- Content from referenced files ---";

/// The words as they were typed and shown, else those before the files that they name.
fn typed<'v>(one: &'v Value, words: Vec<&'v str>) -> Vec<&'v str> {
    if let Some(shown) = text(one, "displayContent") {
        return vec![shown];
    }
    let mut typed = Vec::new();
    for part in words {
        match part.split_once(REFERENCED) {
            Some((before, _)) => {
                typed.push(before);
                break;
            }
            None => typed.push(part),
        }
    }
    typed
}
