//! Arguments held against the schema of their tool.

use rmcp::model::JsonObject;
use serde_json::Value;

/// What is wrong with the arguments of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The tool has no such argument; these it has.
    Unknown { field: String, known: Vec<String> },
    /// An argument is not there that must be.
    Missing { field: String },
    /// An argument is of another kind than the schema says, in the words of JSON Schema.
    Kind { field: String, kind: String },
}

/// Brings arguments into the form of their schema, as far as there is one way to read them: null is
/// left out, 2.0 is the whole number 2, one text is a list of it. The first fault that is left, in
/// the order of the schema.
pub(super) fn fit(schema: &JsonObject, arguments: &mut JsonObject) -> Option<Fault> {
    arguments.retain(|_, value| !value.is_null());
    let properties = schema.get("properties").and_then(Value::as_object)?;
    if let Some(field) = arguments
        .keys()
        .find(|field| !properties.contains_key(*field))
    {
        return Some(Fault::Unknown {
            field: field.clone(),
            known: properties.keys().cloned().collect(),
        });
    }
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    for (field, property) in properties {
        let kind = property
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let Some(value) = arguments.get_mut(field) else {
            if required.iter().any(|name| name.as_str() == Some(field)) {
                return Some(Fault::Missing {
                    field: field.clone(),
                });
            }
            continue;
        };
        if !fit_value(kind, value) {
            return Some(Fault::Kind {
                field: field.clone(),
                kind: kind.to_owned(),
            });
        }
    }
    None
}

/// Brings a value into the form of a kind; answers whether it is of that kind then.
fn fit_value(kind: &str, value: &mut Value) -> bool {
    match kind {
        "integer" => {
            // 2.0 is an integer of JSON Schema.
            if value.is_f64()
                && let Some(number) = value.as_f64()
                && number.fract() == 0.0
                && let Ok(number) = format!("{number:.0}").parse::<i64>()
            {
                *value = number.into();
            }
            value.is_i64()
        }
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => {
            if value.is_string() {
                *value = Value::Array(vec![value.take()]);
            }
            value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::JsonObject;
    use serde_json::{Value, json};

    use super::{Fault, fit};

    fn object(value: Value) -> JsonObject {
        match value {
            Value::Object(object) => object,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn what_can_be_read_in_one_way_is_and_the_rest_is_named() {
        let schema = object(json!({
            "properties": {
                "query": { "type": "string" }, "limit": { "type": "integer" }, "restore": { "type": "boolean" },
                "tags": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["query"],
        }));
        let fitted = |arguments: Value| {
            let mut arguments = object(arguments);
            fit(&schema, &mut arguments).map_or(Ok(Value::Object(arguments)), Err)
        };
        let read = fitted(json!({ "query": "a", "limit": 2.0, "tags": "x", "restore": null }));
        assert_eq!(read, Ok(json!({ "query": "a", "limit": 2, "tags": ["x"] })));
        let kind = |field: &str, kind: &str| {
            Err(Fault::Kind {
                field: field.to_owned(),
                kind: kind.to_owned(),
            })
        };
        for wrong in [
            json!(2.5),
            json!(1e300),
            json!("2"),
            json!(u64::MAX),
            json!(true),
        ] {
            assert_eq!(
                fitted(json!({ "query": "a", "limit": wrong })),
                kind("limit", "integer")
            );
        }
        assert_eq!(fitted(json!({ "query": ["a"] })), kind("query", "string"));
        assert_eq!(
            fitted(json!({ "query": "a", "tags": [1] })),
            kind("tags", "array")
        );
        assert_eq!(
            fitted(json!({ "query": "a", "restore": "yes" })),
            kind("restore", "boolean")
        );
        assert_eq!(
            fitted(json!({ "limit": 1 })),
            Err(Fault::Missing {
                field: "query".to_owned()
            })
        );
        let known = ["query", "limit", "restore", "tags"].map(str::to_owned);
        let Err(Fault::Unknown {
            field,
            known: mut told,
        }) = fitted(json!({ "query": "a", "colour": 1 }))
        else {
            panic!("it was taken")
        };
        told.sort_by_key(|name| known.iter().position(|one| one == name));
        assert_eq!(
            (field.as_str(), told.as_slice()),
            ("colour", known.as_slice())
        );
    }
}
