//! Graphs of Zep and Graphiti: nodes, edges with their facts and how long these hold, episodes; in
//! one object, or a list of any of them.

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;
use std::collections::HashMap;

use super::outline::Outline;
use super::reading::{Fact, Reading, Said, UNKNOWN, first_text, list, statement, text};
use super::record;

const FIELDS: [&str; 4] = ["edges", "facts", "nodes", "episodes"];
const LISTS: [&str; 4] = ["edges[]", "facts[]", "nodes[]", "episodes[]"];

fn uuid(value: &Value) -> Option<&str> {
    first_text(value, &["uuid", "uuid_"])
}

fn is_edge(value: &Value) -> bool {
    text(value, "fact").is_some()
        && value.get("source_node_uuid").is_some()
        && uuid(value).is_some()
}

fn is_node(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    uuid(value).is_some() && has("name") && has("labels") && has("summary") && !has("fact")
}

fn is_episode(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    uuid(value).is_some()
        && has("content")
        && has("source")
        && (has("valid_at") || has("created_at"))
}

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    let one = |value: &Value| is_edge(value) || is_node(value) || is_episode(value);
    let below = |value: &Value| {
        FIELDS
            .iter()
            .any(|field| list(value, field).iter().any(one))
    };
    record(outline, &[]).is_some_and(one) || values.iter().any(below)
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let is_document = reading
        .first()
        .is_some_and(|first| FIELDS.iter().any(|field| first.get(field).is_some()));
    let entered: &[&str] = if is_document { &LISTS } else { &["[]"] };
    // Edges name their ends by nodes that may stand behind them.
    let mut names: HashMap<String, String> = HashMap::new();
    reading.look(entered, &mut |value| {
        if is_node(value)
            && let (Some(uuid), Some(name)) = (uuid(value), text(value, "name"))
        {
            names.insert(uuid.to_owned(), name.to_owned());
        }
    })?;
    reading.each(entered, &mut |reading, path, value| {
        if is_edge(&value) {
            edge(reading, &value, &names)
        } else if is_node(&value) {
            node(reading, &value)
        } else if is_episode(&value) {
            episode(reading, &value)
        } else {
            if path.is_empty() || path.ends_with("[]") {
                reading.leave(UNKNOWN);
            }
            Ok(())
        }
    })
}

fn edge(
    reading: &mut Reading<'_>,
    value: &Value,
    names: &HashMap<String, String>,
) -> Result<(), Error> {
    let end = |side: &str| {
        let own = text(value, &format!("{side}_node_name"));
        let node = text(value, &format!("{side}_node_uuid")).and_then(|uuid| names.get(uuid));
        own.or(node.map(String::as_str)).unwrap_or_default()
    };
    let mut fact = Fact::new(text(value, "fact").unwrap_or_default());
    fact.id = uuid(value).map(str::to_owned);
    fact.time = reading.time(value, &["created_at", "reference_time"]);
    fact.valid_from = reading.time(value, &["valid_at"]);
    // What was superseded without an end of its own held until then.
    fact.valid_until = reading.time(value, &["invalid_at", "expired_at"]);
    fact.said.extend(statement(
        end("source"),
        text(value, "name").unwrap_or_default(),
        end("target"),
    ));
    for name in ["group_id", "graph_uuid", "expired_at"] {
        fact.field(name, text(value, name));
    }
    reading.memory(fact)
}

fn node(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let Some(name) = first_text(value, &["name"]) else {
        return Ok(());
    };
    let kind = list(value, "labels")
        .iter()
        .filter_map(Value::as_str)
        .find(|label| *label != "Entity");
    reading.entity(name, kind)?;
    let Some(summary) = first_text(value, &["summary"]) else {
        return Ok(());
    };
    let mut fact = Fact::new(format!("{name}: {summary}"));
    fact.id = uuid(value).map(str::to_owned);
    fact.time = reading.time(value, &["created_at"]);
    fact.field("entity", Some(name));
    reading.memory(fact)
}

fn episode(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let words = text(value, "content").unwrap_or_default();
    let at = reading.time(value, &["reference_time", "valid_at", "created_at"]);
    let told = first_text(value, &["role", "role_type"]);
    let session = first_text(
        value,
        &["thread_uuid", "thread_id", "session_id", "group_id"],
    );
    if text(value, "source") != Some("message") {
        let mut fact = Fact::new(words);
        fact.id = uuid(value).map(str::to_owned);
        fact.kind = Some("note".to_owned());
        fact.time = at;
        fact.field(
            "source_description",
            first_text(value, &["source_description"]),
        );
        return reading.memory(fact);
    }
    let session = session.map_or_else(|| reading.session_name(), str::to_owned);
    let role = match told {
        Some("assistant" | "AssistantRole") => Role::Assistant,
        Some("system" | "SystemRole") => Role::System,
        Some("tool" | "function") => Role::Tool,
        _ => Role::User,
    };
    let mut said = Said::by(&session, role, words);
    said.speaker = first_text(value, &["role_name"]).map(str::to_owned);
    said.id = uuid(value).map(str::to_owned);
    said.time = at;
    reading.turn(said);
    reading.pause()
}
