//! Channels of Discord: as DiscordChatExporter writes them, and one's own messages out of the data
//! package that Discord sends.

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;

use super::clock::FileZone;
use super::file::NamesById;
use super::outline::Outline;
use super::reading::{PROGRAM, Reading, Said, attachment, first_text, flag, id, list, text};
use super::record;

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    let is_channel = |file: &Value| {
        file.get("guild").is_some()
            && file.get("channel").is_some_and(Value::is_object)
            && file.get("messages").is_some()
    };
    values.first().is_some_and(is_channel) || record(outline, &[]).is_some_and(is_own)
}

fn is_own(message: &Value) -> bool {
    ["ID", "Timestamp", "Contents"]
        .iter()
        .all(|name| message.get(name).is_some())
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    if reading.first().is_some_and(Value::is_array) {
        return own_messages(reading);
    }
    let (mut guild, mut channel) = (None, None);
    reading.each(&["messages[]"], &mut |reading, path, value| {
        match path {
            "guild" => guild = first_text(&value, &["name"]).map(str::to_owned),
            "channel" => channel = first_text(&value, &["name"]).map(str::to_owned),
            "messages[]" => {
                let parts: Vec<&str> = [&guild, &channel]
                    .into_iter()
                    .flatten()
                    .map(String::as_str)
                    .collect();
                let session = if parts.is_empty() {
                    reading.session_name()
                } else {
                    parts.join(" / ")
                };
                return message(reading, &session, &value);
            }
            _ => {}
        }
        Ok(())
    })
}

fn message(reading: &mut Reading<'_>, session: &str, value: &Value) -> Result<(), Error> {
    if !matches!(
        text(value, "type"),
        Some("Default" | "Reply" | "0" | "19") | None
    ) {
        reading.leave(PROGRAM);
        return Ok(());
    }
    let author = value.get("author").unwrap_or(&Value::Null);
    let role = if flag(author, "isBot") {
        Role::Assistant
    } else {
        Role::User
    };
    let mut said = Said::by(session, role, text(value, "content").unwrap_or_default());
    said.speaker = first_text(author, &["nickname", "name"]).map(str::to_owned);
    said.id = id(value, "id");
    said.time = reading.time(value, &["timestamp"]);
    let reply = value
        .get("reference")
        .and_then(|reference| id(reference, "messageId"));
    said.field("reply_to", reply.as_deref());
    for file in list(value, "attachments") {
        let mut sent = attachment(
            first_text(file, &["url", "fileName"]).unwrap_or("file"),
            None,
        );
        sent.caption = text(file, "fileName").map(str::to_owned);
        said.attachments.push(sent);
    }
    reading.turn(said);
    reading.pause()
}

/// Messages of the data package, whose times are those of UTC; the channel stands beside them.
fn own_messages(reading: &mut Reading<'_>) -> Result<(), Error> {
    let about = reading.file.names_beside("channel.json", |channel| {
        let guild = channel
            .get("guild")
            .and_then(|guild| first_text(guild, &["name"]));
        let parts: Vec<&str> = [guild, first_text(channel, &["name"])]
            .into_iter()
            .flatten()
            .collect();
        let own = id(channel, "id");
        let name = if parts.is_empty() {
            own
        } else {
            Some(parts.join(" / "))
        };
        name.map(|name| NamesById::from([(String::new(), name)]))
            .unwrap_or_default()
    });
    let named = about.get("").cloned().or_else(|| reading.file.folder());
    let session = reading
        .options
        .session
        .clone()
        .or(named)
        .unwrap_or_else(|| reading.session_name());
    let utc = FileZone::named(Some("UTC"))?;
    reading.each(&["[]"], &mut |reading, _, value| {
        let mut said = Said::by(
            &session,
            Role::User,
            text(&value, "Contents").unwrap_or_default(),
        );
        said.id = id(&value, "ID");
        said.time = text(&value, "Timestamp").and_then(|time| utc.read(time));
        let sent = text(&value, "Attachments")
            .unwrap_or_default()
            .split_whitespace();
        said.attachments = sent.map(|url| attachment(url, None)).collect();
        reading.turn(said);
        reading.pause()
    })
}
