//! JSON objects with a text: lines of them, or a list.

use std::collections::BTreeMap;

use annals_engine::Error;
use serde_json::Value;

use super::columns::{self, Columns};
use super::dates::OrderVotes;
use super::outline::Outline;
use super::reading::{Reading, free, label};
use super::{paths, record};
use crate::json::{JsonFault, Kind};
use crate::turn::ConversationTurn;

const LISTS: [&str; 6] = ["memories[]", "items[]", "data[]", "results[]", "records[]", "entries[]"];
const FIELDS: [&str; 6] = ["memories", "items", "data", "results", "records", "entries"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &FIELDS).and_then(Value::as_object).is_some_and(|first| {
        let is_text =
            |name: &str| first.get(name).is_some_and(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        ["text", "content", "memory", "fact", "note", "内容", "文本"].iter().any(|name| is_text(name))
    })
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    let first = record(reading.outline, &FIELDS).and_then(Value::as_object);
    let there: Vec<String> = first.into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let columns = Columns::of(&there, &reading.options.columns)?.or_named();
    let mut votes = OrderVotes::default();
    if let Some(field) = columns.column("time") {
        let zone = reading.zone.clone();
        // What is no JSON is refused when it is read again.
        let before = std::mem::take(&mut reading.summary.bad);
        let counted = reading.each(&entered, &mut |_, _, value, _| {
            let time = value.get(field).and_then(Value::as_str);
            time.into_iter().for_each(|time| columns::count_order(&mut votes, &zone, time));
            Ok(())
        });
        reading.summary.bad = before;
        drop(counted);
    }
    let order = votes.order(reading.options.date_order)?;
    reading.each(&entered, &mut |reading, path, value, place| {
        let is_record = path.is_empty() || path.ends_with("[]");
        let Some(object) = value.as_object().filter(|_| is_record) else { return Ok(()) };
        // A turn in the normal form, as an export writes it behind memories.
        if object.contains_key("session")
            && let Ok(turn) = crate::json::read_value::<ConversationTurn>(value.clone())
            && turn.unknown_fields().next().is_none()
        {
            return reading.turns_of(vec![turn]);
        }
        let texts: BTreeMap<&str, String> =
            object.iter().filter_map(|(name, value)| Some((name.as_str(), plain(value)?))).collect();
        let values = columns::values(&columns, |column| texts.get(column).map(String::as_str));
        if !values.contains_key("text") {
            let fault = JsonFault::Missing { field: columns.column("text").unwrap_or_default().to_owned() };
            return reading.refuse(place.line, &fault, value.to_string().into_bytes());
        }
        let time = match columns.column("time").and_then(|field| object.get(field)).filter(|time| !time.is_null()) {
            Some(written) => {
                let text = written.as_str().and_then(|text| columns::moment(text, &reading.zone, order));
                match text.or_else(|| crate::written::moment(written)) {
                    Some(time) => Some(time),
                    None => {
                        let fault = JsonFault::of_kind(columns.column("time").unwrap_or_default(), written, Kind::Time);
                        return reading.refuse(place.line, &fault, value.to_string().into_bytes());
                    }
                }
            }
            None => None,
        };
        let others = object.iter().filter(|(name, value)| !columns.takes(name) && !value.is_null());
        let others = others.map(|(name, value)| (label(name), free(value))).filter(|(name, _)| !name.is_empty());
        let mut others: annals_types::Metadata = others.collect();
        // What a program keeps in a field of its own for it.
        if let Some(annals_types::Value::Map(inner)) = others.get("metadata").cloned() {
            others.remove("metadata");
            others.extend(inner);
        }
        columns::take(reading, (&values, others), time)
    })
}

/// A value as a text; lists of texts with commas between them.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(entries) => Some(entries.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")),
        _ => None,
    }
}
