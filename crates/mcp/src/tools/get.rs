//! `get`: memories in full.

use annals::blocking::Namespace;
use annals::language::Zone;
use annals::{MemoryId, StoredMemory};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::arguments::{Call, Found, listed};
use crate::reply::{Refusal, Reply};
use crate::shown;

/// The most links of a memory that are shown.
const MOST_LINKS: usize = 20;
/// The most earlier texts of a memory that are shown, and the characters of each.
const MOST_EARLIER: usize = 5;
const EARLIER_CHARS: usize = 280;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    ids: Vec<String>,
    offset: Option<i64>,
}

pub(super) fn run(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Arguments = call.read(arguments)?;
    let offset = call.within("offset", arguments.offset, (0, 0, u32::MAX))?;
    let ids = call.ids(&arguments.ids)?;
    let (found, missing) = call.find(&ids)?;
    if found.is_empty() {
        return Err(call.missing(&missing));
    }
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    let (mut texts, mut data, mut crowded, mut room) =
        (Vec::new(), Vec::new(), Vec::new(), shown::MOST);
    for Found { space, memory } in &found {
        if room == 0 {
            crowded.push(memory.id);
            continue;
        }
        // As it is: what is got may be given back by update.
        let (text, total) = shown::part(&memory.body.text, offset, room);
        let end = offset.saturating_add(text.chars().count());
        room = room.saturating_sub(text.chars().count());
        let zone = Zone::named(&space.admin().settings()?.time.zone)?;
        let mut fields = about(memory, call.store.reach.scope_of(space.name()), &zone);
        for (name, value) in [
            ("links", links(space, memory.id)?),
            ("history", history(space, memory, &zone)?),
        ] {
            if !value.is_empty() {
                fields.insert(name.to_owned(), Value::Array(value));
            }
        }
        texts.push(format!("{}\n{text}", heading(&fields)));
        fields.insert("text".to_owned(), text.into());
        if end < total {
            fields.insert("next_offset".to_owned(), end.into());
            let (from, end, total) = (offset.to_string(), end.to_string(), total.to_string());
            texts.push(call.text(
                "mcp-get-more",
                &[("from", &from), ("to", &end), ("total", &total)],
            ));
        }
        data.push(Value::Object(fields));
    }
    let mut whole = json!({ "memories": data });
    for (name, ids, message) in [
        ("missing", &missing, "mcp-missing"),
        ("no_room", &crowded, "mcp-get-room"),
    ] {
        if let (false, Value::Object(whole)) = (ids.is_empty(), &mut whole) {
            texts.push(call.text(message, &[("ids", &listed(ids))]));
            whole.insert(name.to_owned(), json!(ids));
        }
    }
    Ok(Reply::new(texts.join("\n\n"), whole))
}

/// The links of a memory, each with its direction.
fn links(space: &Namespace, id: MemoryId) -> Result<Vec<Value>, Refusal> {
    let links = space.graph().links(id)?;
    let shown = links.iter().take(MOST_LINKS).map(|link| {
        let relation = shown::line(&link.relation, 80).0;
        match link.from == id {
            true => json!({ "relation": relation, "to": link.to }),
            false => json!({ "relation": relation, "from": link.from }),
        }
    });
    Ok(shown.collect())
}

/// The earlier texts of a memory, the latest first.
fn history(space: &Namespace, memory: &StoredMemory, zone: &Zone) -> Result<Vec<Value>, Refusal> {
    if memory.revision == 1 {
        return Ok(Vec::new());
    }
    let mut earlier: Vec<Value> = Vec::new();
    let mut text = memory.body.text.clone();
    for revision in space.history(memory.id)?.into_iter().rev() {
        let before = revision.memory;
        if before.body.text != text && earlier.len() < MOST_EARLIER {
            let stored = zone.seconds(before.stored_at);
            earlier.push(json!({ "stored": stored, "text": shown::line(&before.body.text, EARLIER_CHARS).0 }));
        }
        text = before.body.text;
    }
    Ok(earlier)
}

/// The traits of a memory beside its text.
fn about(memory: &StoredMemory, scope: Option<&str>, zone: &Zone) -> Map<String, Value> {
    let body = &memory.body;
    let label = |text: &str| Value::from(shown::line(text, 200).0);
    let moment = |at: annals::Timestamp| Value::from(zone.seconds(at));
    let tags: Vec<Value> = body.tags.iter().map(|tag| label(tag.as_str())).collect();
    let speaker = body.turn.as_ref().and_then(|turn| turn.speaker.as_ref());
    let fields = [
        ("id", Some(json!(memory.id))),
        ("kind", Some(label(body.kind.as_str()))),
        ("status", Some(json!(memory.status))),
        ("scope", scope.map(Value::from)),
        ("stored", Some(moment(memory.stored_at))),
        ("date", body.event_time.map(moment)),
        ("valid_from", body.valid_from.map(moment)),
        ("valid_until", body.valid_until.map(moment)),
        ("expires", body.expires_at.map(moment)),
        ("speaker", speaker.map(|name| label(name.as_str()))),
        (
            "source",
            body.source.as_ref().map(|source| label(source.as_str())),
        ),
        ("tags", (!tags.is_empty()).then_some(Value::Array(tags))),
        ("replaced_by", memory.superseded_by.map(|id| json!(id))),
    ];
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// The same on one line.
fn heading(fields: &Map<String, Value>) -> String {
    fn plain(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().map(plain).collect::<Vec<_>>().join(", ")
            }
            // Links and earlier texts have fields of their own.
            Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| format!("{name} {}", plain(value)))
                .collect::<Vec<_>>()
                .join(" "),
            other => other.to_string(),
        }
    }
    fields
        .iter()
        .map(|(name, value)| format!("{name}: {}", plain(value)))
        .collect::<Vec<_>>()
        .join(" | ")
}
