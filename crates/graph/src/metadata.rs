//! Free fields of entities, evidence and links, stored as JSON.

use annals_types::{InvalidValue, MAX_METADATA_DEPTH, Metadata, Value};

use crate::GraphError;

/// The most that the free fields of one thing may take as JSON, in bytes.
pub const MAX_METADATA_BYTES: usize = 64 << 10;

/// The stored form; `None` for no fields.
pub(crate) fn to_json(metadata: &Metadata) -> Result<Option<String>, GraphError> {
    if metadata.is_empty() {
        return Ok(None);
    }
    for (key, value) in metadata {
        if !allowed(value, MAX_METADATA_DEPTH) {
            return Err(InvalidValue::TooDeep {
                key: key.clone(),
                limit: MAX_METADATA_DEPTH,
            }
            .into());
        }
    }
    let unwritable = |_| InvalidValue::BadLabel {
        field: "metadata",
        value: String::new(),
    };
    let json = serde_json::to_string(metadata).map_err(unwritable)?;
    if json.len() > MAX_METADATA_BYTES {
        let (bytes, limit) = (json.len(), MAX_METADATA_BYTES);
        return Err(InvalidValue::TooLong {
            field: "metadata",
            bytes,
            limit,
        }
        .into());
    }
    Ok(Some(json))
}

/// Whether a value is nested at most `left` levels deep and its numbers are finite.
fn allowed(value: &Value, left: usize) -> bool {
    match value {
        Value::List(items) => left > 0 && items.iter().all(|item| allowed(item, left - 1)),
        Value::Map(items) => left > 0 && items.values().all(|item| allowed(item, left - 1)),
        Value::Float(number) => number.is_finite(),
        _ => true,
    }
}

pub(crate) fn from_json(json: Option<&str>) -> Result<Metadata, String> {
    json.map_or_else(
        || Ok(Metadata::new()),
        |json| serde_json::from_str(json).map_err(|error| error.to_string()),
    )
}
