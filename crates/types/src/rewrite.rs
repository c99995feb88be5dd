//! Other words for what is about to be stored or shown: one way through every text, whatever it is part of.

use crate::{Body, Kind, Label, Metadata, Value};

/// Answers what takes the place of a text, or `None` where it stays.
pub type Rewrite<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// What stands where another text would not be allowed.
const MASKED: &str = "[masked]";
/// The free field whose value is a name by which memories are found: it must stay what it is, whatever it looks like.
const SESSION: &str = "session";

/// Gives a text other words.
pub fn rewrite_text(text: &mut String, rewrite: Rewrite<'_>) {
    if let Some(other) = rewrite(text) {
        *text = other;
    }
}

/// Gives free fields other words: names, texts and numbers, each also beside the name that says what it is (`password` and `hunter2`). The
/// value of `session` stays.
pub fn rewrite_fields(fields: &mut Metadata, rewrite: Rewrite<'_>) {
    for (name, mut value) in std::mem::take(fields) {
        if name != SESSION {
            rewrite_value(&name, &mut value, rewrite);
        }
        let name = rewrite(&name).unwrap_or(name);
        fields.insert(free(fields, name), value);
    }
}

/// A name that is not taken: two that become the same stay two.
fn free(fields: &Metadata, name: String) -> String {
    let mut number = 1_u32;
    let mut tried = name.clone();
    while fields.contains_key(&tried) {
        number = number.saturating_add(1);
        tried = format!("{name} {number}");
    }
    tried
}

fn rewrite_value(name: &str, value: &mut Value, rewrite: Rewrite<'_>) {
    match value {
        Value::Text(text) => {
            if let Some(other) = said_of(name, text, rewrite) {
                *text = other;
            }
        }
        Value::Int(number) => {
            if let Some(other) = said_of(name, &number.to_string(), rewrite) {
                *value = Value::Text(other);
            }
        }
        Value::Float(number) => {
            if let Some(other) = said_of(name, &number.to_string(), rewrite) {
                *value = Value::Text(other);
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| rewrite_value(name, item, rewrite)),
        Value::Map(items) => rewrite_fields(items, rewrite),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What takes the place of a value by itself, or because of its name.
fn said_of(name: &str, value: &str, rewrite: Rewrite<'_>) -> Option<String> {
    if let Some(other) = rewrite(value) {
        return Some(other);
    }
    let announced = format!("{name}: ");
    let other = rewrite(&format!("{announced}{value}"))?;
    match other.strip_prefix(&announced) {
        Some(other) => Some(other.to_owned()),
        // The name is what was meant.
        None if other.ends_with(value) => None,
        None => Some(MASKED.to_owned()),
    }
}

impl Label {
    fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        if let Some(other) = rewrite(self.as_str())
            && let Ok(other) = Self::new("label", other.trim()).or_else(|_| Self::new("label", MASKED))
        {
            *self = other;
        }
    }
}

impl Kind {
    fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        if let Some(other) = rewrite(self.as_str())
            && let Ok(other) = Self::new(other.trim()).or_else(|_| Self::new(MASKED))
        {
            *self = other;
        }
    }
}

impl Body {
    /// Gives it other words: `rewrite` is given each of its texts (its own, kind, source, tags, names and values of free fields; of a turn
    /// the speaker, the reply, tools with arguments and results, attachments) and answers what takes its place, or `None` where it
    /// stays. Only the session keeps its name. Whether the new texts are allowed is not looked at.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        rewrite_text(&mut self.text, rewrite);
        self.kind.rewrite(rewrite);
        self.source.iter_mut().chain(&mut self.tags).for_each(|label| label.rewrite(rewrite));
        self.tags.sort();
        self.tags.dedup();
        if let Some(turn) = &mut self.turn {
            turn.speaker.iter_mut().for_each(|speaker| speaker.rewrite(rewrite));
            turn.reply.iter_mut().for_each(|reply| rewrite_text(reply, rewrite));
            for call in &mut turn.tool_calls {
                call.name.rewrite(rewrite);
                rewrite_text(&mut call.arguments, rewrite);
                call.result.iter_mut().for_each(|result| rewrite_text(result, rewrite));
            }
            for file in &mut turn.attachments {
                rewrite_text(&mut file.uri, rewrite);
                file.media_type.iter_mut().chain(&mut file.caption).for_each(|text| rewrite_text(text, rewrite));
            }
        }
        rewrite_fields(&mut self.metadata, rewrite);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attachment, NewMemory, NewTurn, ToolCall};

    const SECRET: &str = "hunter2";

    /// Masks the secret wherever it stands, and any number behind "pin".
    fn masks(text: &str) -> Option<String> {
        let other = text.replace(SECRET, "[password]").replace("pin: 4711", "pin: [password]");
        (other != text).then_some(other)
    }

    #[test]
    fn nothing_is_passed_over() {
        let value = Value::Map(Metadata::from([(SECRET.to_owned(), Value::List(vec![SECRET.into()]))]));
        let fields = [("k", value), ("x hunter2", 1.into()), ("pin", 4711.into()), ("session", "hunter2".into())];
        let mut memory = NewMemory::builder(SECRET).kind(SECRET).source(SECRET).tag(SECRET).tag("a");
        for (name, value) in fields {
            memory = memory.metadata(name, value);
        }
        let mut body = memory.build().unwrap().into_body();
        body.rewrite(&mut |text| masks(text));
        let json = serde_json::to_string(&body).unwrap();
        assert_eq!(json.matches(SECRET).count(), 1, "only the name of the session stays: {json}");
        assert_eq!(body.metadata["pin"], Value::from("[password]"));
        assert!(NewMemory::from_body(body).is_ok());
        let call = ToolCall {
            name: crate::Label::new("tool", SECRET).unwrap(),
            arguments: SECRET.to_owned(),
            result: Some(SECRET.to_owned()),
        };
        let file = Attachment {
            uri: format!("https://u:{SECRET}@h/"),
            media_type: Some(SECRET.to_owned()),
            caption: Some(SECRET.to_owned()),
        };
        let turn = NewTurn::builder("s", SECRET).speaker(SECRET).reply(SECRET).tool_call(call).attachment(file);
        let mut body = NewMemory::from(turn.build().unwrap()).into_body();
        body.rewrite(&mut |text| masks(text));
        let json = serde_json::to_string(&body).unwrap();
        assert!(!json.contains(SECRET), "{json}");
        assert_eq!(json.matches("[password]").count(), 9, "{json}");
        assert!(NewMemory::from_body(body).is_ok());
    }

    #[test]
    fn names_that_become_the_same_stay_two_and_labels_stay_labels() {
        let mut fields = Metadata::from([("hunter2".to_owned(), 1.into()), ("[password]".to_owned(), 2.into())]);
        rewrite_fields(&mut fields, &mut |text| masks(text));
        assert_eq!(fields.keys().collect::<Vec<_>>(), ["[password]", "[password] 2"]);
        let mut label = Label::new("tag", "a".repeat(249) + SECRET).unwrap();
        label.rewrite(&mut |text| masks(text));
        assert_eq!(label.as_str(), MASKED);
    }
}
