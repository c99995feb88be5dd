//! A list of texts: each becomes a memory.

use annals_engine::Error;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{Fact, Reading};

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    match values.as_slice() {
        // What is null, or cannot be read, is left out.
        [Value::Array(entries)] => {
            entries.first().is_some_and(Value::is_string)
                && entries
                    .iter()
                    .all(|entry| entry.is_string() || entry.is_null())
        }
        lines => !lines.is_empty() && lines.iter().all(Value::is_string),
    }
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    reading.each(&["[]"], &mut |reading, _, value| match value {
        Value::String(words) => reading.memory(Fact::new(words)),
        _ => {
            reading.leave("entries that are no texts");
            Ok(())
        }
    })
}
