//! Exports of Telegram Desktop as JSON: one chat, or all of an account.

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{PROGRAM, Reading, Said, UNKNOWN, attachment, first_text, id, text};
use crate::written;

const ENTERED: [&str; 3] = [
    "messages[]",
    "chats.list[].messages[]",
    "left_chats.list[].messages[]",
];

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    let is_chat = |chat: &Value| {
        let first = chat
            .get("messages")
            .and_then(Value::as_array)
            .map(|messages| messages.first());
        let message = |one: &Value| {
            one.get("date").is_some()
                && (one.get("from_id").is_some()
                    || one.get("actor_id").is_some()
                    || one.get("text_entities").is_some())
        };
        first.is_some_and(|first| {
            first.map_or_else(|| chat.get("id").is_some_and(Value::is_number), message)
        })
    };
    values.first().is_some_and(|first| {
        let listed = |field: &str| {
            first
                .get(field)
                .and_then(|chats| chats.get("list"))
                .is_some_and(Value::is_array)
        };
        is_chat(first) && first.get("type").is_some() || listed("chats") || listed("left_chats")
    })
}

/// The chat that is read.
#[derive(Default)]
struct Chat {
    name: Option<String>,
    kind: Option<String>,
    id: Option<String>,
    /// Its messages have begun: a field behind them is that of the next chat.
    begun: bool,
}

impl Chat {
    fn session(&self, reading: &Reading<'_>) -> String {
        let kind = || {
            self.kind
                .as_ref()
                .map(|kind| format!("{kind} {}", self.id.as_deref().unwrap_or_default()))
        };
        self.name
            .clone()
            .or_else(kind)
            .unwrap_or_else(|| reading.session_name())
    }
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut chat = Chat::default();
    reading.each(&ENTERED, &mut |reading, path, value| {
        if path.ends_with("messages[]") {
            chat.begun = true;
            return message(reading, &chat, &value);
        }
        let Some(field) = path
            .rsplit('.')
            .next()
            .filter(|field| ["name", "type", "id"].contains(field))
        else {
            return Ok(());
        };
        if std::mem::take(&mut chat.begun) {
            chat = Chat::default();
        }
        match field {
            "name" => {
                chat.name = value
                    .as_str()
                    .filter(|name| !name.trim().is_empty())
                    .map(str::to_owned)
            }
            "type" => chat.kind = value.as_str().map(|kind| kind.replace('_', " ")),
            _ => chat.id = value.as_i64().map(|id| id.to_string()),
        }
        Ok(())
    })
}

fn message(reading: &mut Reading<'_>, chat: &Chat, value: &Value) -> Result<(), Error> {
    match text(value, "type") {
        Some("message") => {}
        Some("service") => {
            reading.leave(PROGRAM);
            return Ok(());
        }
        _ => {
            reading.leave(UNKNOWN);
            return Ok(());
        }
    }
    let session = chat.session(reading);
    let mut said = Said::by(&session, Role::User, words(value));
    said.speaker = text(value, "from").map(str::to_owned);
    said.id =
        id(value, "id").map(|own| format!("{}/{own}", chat.id.as_deref().unwrap_or_default()));
    let exact = value.get("date_unixtime").and_then(written::moment);
    said.time = exact.or_else(|| reading.zone.read(text(value, "date")?));
    said.field("forwarded_from", text(value, "forwarded_from"));
    if let Some(reply) = id(value, "reply_to_message_id") {
        said.field(
            "reply_to",
            Some(&format!(
                "{}/{reply}",
                chat.id.as_deref().unwrap_or_default()
            )),
        );
    }
    if let Some(file) = first_text(value, &["file", "photo"]) {
        // "(File not included. Change data exporting settings to download.)"
        let name = if file.starts_with('(') {
            first_text(value, &["file_name", "media_type"]).unwrap_or("file")
        } else {
            file
        };
        said.attachments
            .push(attachment(name, text(value, "mime_type")));
    }
    if said.text.trim().is_empty() && text(value, "media_type") == Some("sticker") {
        reading.leave("stickers");
        return Ok(());
    }
    reading.turn(said);
    reading.pause()
}

/// The words of a message: a text, or parts of it.
fn words(value: &Value) -> String {
    let entities = value
        .get("text_entities")
        .filter(|parts| parts.as_array().is_some_and(|parts| !parts.is_empty()));
    match entities.or_else(|| value.get("text")) {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Array(parts)) => parts.iter().map(part).collect(),
        _ => String::new(),
    }
}

fn part(part: &Value) -> String {
    let words = part
        .as_str()
        .or_else(|| text(part, "text"))
        .unwrap_or_default();
    match text(part, "href").filter(|target| *target != words) {
        Some(target) => format!("{words} ({target})"),
        None => words.to_owned(),
    }
}
