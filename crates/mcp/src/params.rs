//! Parameters of requests that the library does not read: what is wrong with them.

use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, InitializeRequestParams, PaginatedRequestParams,
    ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads parameters of one type.
type Reader = fn(Value) -> Result<(), serde_json::Error>;
/// Whether a field has the type that it must have.
type Fits = fn(&Value) -> bool;

/// What is wrong with the parameters of a method that there is; none where there is no such method.
pub(crate) fn fault(method: &str, params: Option<Value>) -> Option<String> {
    let (read, needed): (Reader, bool) = match method {
        "tools/call" => (read::<CallToolRequestParams>, true),
        "resources/read" => (read::<ReadResourceRequestParams>, true),
        "prompts/get" => (read::<GetPromptRequestParams>, true),
        "initialize" => (read::<InitializeRequestParams>, true),
        "tools/list" | "resources/list" | "prompts/list" => (read::<PaginatedRequestParams>, false),
        _ => return None,
    };
    let params = match params {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) if needed => return Some("params are missing".to_owned()),
        None => return Some("the params are wrong".to_owned()),
        Some(other) => {
            return Some(format!(
                "params must be an object, and are {}",
                shown(&other)
            ));
        }
    };
    // The library says of these only that another type was expected, and not where.
    let wanted: [(&str, &str, Fits); 3] = [
        ("name", "a text", Value::is_string),
        ("uri", "a text", Value::is_string),
        ("arguments", "an object", |given| {
            given.is_object() || given.is_null()
        }),
    ];
    for (field, kind, fits) in wanted {
        if let Some(given) = params.get(field).filter(|given| !fits(given)) {
            return Some(format!("{field} must be {kind}, and is {}", shown(given)));
        }
    }
    let wrong = read(Value::Object(params)).err();
    Some(wrong.map_or_else(
        || "the params are wrong".to_owned(),
        |error| error.to_string(),
    ))
}

fn read<T: DeserializeOwned>(params: Value) -> Result<(), serde_json::Error> {
    serde_json::from_value::<T>(params).map(drop)
}

fn shown(value: &Value) -> String {
    crate::shown::line(&value.to_string(), 60).0
}
