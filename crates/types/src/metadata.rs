use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::label::check_label;

/// Free fields of a memory, by name.
pub type Metadata = BTreeMap<String, Value>;

/// How deep a metadata value may be nested.
pub const MAX_METADATA_DEPTH: usize = 16;
pub(crate) const MAX_KEYS: usize = 256;
const MAX_KEY_BYTES: usize = 256;

/// A metadata value: the shapes of JSON, with integers kept apart from fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Named values.
    Map(BTreeMap<String, Value>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

pub(crate) fn check_metadata(metadata: &Metadata) -> Result<(), InvalidValue> {
    if metadata.len() > MAX_KEYS {
        return Err(InvalidValue::TooMany {
            field: "metadata",
            count: metadata.len(),
            limit: MAX_KEYS,
        });
    }
    for (key, value) in metadata {
        check_label("metadata key", key, MAX_KEY_BYTES)?;
        if depth_exceeds(value, MAX_METADATA_DEPTH) {
            return Err(InvalidValue::TooDeep {
                key: key.clone(),
                limit: MAX_METADATA_DEPTH,
            });
        }
        if !finite(value) {
            return Err(InvalidValue::OutOfRange {
                field: "metadata",
                value: f64::NAN,
                min: f64::MIN,
                max: f64::MAX,
            });
        }
    }
    Ok(())
}

fn depth_exceeds(value: &Value, left: usize) -> bool {
    match value {
        Value::List(items) => left == 0 || items.iter().any(|v| depth_exceeds(v, left - 1)),
        Value::Map(items) => left == 0 || items.values().any(|v| depth_exceeds(v, left - 1)),
        _ => false,
    }
}

fn finite(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::List(items) => items.iter().all(finite),
        Value::Map(items) => items.values().all(finite),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_integers_and_refuses_depth_and_infinity() {
        let read: Metadata =
            serde_json::from_str(r#"{"n": 3, "x": 3.5, "l": [true, null]}"#).unwrap();
        assert_eq!(read["n"], Value::Int(3));
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            r#"{"l":[true,null],"n":3,"x":3.5}"#
        );
        assert!(check_metadata(&read).is_ok());
        let deep = (0..20).fold(Value::Null, |inner, _| Value::List(vec![inner]));
        assert!(check_metadata(&Metadata::from([("d".to_owned(), deep)])).is_err());
        assert!(
            check_metadata(&Metadata::from([(
                "f".to_owned(),
                Value::Float(f64::INFINITY)
            )]))
            .is_err()
        );
    }
}
