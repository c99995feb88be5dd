//! Exports of claude-mem: observations, summaries of sessions, and what was typed.

use annals_engine::Error;
use annals_types::{Role, Timestamp};
use serde_json::{Map, Value};

use super::outline::Outline;
use super::reading::{Fact, Reading, Said, first_text, id, text};
use super::sqlite::Cell;
use crate::written;

const LISTS: [&str; 4] = ["observations[]", "sessions[]", "summaries[]", "prompts[]"];

/// Its tables, each under the name of the list in which an export has its rows.
const TABLES: [(&str, &str); 3] = [
    ("observations", "observations[]"),
    ("session_summaries", "summaries[]"),
    ("user_prompts", "prompts[]"),
];

pub(super) fn tells(outline: &Outline) -> bool {
    let values = match outline {
        Outline::Json(values) => values,
        Outline::Tables(tables) => {
            return ["observations", "sdk_sessions"]
                .iter()
                .all(|name| tables.iter().any(|table| table == name));
        }
        _ => return false,
    };
    values.first().is_some_and(|first| {
        let listed = |field: &str| first.get(field).is_some_and(Value::is_array);
        listed("observations") && listed("prompts") && (listed("summaries") || listed("sessions"))
    })
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    if matches!(reading.outline, Outline::Tables(_)) {
        return read_database(reading);
    }
    reading.each(&LISTS, &mut |reading, path, value| {
        record(reading, path, &value)
    })
}

fn record(reading: &mut Reading<'_>, path: &str, value: &Value) -> Result<(), Error> {
    match path {
        "observations[]" => observation(reading, value),
        "summaries[]" => summary(reading, value),
        "prompts[]" => prompt(reading, value),
        _ => Ok(()),
    }
}

/// The rows of the database as the records of an export.
fn read_database(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut database = reading.file.database()?;
    for (name, path) in TABLES {
        let Some(table) = database.table(name)? else {
            continue;
        };
        database.rows(&table, &mut |number, row| {
            let mut fields = Map::from_iter([("id".to_owned(), number.into())]);
            for (name, cell) in table.columns.iter().zip(row) {
                let value = match cell {
                    Cell::Int(number) => (*number).into(),
                    Cell::Float(number) => (*number).into(),
                    other => other.text().into(),
                };
                fields.insert(name.clone(), value);
            }
            record(reading, path, &fields.into())
        })?;
    }
    Ok(())
}

fn created(reading: &Reading<'_>, value: &Value) -> Option<Timestamp> {
    value
        .get("created_at_epoch")
        .and_then(written::moment)
        .or_else(|| reading.time(value, &["created_at"]))
}

/// A list that is written as a text of JSON.
fn inner(value: &Value, field: &str) -> Vec<String> {
    let parsed = match value.get(field) {
        Some(Value::String(json)) => serde_json::from_str(json).unwrap_or_default(),
        Some(other) => other.clone(),
        None => Value::Null,
    };
    let entries = parsed.as_array().into_iter().flatten();
    entries
        .filter_map(|entry| entry.as_str().map(str::to_owned))
        .collect()
}

fn observation(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let facts = inner(value, "facts");
    let words = ["title", "subtitle", "narrative", "text"]
        .iter()
        .filter_map(|name| first_text(value, &[name]));
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.extend(facts.into_iter().map(|fact| format!("- {fact}")));
    words.dedup();
    let mut fact = Fact::new(words.join("\n"));
    fact.id = id(value, "id").map(|id| format!("observation/{id}"));
    fact.time = created(reading, value);
    fact.tags.extend(text(value, "type").map(str::to_owned));
    fact.tags.extend(inner(value, "concepts"));
    fact.field("project", text(value, "project"));
    fact.field("files", Some(&inner(value, "files_modified").join(", ")));
    reading.memory(fact)
}

fn summary(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let parts = [
        "request",
        "investigated",
        "learned",
        "completed",
        "next_steps",
        "notes",
    ];
    let words = parts.iter().filter_map(|name| {
        Some(format!(
            "{}: {}",
            name.replace('_', " "),
            first_text(value, &[name])?
        ))
    });
    let mut fact = Fact::new(words.collect::<Vec<_>>().join("\n"));
    fact.id = id(value, "id").map(|id| format!("summary/{id}"));
    fact.kind = Some("summary".to_owned());
    fact.time = created(reading, value);
    fact.field("project", text(value, "project"));
    reading.memory(fact)
}

fn prompt(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let session = first_text(
        value,
        &[
            "content_session_id",
            "claude_session_id",
            "memory_session_id",
        ],
    );
    let session = session.map_or_else(|| reading.session_name(), str::to_owned);
    let mut said = Said::by(
        &session,
        Role::User,
        text(value, "prompt_text").unwrap_or_default(),
    );
    said.id = id(value, "id").map(|id| format!("prompt/{id}"));
    said.time = created(reading, value);
    said.field("project", text(value, "project"));
    reading.turn(said);
    reading.pause()
}
