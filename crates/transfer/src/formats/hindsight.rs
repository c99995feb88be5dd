//! Memories of Hindsight: pages of its list and answers of `recall`, and the documents and
//! observations in the archives that it exports.

use annals_engine::Error;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{DELETED_MEMORIES, Fact, Reading, first_text, free, id, list, text};
use super::{paths, record};
use crate::json::JsonFault;

const FIELDS: [&str; 4] = ["items", "results", "memories", "facts"];
const LISTS: [&str; 4] = ["items[]", "results[]", "memories[]", "facts[]"];

/// The sorts of facts.
const SORTS: [&str; 4] = ["world", "experience", "opinion", "observation"];

pub(super) fn tells(outline: &Outline) -> bool {
    record(outline, &FIELDS)
        .is_some_and(|first| is_fact(first) || is_observation(first) || is_document(first))
}

fn is_fact(value: &Value) -> bool {
    let known = [
        "mentioned_at",
        "occurred_start",
        "chunk_id",
        "document_id",
        "context",
        "date",
        "entities",
    ];
    text(value, "text").is_some()
        && sort(value).is_some()
        && known.iter().any(|name| value.get(name).is_some())
}

/// A conclusion out of several facts, as an archive holds it.
fn is_observation(value: &Value) -> bool {
    text(value, "text").is_some()
        && value.get("proof_count").is_some()
        && value.get("sources").is_some()
}

/// A document of an archive of which no fact was made.
fn is_document(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("facts") && has("chunks") && (has("original_text") || has("retain_params"))
}

fn sort(value: &Value) -> Option<&str> {
    first_text(value, &["fact_type", "type"]).filter(|sort| SORTS.contains(sort))
}

/// The fields of a fact that are kept as free fields of the same name.
const KEPT: [&str; 7] = [
    "context",
    "mentioned_at",
    "occurred_start",
    "occurred_end",
    "document_id",
    "chunk_id",
    "proof_count",
];

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let entered = paths(reading.first(), &LISTS);
    // A document is named before its facts, which have places in it.
    let (mut document, mut place_in_it) = (None, 0);
    reading.each(&entered, &mut |reading, path, value| {
        match path {
            "id" => (document, place_in_it) = (value.as_str().map(str::to_owned), 0),
            "original_text" if !value.is_null() => reading.leave("texts of documents"),
            _ => {}
        }
        let is_record = path.is_empty() || path.ends_with("[]");
        if !is_record || is_document(&value) {
            return Ok(());
        }
        place_in_it += 1;
        let Some(words) = text(&value, "text") else {
            let fault = JsonFault::Missing {
                field: "text".to_owned(),
            };
            return reading.refuse_record(&fault);
        };
        if text(&value, "state").is_some_and(|state| state != "valid") {
            reading.leave(DELETED_MEMORIES);
            return Ok(());
        }
        let document = if path == "facts[]" {
            document.as_deref()
        } else {
            None
        };
        let mut fact = fact(reading, &value, words);
        let within = || Some(format!("{}/{place_in_it}", document?));
        fact.id = id(&value, "id")
            .or_else(|| id(&value, "source_id"))
            .or_else(within);
        fact.field("document_id", document);
        entities(reading, value.get("entities"))?;
        reading.memory(fact)
    })
}

fn fact(reading: &Reading<'_>, value: &Value, words: &str) -> Fact {
    let mut fact = Fact::new(words);
    // What happened counts before when it was told.
    fact.time = reading.time(
        value,
        &[
            "occurred_start",
            "mentioned_at",
            "date",
            "event_date",
            "created_at",
        ],
    );
    fact.tags = list(value, "tags")
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let own = value
        .get("metadata")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let own = own.map(|(name, value)| (name.as_str(), value));
    let kept = KEPT
        .iter()
        .filter_map(|name| Some((*name, value.get(name)?)));
    for (name, value) in own.chain(kept).filter(|(_, value)| !value.is_null()) {
        fact.metadata.insert(name.to_owned(), free(value));
    }
    fact.field("fact_type", sort(value));
    fact.metadata.retain(|name, _| {
        !name.is_empty() && name.len() <= 256 && !name.contains(char::is_control)
    });
    fact
}

/// The entities of a fact: names in a list, or `Alice (PERSON), Google (ORGANIZATION)` in a text.
fn entities(reading: &mut Reading<'_>, told: Option<&Value>) -> Result<(), Error> {
    match told {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .try_for_each(|name| entity(reading, name, None)),
        Some(Value::String(names)) => names.split("), ").try_for_each(|named| {
            match named.trim_end_matches(')').rsplit_once(" (") {
                Some((name, kind)) => entity(reading, name, Some(&kind.to_lowercase())),
                None => named
                    .split(", ")
                    .try_for_each(|name| entity(reading, name, None)),
            }
        }),
        _ => Ok(()),
    }
}

fn entity(reading: &mut Reading<'_>, name: &str, kind: Option<&str>) -> Result<(), Error> {
    if name.trim().is_empty() {
        Ok(())
    } else {
        reading.entity(name.trim(), kind)
    }
}
