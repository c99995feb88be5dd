//! Transcripts of Cursor: lines `{role, message: {content}}` without ids and times. Turns are known
//! by their lines; what the user typed stands in `<user_query>`.

use annals_types::Role;
use serde_json::Value;

use super::reading::{PROGRAM, Reading, Said, UNKNOWN, text, texts};

pub(super) fn tells(entry: &Value) -> bool {
    let content = entry
        .get("message")
        .and_then(|message| message.get("content"));
    matches!(text(entry, "role"), Some("user" | "assistant"))
        && content.is_some()
        && entry.get("uuid").is_none()
}

pub(super) fn read(entry: &Value, reading: &mut Reading) {
    let role = match text(entry, "role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(_) => return reading.leave(PROGRAM),
        None if text(entry, "type").is_some() => return reading.leave(PROGRAM),
        None => return reading.leave(UNKNOWN),
    };
    let content = entry
        .get("message")
        .and_then(|message| message.get("content"));
    let words = texts(content, &["text"], reading);
    if words.is_empty() && content.is_some_and(Value::is_array) {
        return;
    }
    let words = words.join("\n");
    reading.say(
        &Said::by(role, None, entry.get("timestamp")),
        &[typed(&words)],
    );
}

/// The words between the tags, or all where there are none. Files that the host attached stand
/// before them and may hold such tags: the last ones count.
fn typed(words: &str) -> &str {
    let query = words
        .rsplit_once("<user_query>")
        .and_then(|(_, behind)| behind.rsplit_once("</user_query>"));
    query.map_or(words, |(query, _)| query)
}
