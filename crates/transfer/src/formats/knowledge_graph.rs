//! The file of the reference memory server of MCP: lines of entities with observations, and of
//! relations; or the whole graph, as `read_graph` answers it.

use annals_engine::Error;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{Fact, Reading, UNKNOWN, first_text, list, statement};

/// The free fields by which an export writes the same file again.
pub(crate) const ENTITY: &str = "entity";
pub(crate) const ENTITY_TYPE: &str = "entity_type";
pub(crate) const RELATION: [&str; 3] = ["relation_from", "relation_type", "relation_to"];
/// The type of the entity under which an export puts what speaks of no entity: it has no part in
/// the words.
pub(crate) const OWN_TYPE: &str = "memories";
/// What stands between the name of an entity and what was observed of it.
pub(crate) const BEFORE_OBSERVATION: &str = ": ";

const NAME: [&str; 3] = ["name", "entityName", "id"];
const FROM: [&str; 3] = ["from", "from_id", "source"];
const TO: [&str; 3] = ["to", "to_id", "target"];
const TYPE: [&str; 2] = ["relationType", "relation_type"];

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    let is_part = |value: &Value| is_entity(value) || is_relation(value);
    values.iter().any(|value| {
        let first = |field: &str| {
            value
                .get(field)
                .and_then(Value::as_array)
                .map(|list| list.first())
        };
        let graph = [first("entities"), first("relations")];
        is_part(value)
            || graph.iter().all(Option::is_some)
                && graph
                    .iter()
                    .flatten()
                    .flatten()
                    .all(|part| is_part(part) || has_ends(part))
    })
}

fn is_entity(value: &Value) -> bool {
    value.get("observations").is_some_and(Value::is_array) && first_text(value, &NAME).is_some()
}

fn is_relation(value: &Value) -> bool {
    has_ends(value) && first_text(value, &["type"]) == Some("relation")
}

fn has_ends(value: &Value) -> bool {
    first_text(value, &FROM).is_some()
        && first_text(value, &TO).is_some()
        && first_text(value, &TYPE).is_some()
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let is_graph = reading
        .first()
        .is_some_and(|first| first.get("entities").is_some_and(Value::is_array));
    let lists: &[&str] = if is_graph {
        &["entities[]", "relations[]"]
    } else {
        &["[]"]
    };
    reading.each(lists, &mut |reading, _, value| {
        if is_entity(&value) {
            return entity(reading, &value);
        }
        if has_ends(&value) {
            return relation(reading, &value);
        }
        reading.leave(UNKNOWN);
        Ok(())
    })
}

fn entity(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let Some(name) = first_text(value, &NAME) else {
        return Ok(());
    };
    let kind = first_text(value, &["entityType", "entity_type"]);
    let is_own = name == OWN_TYPE && kind == Some(OWN_TYPE);
    if !is_own {
        reading.entity(name, kind)?;
    }
    for observed in list(value, "observations") {
        let words = match observed {
            Value::String(words) => words.as_str(),
            other => match first_text(other, &["content", "text", "observation"]) {
                Some(words) => words,
                None => {
                    reading.leave(UNKNOWN);
                    continue;
                }
            },
        };
        let mut fact = Fact::new(words);
        if !is_own {
            fact.text = format!("{name}{BEFORE_OBSERVATION}{words}");
            fact.field(ENTITY, Some(name));
            fact.field(ENTITY_TYPE, kind);
        }
        reading.memory(fact)?;
    }
    Ok(())
}

fn relation(reading: &mut Reading<'_>, value: &Value) -> Result<(), Error> {
    let part = |names: &[&str]| first_text(value, names).unwrap_or_default();
    let ends = [part(&FROM), part(&TYPE), part(&TO)];
    let [from, kind, to] = ends;
    let mut fact = Fact::new(format!("{from} {} {to}", kind.replace('_', " ")));
    fact.said.extend(statement(from, kind, to));
    for (name, value) in RELATION.into_iter().zip(ends) {
        fact.field(name, Some(value));
    }
    reading.memory(fact)
}
