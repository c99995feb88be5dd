//! The form of a verdict: an object with the reason, and the verdict as one of some words.

use serde_json::{Value, json};

use crate::candidates::bounds;
use crate::json::{all, text};
use crate::prompt::Voice;
use crate::provider::Schema;
use crate::reply::spoken;
use annals_language::one_line;

/// The verdict of a model that cannot tell.
pub(super) const UNSURE: &str = "UNSURE";

/// The form as it is shown to a model, field by field as in the [schema]; a search is told in a
/// line of its own.
pub(super) fn form(voice: &Voice, words: &[&str]) -> String {
    let searches = words.contains(&"SEARCH");
    let quoted = |text: &str| Value::from(text).to_string();
    let mut fields = vec![format!(
        "\"reason\": {}",
        quoted(&voice.say("verdict-reason", &[]))
    )];
    fields.extend(
        searches.then(|| format!("\"search\": {}", quoted(&voice.say("verdict-search", &[])))),
    );
    fields.push(format!("\"verdict\": {}", quoted(&words.join(" | "))));
    let object = format!("{{{}}}", fields.join(", "));
    if searches {
        format!("{object}\n{}", voice.say("review-search", &[]))
    } else {
        object
    }
}

/// The form as a JSON schema. An object with a search has room for its words.
pub(super) fn schema(words: &[&str]) -> Schema {
    // The reason comes first, in the order of the names: a model thinks before it decides.
    let mut fields = json!({
        "reason": {"type": "string", "maxLength": bounds::TEXT},
        "verdict": {"type": "string", "enum": words},
    });
    if let Some(fields) = fields.as_object_mut().filter(|_| words.contains(&"SEARCH")) {
        fields.insert(
            "search".to_owned(),
            json!({"type": "string", "maxLength": bounds::PART}),
        );
    }
    let whole = json!({"type": "object", "properties": fields, "required": ["reason", "verdict"]});
    Schema {
        name: "verdict".to_owned(),
        text: whole.to_string(),
    }
}

/// The object that an answer is, with a verdict in it. An object within prose is none: it may quote
/// a memory.
pub(super) fn object(answer: &str) -> Option<Value> {
    let text = spoken(answer);
    let text = text
        .trim()
        .trim_start_matches("```json")
        .trim_matches('`')
        .trim();
    let mut found = if text.starts_with('{') && text.ends_with('}') {
        all(text).values
    } else {
        Vec::new()
    };
    found
        .pop()
        .filter(|value| found.is_empty() && word(value).is_some())
}

/// The verdict of such an object.
pub(super) fn word(object: &Value) -> Option<&str> {
    text(object, &["verdict"])
}

/// The words that are to be searched for, on one line.
pub(super) fn search(object: &Value) -> Option<String> {
    text(object, &["search"]).map(|words| one_line(words).chars().take(bounds::PART).collect())
}

/// The reason of an answer: what its object gives, else all that was said aloud.
pub(super) fn reason(answer: &str) -> String {
    match object(answer) {
        Some(object) => text(&object, &["reason"]).map(one_line).unwrap_or_default(),
        None => spoken(answer).trim().to_owned(),
    }
}
