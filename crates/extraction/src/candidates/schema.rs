use serde_json::{Map, Value, json};

use super::{Form, bounds};
use crate::provider::Schema;

/// The form as a JSON schema, for servers that keep to one: an object with the list `memories`, [bounded](bounds).
#[must_use]
pub fn schema(form: &Form) -> Schema {
    let mut fields = Map::new();
    fields.insert("content".to_owned(), text(bounds::TEXT));
    let kind = if form.keep_kinds { text(bounds::WORD) } else { json!({"type": "string", "enum": form.kinds}) };
    fields.insert("type".to_owned(), kind);
    let (min, max) = form.importance;
    let importance = if form.levels.is_empty() {
        json!({"type": "number", "minimum": min, "maximum": max})
    } else {
        json!({"type": "string", "enum": form.levels})
    };
    fields.insert("importance".to_owned(), importance);
    if !form.durations.is_empty() {
        fields.insert("duration".to_owned(), json!({"type": "string", "enum": form.durations}));
        fields.insert("confidence".to_owned(), json!({"type": "number", "minimum": 0, "maximum": 1}));
        fields.insert("rule_scope".to_owned(), json!({"type": "string", "enum": ["task", "behavior"]}));
    }
    for (name, most) in [
        ("subject", bounds::PART),
        ("predicate", bounds::PART),
        ("expires_at", bounds::WORD),
        ("reinforces", bounds::WORD),
    ] {
        fields.insert(name.to_owned(), text(most));
    }
    if form.triples {
        let triple = json!({"type": "array", "items": text(bounds::PART), "minItems": 3, "maxItems": 3});
        fields.insert("triples".to_owned(), list(&triple, bounds::TRIPLES));
    }
    fields.insert("contradicts".to_owned(), list(&text(bounds::WORD), bounds::NAMES));
    fields.insert("sensitive".to_owned(), json!({"type": "boolean"}));
    // A small model fills its answer with objects that say nothing where it may.
    let item = json!({"type": "object", "properties": Value::Object(fields), "required": ["content", "type"]});
    answer("memories", &list(&item, bounds::MEMORIES))
}

/// The form of the triples of a memory as a JSON schema: an object with the list `triples`, [bounded](bounds).
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

fn text(most: usize) -> Value {
    json!({"type": "string", "maxLength": most})
}

fn list(item: &Value, most: usize) -> Value {
    json!({"type": "array", "items": item, "maxItems": most})
}

/// An object with one list: servers want an object at the top.
fn answer(name: &str, list: &Value) -> Schema {
    let whole = json!({"type": "object", "properties": {name: list}, "required": [name]});
    Schema { name: name.to_owned(), text: whole.to_string() }
}
