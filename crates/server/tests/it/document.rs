//! The description of the routes.

use crate::client::Served;

#[test]
fn the_committed_description_is_that_of_the_code() {
    let committed = include_str!("../../../../docs/openapi.json");
    let made = serde_json::to_string_pretty(&annals_server::document()).unwrap();
    assert!(
        committed.trim() == made,
        "run: cargo run -p annals-server --example openapi > docs/openapi.json"
    );
}

#[test]
fn the_server_says_what_it_offers_in_openapi_3_1() {
    let served = Served::start();
    let reply = served.call_with(&[], "GET", "/openapi.json", None);
    let document = reply.json();
    assert!(
        document["openapi"].as_str().unwrap().starts_with("3.1"),
        "{}",
        document["openapi"]
    );
    assert_eq!(
        document,
        serde_json::to_value(annals_server::document()).unwrap()
    );
}

/// No object of the schemas is left without its fields, and nothing is referred to that is not
/// there.
#[test]
fn no_schema_is_untyped() {
    let document = serde_json::to_value(annals_server::document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut untyped = Vec::new();
    for (name, schema) in schemas {
        look(schema, name, schemas, &mut untyped);
    }
    look(&document["paths"], "paths", schemas, &mut untyped);
    assert!(untyped.is_empty(), "{untyped:#?}");
}

fn look(
    value: &serde_json::Value,
    at: &str,
    schemas: &serde_json::Map<String, serde_json::Value>,
    untyped: &mut Vec<String>,
) {
    if let Some(name) = value.get("$ref").and_then(|name| name.as_str()) {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        if !schemas.contains_key(name) {
            untyped.push(format!("{at} refers to {name}"));
        }
        return;
    }
    let is_object = value
        .get("type")
        .is_some_and(|kind| kind == "object" || kind.to_string().contains("\"object\""));
    let has_fields = ["properties", "additionalProperties"]
        .iter()
        .any(|key| value.get(key).is_some());
    let empty_schema = value
        .get("schema")
        .is_some_and(|schema| schema.as_object().is_some_and(serde_json::Map::is_empty));
    if (is_object && !has_fields) || empty_schema {
        untyped.push(at.to_owned());
    }
    match value {
        serde_json::Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(key, value)| look(value, &format!("{at}/{key}"), schemas, untyped));
        }
        serde_json::Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(place, value)| look(value, &format!("{at}/{place}"), schemas, untyped));
        }
        _ => {}
    }
}
