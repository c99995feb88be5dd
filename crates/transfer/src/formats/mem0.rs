//! Memories of mem0: the answers of `get_all` and `search`, pages of its service, bare lists,
//! lines.

use annals_engine::Error;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{DELETED_MEMORIES, Fact, Reading, free, id, list, statement, text};
use super::{paths, record};

const FIELDS: [&str; 2] = ["results", "memories"];
const LISTS: [&str; 3] = ["results[]", "memories[]", "relations[]"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &FIELDS).is_some_and(|first| {
        let known = [
            "created_at",
            "user_id",
            "agent_id",
            "run_id",
            "hash",
            "metadata",
            "score",
            "event",
            "categories",
        ];
        text(first, "memory").is_some()
            && first.get("id").is_some()
            && known.iter().any(|name| first.get(name).is_some())
    })
}

/// The fields of a memory that are kept as free fields of the same name.
const KEPT: [&str; 9] = [
    "user_id",
    "agent_id",
    "app_id",
    "run_id",
    "session_id",
    "actor_id",
    "role",
    "immutable",
    "structured_attributes",
];

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    reading.each(&entered, &mut |reading, path, value| {
        if path.starts_with("relations") {
            return relation(reading, &value);
        }
        if !value.is_object() {
            return Ok(());
        }
        let Some(words) = text(&value, "memory") else {
            // Fields around the list, such as the count of a page.
            let is_record = path.is_empty() || path.ends_with("[]");
            let fault = crate::json::JsonFault::Missing {
                field: "memory".to_owned(),
            };
            return if is_record {
                reading.refuse_record(&fault)
            } else {
                Ok(())
            };
        };
        match text(&value, "event") {
            Some("DELETE") => {
                reading.leave(DELETED_MEMORIES);
                return Ok(());
            }
            Some("NONE") => {
                reading.leave("answers that say that nothing changed");
                return Ok(());
            }
            _ => {}
        }
        let mut fact = Fact::new(words);
        fact.id = id(&value, "id");
        fact.time = reading.time(&value, &["created_at", "updated_at"]);
        fact.expires_at = reading.time(&value, &["expiration_date"]);
        if value.get("replaced_by").is_some_and(|by| !by.is_null()) {
            fact.valid_until = reading.time(&value, &["updated_at", "created_at"]);
            fact.field("replaced_by", text(&value, "replaced_by"));
        }
        let named = list(&value, "categories")
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned);
        fact.tags = named.collect();
        for (name, own) in value
            .get("metadata")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if !own.is_null() {
                fact.metadata.insert(name.clone(), free(own));
            }
        }
        for name in KEPT {
            if let Some(own) = value.get(name).filter(|own| !own.is_null()) {
                fact.metadata.insert(name.to_owned(), free(own));
            }
        }
        fact.metadata.retain(|name, _| {
            !name.is_empty() && name.len() <= 256 && !name.contains(char::is_control)
        });
        reading.memory(fact)
    })
}

/// A relation of the graph beside the memories.
fn relation(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let part = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| text(value, name))
            .unwrap_or_default()
    };
    let (from, to) = (part(&["source"]), part(&["target", "destination"]));
    let Some(said) = statement(from, part(&["relationship", "relation"]), to) else {
        reading.leave("relations without an end");
        return Ok(());
    };
    let mut fact = Fact::new(format!(
        "{} {} {}",
        said.subject,
        said.predicate.replace('_', " "),
        said.object
    ));
    fact.said.push(said);
    reading.memory(fact)
}
