//! JSON objects with a text: lines of them, or a list.

use std::borrow::Cow;
use std::collections::BTreeMap;

use annals_engine::Error;
use serde_json::Value;

use super::columns::{self, Columns};
use super::dates::OrderVotes;
use super::outline::Outline;
use super::reading::{Reading, free, label};
use super::record::DateOrder;
use super::{paths, record};
use crate::json::{JsonFault, Kind};
use crate::turn::ConversationTurn;

const LISTS: [&str; 6] = [
    "memories[]",
    "items[]",
    "data[]",
    "results[]",
    "records[]",
    "entries[]",
];
const FIELDS: [&str; 6] = ["memories", "items", "data", "results", "records", "entries"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &FIELDS)
        .and_then(Value::as_object)
        .is_some_and(|first| {
            let is_text = |name: &str| {
                first
                    .get(name)
                    .is_some_and(|value| value.as_str().is_some_and(|text| !text.is_empty()))
            };
            ["text", "content", "memory", "fact", "note", "内容", "文本"]
                .iter()
                .any(|name| is_text(name))
        })
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    let first = record(reading.outline, &FIELDS).and_then(Value::as_object);
    let there: Vec<String> = first
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    let columns = Columns::of(&there, &reading.options.columns)?.or_named();
    let mut order: Option<DateOrder> = None;
    reading.each(&entered, &mut |reading, path, value| {
        let is_record = path.is_empty() || path.ends_with("[]");
        let Some(object) = value.as_object().filter(|_| is_record) else {
            return Ok(());
        };
        // A turn in the normal form, as an export writes it behind memories.
        if object.contains_key("session")
            && let Ok(turn) = crate::json::read_value::<ConversationTurn>(value.clone())
            && turn.unknown_fields().next().is_none()
        {
            return reading.turns_of(vec![turn]);
        }
        let texts: BTreeMap<&str, Cow<'_, str>> = object
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), plain(value)?)))
            .collect();
        let values = columns::values(&columns, |column| texts.get(column).map(AsRef::as_ref));
        if !values.contains_key("text") {
            let fault = JsonFault::Missing {
                field: columns.column("text").unwrap_or_default().to_owned(),
            };
            return reading.refuse_record(&fault);
        }
        let time = match columns
            .column("time")
            .and_then(|field| object.get(field))
            .filter(|time| !time.is_null())
        {
            Some(written) => {
                let field = columns.column("time").unwrap_or_default();
                let time = match written.as_str() {
                    Some(text) => match reading.zone.read(text) {
                        None => {
                            let order = decided(reading, &entered, field, &mut order)?;
                            columns::moment(text, &reading.zone, order)
                        }
                        read => read,
                    },
                    None => crate::written::moment(written),
                };
                if time.is_none() {
                    return reading.refuse_record(&JsonFault::of_kind(field, written, Kind::Time));
                }
                time
            }
            None => None,
        };
        let others = object
            .iter()
            .filter(|(name, value)| !columns.takes(name) && !value.is_null());
        let others = others
            .map(|(name, value)| (label(name), free(value)))
            .filter(|(name, _)| !name.is_empty());
        let mut others: annals_types::Metadata = others.collect();
        // What a program keeps in a field of its own for it.
        if let Some(annals_types::Value::Map(inner)) = others.get("metadata").cloned() {
            others.remove("metadata");
            others.extend(inner);
        }
        columns::take(reading, (&values, others), time)
    })
}

/// The order of day and month, decided over the whole file when the first date asks for it.
fn decided(
    reading: &mut Reading<'_>,
    entered: &[&str],
    field: &str,
    order: &mut Option<DateOrder>,
) -> Result<DateOrder, Error> {
    if let Some(order) = order {
        return Ok(*order);
    }
    let (mut votes, zone) = (OrderVotes::default(), reading.zone.clone());
    reading.look(entered, &mut |value| {
        let time = value.get(field).and_then(Value::as_str);
        time.into_iter()
            .for_each(|time| columns::count_order(&mut votes, &zone, time));
    })?;
    let told = votes.order(reading.options.date_order)?;
    *order = Some(told);
    Ok(told)
}

/// A value as a text; lists of texts with commas between them.
fn plain(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Array(entries) => Some(
            entries
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(",")
                .into(),
        ),
        _ => None,
    }
}
