//! Values of JSON as what turns and memories are made of.

use annals_types::{Attachment, Label, Statement, Timestamp, ToolCall};
use serde_json::Value;

use crate::written;

/// The longest name of a session, a speaker or a tag.
const LABEL_BYTES: usize = 200;
/// Bytes of the arguments and the result of a call that are kept.
const CALL_BYTES: usize = 4 << 10;

/// A text as a name: one line, without marks that show nothing, and no longer than names are.
pub(super) fn label(text: &str) -> String {
    // Most names are a plain word.
    if text.len() <= LABEL_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let plain: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !unseen(*c))
        .collect();
    let plain = plain
        .split(' ')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let end = plain.floor_char_boundary(LABEL_BYTES);
    plain.get(..end).unwrap_or(&plain).trim_end().to_owned()
}

/// A field that is a text.
pub(super) fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str()
}

/// The first of some fields that is a text that says something.
pub(super) fn first_text<'v>(value: &'v Value, fields: &[&str]) -> Option<&'v str> {
    fields
        .iter()
        .find_map(|field| text(value, field).filter(|text| !text.trim().is_empty()))
}

/// A field that is an id: a text, or a number.
pub(super) fn id(value: &Value, field: &str) -> Option<String> {
    match value.get(field)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The first of some fields that is a time.
pub(super) fn time(value: &Value, fields: &[&str]) -> Option<Timestamp> {
    fields
        .iter()
        .find_map(|field| written::moment(value.get(field)?))
}

/// A field that is a list.
pub(super) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value
        .get(field)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A field that is `true`.
pub(super) fn flag(value: &Value, field: &str) -> bool {
    value.get(field).is_some_and(|value| value == true)
}

/// A free field out of JSON; deep ones as text.
pub(super) fn free(value: &Value) -> annals_types::Value {
    use annals_types::Value as Free;
    match value {
        Value::String(text) => Free::Text(text.clone()),
        Value::Bool(flag) => Free::Bool(*flag),
        other => match other.as_i64() {
            Some(whole) => Free::Int(whole),
            None => serde_json::from_value(other.clone())
                .unwrap_or_else(|_| Free::Text(other.to_string())),
        },
    }
}

/// A call of a tool; none where it has no name.
pub(super) fn call(name: &str, arguments: &str, result: Option<&str>) -> Option<ToolCall> {
    let name = Label::new("name of a tool", label(name)).ok()?;
    let result = result.map(cut).filter(|result| !result.trim().is_empty());
    Some(ToolCall {
        name,
        arguments: cut(arguments),
        result,
    })
}

/// The beginning of what a call takes or brings.
fn cut(text: &str) -> String {
    if text.len() <= CALL_BYTES {
        return text.to_owned();
    }
    format!(
        "{}…",
        text.get(..text.floor_char_boundary(CALL_BYTES))
            .unwrap_or_default()
    )
}

/// A file that was sent along.
pub(super) fn attachment(uri: &str, media_type: Option<&str>) -> Attachment {
    // The file itself in the place of its name.
    let uri = if uri.len() > 1024 {
        uri.get(..uri.floor_char_boundary(64)).unwrap_or_default()
    } else {
        uri
    };
    Attachment {
        uri: uri.to_owned(),
        media_type: media_type.map(str::to_owned),
        caption: None,
    }
}

/// A triple; none where an end says nothing.
pub(super) fn statement(subject: &str, predicate: &str, object: &str) -> Option<Statement> {
    let (subject, predicate, object) = (label(subject), label(predicate), label(object));
    if subject.is_empty() || predicate.is_empty() || object.is_empty() {
        return None;
    }
    Some(Statement {
        subject,
        predicate,
        object,
        negated: false,
        condition: None,
        degree: None,
    })
}
