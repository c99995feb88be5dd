//! Ids and times as others write them.

use annals_types::Timestamp;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::json::Kind;

/// Smaller numbers count seconds, up to the year 5138; greater ones milliseconds.
const MOST_SECONDS: f64 = 1e11;

/// An id: a text, or a number.
pub(super) fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        other => Err(D::Error::invalid_value(
            Unexpected::Other(&other.to_string()),
            &Kind::Id,
        )),
    }
}

/// A time, as [`moment`] reads it.
pub(super) fn time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Timestamp>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        value => {
            let wrong =
                || D::Error::invalid_value(Unexpected::Other(&value.to_string()), &Kind::Time);
            moment(&value).map(Some).ok_or_else(wrong)
        }
    }
}

/// A time: RFC 3339 or a part of it, also with a space in the place of the `T`; or seconds or
/// milliseconds since 1970, as a number or a text.
pub(super) fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => number.as_f64().map(counted),
        Value::String(text) => written(text.trim()),
        _ => None,
    }
}

fn written(text: &str) -> Option<Timestamp> {
    let parsed = || text.parse().ok();
    // "2026-01-31 18:00:00 +01:00", "2026-01-31 18:00:00 UTC"
    let joined = || {
        let text = text
            .strip_suffix("UTC")
            .map_or_else(|| text.to_owned(), |rest| format!("{}Z", rest.trim_end()));
        let (date, time) = text.split_once(' ')?;
        format!("{date}T{}", time.replace(' ', "")).parse().ok()
    };
    parsed().or_else(joined).or_else(|| {
        text.parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map(counted)
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes the nearest whole number"
)]
fn counted(number: f64) -> Timestamp {
    let millis = if number.abs() < MOST_SECONDS {
        number * 1000.0
    } else {
        number
    };
    Timestamp::from_millis(millis as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (value, told) in [
            (json!("2026-01-01T10:00:00+02:00"), "2026-01-01T08:00:00Z"),
            (json!("2026-01-01 10:00:00"), "2026-01-01T10:00:00Z"),
            (json!("2026-01-01 10:00:00 +02:00"), "2026-01-01T08:00:00Z"),
            (
                json!("2026-01-01 10:00:00.5 UTC"),
                "2026-01-01T10:00:00.500Z",
            ),
            (json!(1_767_261_600), "2026-01-01T10:00:00Z"),
            (json!(1_767_261_600_000_i64), "2026-01-01T10:00:00Z"),
            (json!("1767261600"), "2026-01-01T10:00:00Z"),
        ] {
            assert_eq!(moment(&value).unwrap().to_string(), told, "{value}");
        }
        for bad in [
            json!("noon"),
            json!(true),
            json!({}),
            json!("nan"),
            json!(""),
        ] {
            assert_eq!(moment(&bad), None, "{bad}");
        }
    }
}
