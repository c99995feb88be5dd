//! Messages of a Slack export: a file for each day in the folder of its channel; the names of
//! people stand in `users.json` above.

use std::sync::Arc;

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;

use super::file::NamesById;
use super::html::plain;
use super::outline::Outline;
use super::reading::{
    DELETED, PROGRAM, Reading, Said, attachment, first_text, flag, list, text, time,
};
use super::record;

/// Subtypes of messages that are someone's words.
const SAID: [&str; 6] = [
    "bot_message",
    "thread_broadcast",
    "file_share",
    "me_message",
    "file_comment",
    "reply_broadcast",
];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &["messages"]).is_some_and(|first| {
        let seconds = text(first, "ts").and_then(|ts| ts.split_once('.'));
        let in_digits = seconds.is_some_and(|(whole, part)| {
            whole.len() >= 9
                && (whole.to_owned() + part)
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
        });
        in_digits && text(first, "type") == Some("message")
    })
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let people = reading.file.names_beside("../users.json", people);
    let session = channel(reading, &people);
    let entered: &[&str] = if reading.first().is_some_and(Value::is_object) {
        &["messages[]"]
    } else {
        &["[]"]
    };
    reading.each(entered, &mut |reading, path, value| {
        if path.ends_with("[]") {
            message(reading, &session, &people, &value)
        } else {
            Ok(())
        }
    })
}

/// The names by which people are called.
fn people(users: &Value) -> NamesById {
    let named = |user: &Value| {
        let profile = user.get("profile").unwrap_or(&Value::Null);
        let name = first_text(profile, &["display_name", "real_name"])
            .or_else(|| first_text(user, &["real_name", "name"]))?;
        Some((text(user, "id")?.to_owned(), name.to_owned()))
    };
    users
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(named)
        .collect()
}

/// The name of a channel is that of its folder; of people who talk alone, their names.
fn channel(reading: &Reading<'_>, people: &NamesById) -> String {
    if let Some(name) = &reading.options.session {
        return name.clone();
    }
    let Some(folder) = reading.file.folder() else {
        return reading.session_name();
    };
    let talks = reading.file.names_beside("../dms.json", |talks| {
        let named = |talk: &Value| {
            let members = list(talk, "members").iter().filter_map(Value::as_str);
            let names = members
                .map(|id| people.get(id).map_or(id, String::as_str))
                .collect::<Vec<_>>();
            Some((text(talk, "id")?.to_owned(), names.join(", ")))
        };
        talks
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(named)
            .collect()
    });
    talks.get(&folder).cloned().unwrap_or(folder)
}

fn message(
    reading: &mut Reading<'_>,
    session: &str,
    people: &Arc<NamesById>,
    value: &Value,
) -> Result<(), Error> {
    match text(value, "subtype") {
        Some("tombstone") => {
            reading.leave(DELETED);
            return Ok(());
        }
        Some(kind) if !SAID.contains(&kind) => {
            reading.leave(PROGRAM);
            return Ok(());
        }
        _ => {}
    }
    if flag(value, "hidden") {
        reading.leave(PROGRAM);
        return Ok(());
    }
    let user = text(value, "user");
    let is_bot =
        user.is_none() && (value.get("bot_id").is_some() || value.get("username").is_some());
    let role = if is_bot { Role::Assistant } else { Role::User };
    let mut said = Said::by(
        session,
        role,
        words(text(value, "text").unwrap_or_default(), people),
    );
    let profile = value
        .get("user_profile")
        .or_else(|| value.get("bot_profile"));
    let own =
        profile.and_then(|profile| first_text(profile, &["display_name", "real_name", "name"]));
    let known = user.and_then(|id| people.get(id)).map(String::as_str);
    said.speaker = known
        .or(own)
        .or_else(|| text(value, "username"))
        .or(user)
        .map(str::to_owned);
    let ts = text(value, "ts");
    said.id = ts.map(str::to_owned);
    said.time = time(value, &["ts"]);
    said.field(
        "thread",
        text(value, "thread_ts").filter(|thread| Some(*thread) != ts),
    );
    for file in list(value, "files") {
        let name = first_text(file, &["url_private", "permalink", "name", "id"]).unwrap_or("file");
        let mut sent = attachment(name, text(file, "mimetype"));
        sent.caption = first_text(file, &["title", "name"]).map(str::to_owned);
        said.attachments.push(sent);
    }
    reading.turn(said);
    reading.pause()
}

/// A text with names in the place of marks: `<@U1>`, `<#C1|name>`, `<https://…|label>`, `&amp;`.
fn words(marked: &str, people: &NamesById) -> String {
    let mut out = String::with_capacity(marked.len());
    let mut rest = marked;
    while let Some((before, mark)) = rest.split_once('<') {
        out.push_str(&plain(before));
        let Some((inner, behind)) = mark.split_once('>') else {
            out.push('<');
            rest = mark;
            continue;
        };
        let (target, shown) = inner
            .split_once('|')
            .map_or((inner, None), |(target, shown)| (target, Some(shown)));
        let person = |id: &str| {
            people
                .get(id)
                .map(String::as_str)
                .or(shown)
                .unwrap_or(id)
                .to_owned()
        };
        match target.chars().next() {
            Some('@') => out.push_str(&format!(
                "@{}",
                person(target.get(1..).unwrap_or_default()).trim_start_matches('@')
            )),
            Some('#') => out.push_str(&format!(
                "#{}",
                shown.unwrap_or(target.get(1..).unwrap_or_default())
            )),
            Some('!') => {
                let name = shown
                    .unwrap_or(target.get(1..).unwrap_or_default())
                    .trim_start_matches('@');
                out.push_str(&format!("@{name}"));
            }
            _ => match shown.filter(|shown| *shown != target) {
                Some(shown) => out.push_str(&plain(&format!(
                    "{shown} ({})",
                    target.trim_start_matches("mailto:")
                ))),
                None => out.push_str(&plain(target)),
            },
        }
        rest = behind;
    }
    out.push_str(&plain(rest));
    out
}
