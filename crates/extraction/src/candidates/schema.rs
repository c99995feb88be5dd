use serde_json::{Map, Value, json};

use super::Form;
use crate::provider::Schema;

/// The form as a JSON schema, for servers that keep to one: an object with the list `memories`.
#[must_use]
pub fn schema(form: &Form) -> Schema {
    let text = || json!({"type": "string"});
    let mut fields = Map::new();
    fields.insert("content".to_owned(), text());
    let kind = if form.keep_kinds { text() } else { json!({"type": "string", "enum": form.kinds}) };
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
    for name in ["subject", "predicate", "expires_at", "reinforces"] {
        fields.insert(name.to_owned(), text());
    }
    if form.triples {
        let triple = json!({"type": "array", "items": text(), "minItems": 3, "maxItems": 3});
        fields.insert("triples".to_owned(), json!({"type": "array", "items": triple}));
    }
    fields.insert("contradicts".to_owned(), json!({"type": "array", "items": text()}));
    fields.insert("sensitive".to_owned(), json!({"type": "boolean"}));
    // A small model fills its answer with objects that say nothing where it may.
    let item = json!({"type": "object", "properties": Value::Object(fields), "required": ["content", "type"]});
    let whole = json!({
        "type": "object",
        "properties": {"memories": {"type": "array", "items": item}},
        "required": ["memories"],
    });
    Schema { name: "memories".to_owned(), text: whole.to_string() }
}

/// The form of the triples of a memory as a JSON schema: an object with the list `triples`.
#[must_use]
pub fn statements_schema() -> Schema {
    let text = || json!({"type": "string"});
    let maybe = || json!({"type": ["string", "null"]});
    let triple = json!({
        "type": "object",
        "properties": {
            "subject": text(), "predicate": text(), "object": text(),
            "negation": {"type": "boolean"}, "frequency": maybe(), "condition": maybe(),
        },
        "required": ["subject", "predicate", "object"],
    });
    let whole = json!({
        "type": "object",
        "properties": {"triples": {"type": "array", "items": triple}},
        "required": ["triples"],
    });
    Schema { name: "triples".to_owned(), text: whole.to_string() }
}
