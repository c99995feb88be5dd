//! Exports of Open WebUI: chats with their messages as a tree; the branch that was kept goes from
//! `currentId` along `parentId`.

use std::collections::HashSet;

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{
    BRANCHES, INSTRUCTIONS, Reading, Said, TOOLS, UNKNOWN, attachment, first_text, id, list, text,
    time,
};
use super::{paths, record};

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &["chats"]).is_some_and(|first| {
        let inner = first.get("chat").unwrap_or(first);
        inner
            .get("history")
            .is_some_and(|history| history.get("messages").is_some_and(Value::is_object))
    })
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &["chats[]"]);
    reading.each(&entered, &mut |reading, _, value| {
        let inner = value.get("chat").unwrap_or(&value);
        let Some(history) = inner.get("history") else {
            return Ok(());
        };
        chat(reading, (&value, inner), history)
    })
}

fn chat(
    reading: &mut Reading<'_>,
    (outer, inner): (&Value, &Value),
    history: &Value,
) -> Result<(), Error> {
    let title = first_text(outer, &["title"]).or_else(|| first_text(inner, &["title"]));
    let session = id(outer, "id")
        .or_else(|| id(inner, "id"))
        .unwrap_or_else(|| {
            let begun = inner
                .get("timestamp")
                .map(Value::to_string)
                .unwrap_or_default();
            format!("{} {begun}", title.unwrap_or("chat"))
        });
    let nodes = history.get("messages").and_then(Value::as_object);
    let (mut way, mut met) = (Vec::new(), HashSet::new());
    let mut next = text(history, "currentId");
    while let Some(message) = next
        .filter(|name| met.insert(*name))
        .and_then(|name| nodes?.get(name))
    {
        way.push(message);
        next = text(message, "parentId");
    }
    way.reverse();
    if way.is_empty() {
        way.extend(list(inner, "messages"));
    }
    reading.leave_many(
        BRANCHES,
        nodes
            .map_or(0, serde_json::Map::len)
            .saturating_sub(way.len()),
    );
    for message in way {
        let role = match text(message, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => {
                reading.leave(INSTRUCTIONS);
                continue;
            }
            Some("tool") => {
                reading.leave(TOOLS);
                continue;
            }
            _ => {
                reading.leave(UNKNOWN);
                continue;
            }
        };
        let mut said = Said::by(
            &session,
            role,
            without_thoughts(text(message, "content").unwrap_or_default()),
        );
        said.id = id(message, "id");
        said.time = time(message, &["timestamp"]);
        said.field("title", title);
        for file in list(message, "files") {
            let name = first_text(file, &["name", "url", "id"]).unwrap_or("file");
            said.attachments.push(attachment(name, None));
        }
        reading.turn(said);
    }
    reading.end_session()
}

/// An answer without the thoughts that it begins with.
fn without_thoughts(words: &str) -> String {
    let mut rest = words.trim_start();
    while rest.starts_with("<details") {
        let Some((_, behind)) = rest.split_once("</details>") else {
            break;
        };
        rest = behind.trim_start();
    }
    rest.to_owned()
}
