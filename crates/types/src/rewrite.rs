//! Other words for what is about to be stored or shown: one way through every text, whatever it is
//! part of.

use crate::{Body, Kind, Label, Metadata, Value};

/// Answers what takes the place of a text, or `None` where it stays.
pub type Rewrite<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// The mask for a text that cannot stay and whose replacement would not be allowed.
const MASKED: &str = "[masked]";
/// The free field whose value is the name of a session: what a session names must stay what it is,
/// whatever it looks like.
const SESSION: &str = "session";
/// Fields that say what the others of their map hold.
const NAMES: [&str; 5] = ["name", "key", "field", "label", "title"];

/// How many of the names around a value are looked at beside it, the nearest first: more than
/// meaningful data nests.
const MOST_NAMES: usize = 32;
/// How many bytes of a value are looked at beside a name, unless they tell that the value is
/// another with it.
const LOOK: usize = 512;

/// Gives a text other words.
pub fn rewrite_text(text: &mut String, rewrite: Rewrite<'_>) {
    if let Some(other) = rewrite(text) {
        *text = other;
    }
}

/// Gives free fields other words: names, texts and numbers, each also beside the names that say
/// what it is, those of the fields around it included (`password` and `hunter2`, or `{"value":
/// "hunter2"}`), and those that stand in a field of their own or first in a pair (`{"name":
/// "password", "value": "hunter2"}`, `["password", "hunter2"]`).
pub fn rewrite_fields(fields: &mut Metadata, rewrite: Rewrite<'_>) {
    rewrite_within(&mut Vec::new(), fields, rewrite);
}

/// The same of fields inside others, whose names are `around`.
fn rewrite_within(around: &mut Vec<String>, fields: &mut Metadata, rewrite: Rewrite<'_>) {
    let is_name = |name: &str| NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    let names = fields
        .iter()
        .filter(|(name, _)| is_name(name))
        .filter_map(|(_, value)| text_of(value));
    let (names, own): (Vec<String>, usize) = (names.collect(), around.len());
    for (name, mut value) in std::mem::take(fields) {
        if !is_name(&name) {
            around.extend(names.iter().cloned());
        }
        around.push(name);
        rewrite_value(around, &mut value, rewrite);
        let name = around.pop().unwrap_or_default();
        around.truncate(own);
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

fn rewrite_value(names: &mut Vec<String>, value: &mut Value, rewrite: Rewrite<'_>) {
    let number = match value {
        Value::Text(text) => {
            if let Some(other) = said_of(names, text, rewrite) {
                *text = other;
            }
            return;
        }
        Value::List(items) => return rewrite_items(names, items, rewrite),
        Value::Map(items) => return rewrite_within(names, items, rewrite),
        Value::Null | Value::Bool(_) => return,
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
    };
    if let Some(other) = said_of(names, &number, rewrite) {
        *value = Value::Text(other);
    }
}

/// The second of a pair also beside the first.
fn rewrite_items(names: &mut Vec<String>, items: &mut [Value], rewrite: Rewrite<'_>) {
    let first = if let [first, _] = &*items {
        text_of(first)
    } else {
        None
    };
    for (place, item) in items.iter_mut().enumerate() {
        let own = names.len();
        names.extend(first.clone().filter(|_| place > 0));
        rewrite_value(names, item, rewrite);
        names.truncate(own);
    }
}

fn text_of(value: &Value) -> Option<String> {
    if let Value::Text(text) = value {
        Some(text.clone())
    } else {
        None
    }
}

/// The replacement of a value by itself, or because of one of its names.
fn said_of(names: &[String], value: &str, rewrite: Rewrite<'_>) -> Option<String> {
    rewrite(value).or_else(|| {
        names
            .iter()
            .rev()
            .take(MOST_NAMES)
            .find_map(|name| said_beside(name, value, rewrite))
    })
}

fn said_beside(name: &str, value: &str, rewrite: Rewrite<'_>) -> Option<String> {
    let announced = format!("{name}: ");
    if value.len() > LOOK {
        let head = value.get(..value.floor_char_boundary(LOOK))?;
        rewrite(&format!("{announced}{head}"))?;
    }
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
            && let Ok(other) =
                Self::new("label", other.trim()).or_else(|_| Self::new("label", MASKED))
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
    /// Gives it other words: `rewrite` is given each of its texts (its own, kind, source, tags,
    /// names and values of free fields; of a turn the speaker, the reply, tools with arguments and
    /// results, attachments) and answers what takes its place, or `None` where it stays. Only the
    /// session keeps its name, also as the free field `session`: a text that is the name of the
    /// turn's own, or without white space. Whether the new texts are allowed is not looked at.
    pub fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        rewrite_text(&mut self.text, rewrite);
        self.kind.rewrite(rewrite);
        self.source
            .iter_mut()
            .chain(&mut self.tags)
            .for_each(|label| label.rewrite(rewrite));
        self.tags.sort();
        self.tags.dedup();
        if let Some(turn) = &mut self.turn {
            turn.speaker
                .iter_mut()
                .for_each(|speaker| speaker.rewrite(rewrite));
            turn.reply
                .iter_mut()
                .for_each(|reply| rewrite_text(reply, rewrite));
            for call in &mut turn.tool_calls {
                call.name.rewrite(rewrite);
                rewrite_text(&mut call.arguments, rewrite);
                call.result
                    .iter_mut()
                    .for_each(|result| rewrite_text(result, rewrite));
            }
            for file in &mut turn.attachments {
                rewrite_text(&mut file.uri, rewrite);
                file.media_type
                    .iter_mut()
                    .chain(&mut file.caption)
                    .for_each(|text| rewrite_text(text, rewrite));
            }
        }
        let own = self.turn.as_ref().map(|turn| turn.session.as_str());
        let is_name = |text: &str| own == Some(text) || !text.contains(char::is_whitespace);
        let named = matches!(self.metadata.get(SESSION), Some(Value::Text(text)) if is_name(text));
        let session = if named {
            self.metadata.remove_entry(SESSION)
        } else {
            None
        };
        rewrite_fields(&mut self.metadata, rewrite);
        self.metadata.extend(session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attachment, NewMemory, NewTurn, ToolCall};

    const SECRET: &str = "hunter2";

    /// Masks the secret wherever it stands, and any number behind "pin".
    fn masks(text: &str) -> Option<String> {
        let other = text
            .replace(SECRET, "[password]")
            .replace("pin: 4711", "pin: [password]");
        (other != text).then_some(other)
    }

    #[test]
    fn nothing_is_passed_over() {
        let value = Value::Map(Metadata::from([(
            SECRET.to_owned(),
            Value::List(vec![SECRET.into()]),
        )]));
        let fields = [
            ("k", value),
            ("x hunter2", 1.into()),
            ("pin", 4711.into()),
            ("session", "hunter2".into()),
        ];
        let mut memory = NewMemory::builder(SECRET)
            .kind(SECRET)
            .source(SECRET)
            .tag(SECRET)
            .tag("a");
        for (name, value) in fields {
            memory = memory.metadata(name, value);
        }
        let mut body = memory.build().unwrap().into_body();
        body.rewrite(&mut |text| masks(text));
        let json = serde_json::to_string(&body).unwrap();
        assert_eq!(
            json.matches(SECRET).count(),
            1,
            "only the name of the session stays: {json}"
        );
        assert_eq!(body.metadata["pin"], Value::from("[password]"));
        let inner = |name: &str| Value::Map(Metadata::from([(name.to_owned(), 4711.into())]));
        let mut fields = Metadata::from([
            ("pin".to_owned(), inner("value")),
            ("login".to_owned(), inner("session")),
        ]);
        let [pin, login] = ["pin", "login"].map(|name| fields[name].clone());
        rewrite_fields(&mut fields, &mut |text| {
            masks(&text.replace("session: 4711", SECRET))
        });
        assert!(
            fields["pin"] != pin && fields["login"] != login,
            "{fields:?}"
        );
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
        let turn = NewTurn::builder("s", SECRET)
            .speaker(SECRET)
            .reply(SECRET)
            .tool_call(call)
            .attachment(file);
        let mut body = NewMemory::from(turn.build().unwrap()).into_body();
        body.rewrite(&mut |text| masks(text));
        let json = serde_json::to_string(&body).unwrap();
        assert!(!json.contains(SECRET), "{json}");
        assert_eq!(json.matches("[password]").count(), 9, "{json}");
        assert!(NewMemory::from_body(body).is_ok());
    }

    #[test]
    fn only_a_name_is_the_name_of_a_session() {
        let object = Value::Map(Metadata::from([("password".to_owned(), "4711".into())]));
        let mask = |text: &str| {
            text.ends_with("password: 4711")
                .then(|| text.replace("4711", "[password]"))
        };
        for (session, stays) in [
            (Value::from("4711"), true),
            ("password: 4711".into(), false),
            (object, false),
            (4711.into(), true),
        ] {
            let mut body = NewMemory::builder("a")
                .metadata("session", session.clone())
                .build()
                .unwrap()
                .into_body();
            body.rewrite(&mut |text| mask(text));
            assert_eq!(
                body.metadata["session"] == session,
                stays,
                "{:?}",
                body.metadata
            );
        }
        let turn = NewTurn::builder("password: 4711", "a").build().unwrap();
        let mut body = NewMemory::from(turn).into_body();
        body.metadata
            .insert("session".to_owned(), "password: 4711".into());
        body.rewrite(&mut |text| mask(text));
        assert_eq!(body.metadata["session"], Value::from("password: 4711"));
    }

    #[test]
    fn a_name_in_a_field_of_its_own_or_first_in_a_pair_says_what_the_value_is() {
        let map = |name: &str, value: &str| {
            Value::Map(Metadata::from([
                ("name".to_owned(), name.into()),
                ("value".to_owned(), value.into()),
            ]))
        };
        let fields = |pin: Value, other: Value| {
            Metadata::from([("a".to_owned(), pin), ("b".to_owned(), other)])
        };
        let list = |items: &[&str]| Value::List(items.iter().map(|item| (*item).into()).collect());
        let mut told = fields(
            map("pin", "4711"),
            Value::List(vec![list(&["pin", "4711"]), map("pin", "4711")]),
        );
        rewrite_fields(&mut told, &mut |text| masks(text));
        let masked = "[password]";
        assert_eq!(
            told,
            fields(
                map("pin", masked),
                Value::List(vec![list(&["pin", masked]), map("pin", masked)])
            )
        );
        let mut others = fields(map("room", "4711"), list(&["pin", "door", "4711"]));
        let before = others.clone();
        rewrite_fields(&mut others, &mut |text| masks(text));
        assert_eq!(others, before);
    }

    #[test]
    fn long_values_among_many_names_are_looked_through_once() {
        let (long, mut shown) = ("a ".repeat(10_000), 0);
        let mut fields = Metadata::from([("text".to_owned(), long.as_str().into())]);
        for _ in 0..10 {
            let names = ["name", "Name", "NAME"].map(|name| (name.to_owned(), Value::from("n")));
            fields = names
                .into_iter()
                .chain([("map".to_owned(), Value::Map(fields))])
                .collect();
        }
        rewrite_fields(&mut fields, &mut |text| {
            shown += text.len();
            None
        });
        assert!(shown < 3 * long.len(), "{shown}");
        let mut fields =
            Metadata::from([("pin".to_owned(), format!("4711 {long}").as_str().into())]);
        rewrite_fields(&mut fields, &mut |text| masks(text));
        assert_eq!(
            fields["pin"],
            Value::from(format!("[password] {long}").as_str())
        );
    }

    #[test]
    fn names_that_become_the_same_stay_two_and_labels_stay_labels() {
        let mut fields = Metadata::from([
            ("hunter2".to_owned(), 1.into()),
            ("[password]".to_owned(), 2.into()),
        ]);
        rewrite_fields(&mut fields, &mut |text| masks(text));
        assert_eq!(
            fields.keys().collect::<Vec<_>>(),
            ["[password]", "[password] 2"]
        );
        let mut label = Label::new("tag", "a".repeat(249) + SECRET).unwrap();
        label.rewrite(&mut |text| masks(text));
        assert_eq!(label.as_str(), MASKED);
    }
}
