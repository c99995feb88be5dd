//! JSON as models write it.

mod find;
mod lenient;

pub(crate) use find::{all, find, is_cut, is_whole};

use serde_json::Value;

/// A text that stands in a field under one of several names.
pub(crate) fn text<'a>(value: &'a Value, names: &[&str]) -> Option<&'a str> {
    field(value, names)?
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// A field under one of several names; names differ by more than case only.
pub(crate) fn field<'a>(value: &'a Value, names: &[&str]) -> Option<&'a Value> {
    let object = value.as_object()?;
    let exact = names.iter().find_map(|name| object.get(*name));
    exact.or_else(|| {
        object
            .iter()
            .find(|(key, _)| names.iter().any(|n| key.trim().eq_ignore_ascii_case(n)))
            .map(|(_, v)| v)
    })
}

/// A number, also one that stands in quotes.
pub(crate) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}
