//! The form of an answer as servers are told it.

use serde_json::Value;

use super::OmittedParts;
use super::openai::schema;
use crate::provider::{Request, Schema};

/// Bounds of lists, texts and numbers. JSON schemas have these keywords, and servers that keep to
/// schemas do not all have all of them.
const BOUNDS: [&str; 6] = [
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
];

/// The form of an answer, as far as the server takes one.
pub(super) fn form(request: &Request, spared: OmittedParts) -> Option<(&str, Value)> {
    let form = request
        .schema
        .as_ref()
        .filter(|_| !spared.has(OmittedParts::SCHEMA))?;
    let mut value = schema(&form.text);
    if spared.has(OmittedParts::BOUNDS) {
        drop_bounds(&mut value);
    }
    Some((&form.name, value))
}

/// Whether a form has bounds that can be left out.
pub(super) fn is_bounded(form: &Schema) -> bool {
    drop_bounds(&mut schema(&form.text))
}

/// Drops the bounds of a schema; answers whether there were any.
fn drop_bounds(schema: &mut Value) -> bool {
    let mut dropped = false;
    match schema {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| dropped |= drop_bounds(item)),
        Value::Object(fields) => {
            for bound in BOUNDS {
                dropped |= fields.remove(bound).is_some();
            }
            for (keyword, value) in fields.iter_mut() {
                match value {
                    // The keys in here are names of fields and not keywords.
                    Value::Object(named) if keyword == "properties" => {
                        named
                            .values_mut()
                            .for_each(|field| dropped |= drop_bounds(field));
                    }
                    other => dropped |= drop_bounds(other),
                }
            }
        }
        _ => {}
    }
    dropped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_go_and_everything_else_stays() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "minimum": {"type": "string", "maxLength": 9},
                "list": {"type": "array", "maxItems": 2, "items": {"type": "number", "minimum": 0, "maximum": 1}},
            },
            "required": ["minimum"],
        });
        assert!(drop_bounds(&mut schema));
        let left = json!({
            "type": "object",
            "properties": {"minimum": {"type": "string"}, "list": {"type": "array", "items": {"type": "number"}}},
            "required": ["minimum"],
        });
        assert_eq!(schema, left);
        assert!(!drop_bounds(&mut schema));
    }
}
