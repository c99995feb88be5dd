use serde_json::{Map, Value, json};

use super::field::{list, text};
use super::{Form, bounds};
use crate::provider::Schema;

/// The form as a JSON schema, for servers that keep to one: an object with the list `memories`,
/// [bounded](bounds).
#[must_use]
pub fn schema(form: &Form) -> Schema {
    let fields: Map<String, Value> = form
        .fields()
        .into_iter()
        .map(|field| (field.name, field.schema))
        .collect();
    // A small model fills its answer with objects that say nothing where it may.
    let required = ["content", form.kind_field.as_str()];
    let candidate =
        json!({"type": "object", "properties": Value::Object(fields), "required": required});
    let repeated = json!({
        "type": "object",
        "properties": {"reinforces": text(bounds::WORD)},
        "required": ["reinforces"],
    });
    let item = if form.known {
        json!({"anyOf": [candidate, repeated]})
    } else {
        candidate
    };
    answer("memories", &list(&item, bounds::MEMORIES))
}

/// The form of the triples of a memory as a JSON schema: an object with the list `triples`,
/// [bounded](bounds).
#[must_use]
pub fn statements_schema() -> Schema {
    let part = || text(bounds::PART);
    let maybe = || json!({"type": ["string", "null"], "maxLength": bounds::PART});
    let triple = json!({
        "type": "object",
        "properties": {
            "subject": part(), "predicate": part(), "object": part(),
            "negation": {"type": "boolean"}, "frequency": maybe(), "condition": maybe(),
        },
        "required": ["subject", "predicate", "object"],
    });
    answer("triples", &list(&triple, bounds::STATEMENTS))
}

/// An object with one list: servers want an object at the top.
fn answer(name: &str, list: &Value) -> Schema {
    let whole = json!({"type": "object", "properties": {name: list}, "required": [name]});
    Schema {
        name: name.to_owned(),
        text: whole.to_string(),
    }
}
