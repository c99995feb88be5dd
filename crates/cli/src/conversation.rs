//! Annotated conversations: what `annals import` takes besides lines, `annals eval` measures with
//! and `annals demo` shows.

use std::path::Path;

use annals::{Conversations, MemoryId, TURN_ID, Value};

use crate::app::{App, Record};
use crate::failure::Failure;

const SAMPLE: &str = include_str!("../data/sample.json");

/// The conversation that comes with the program.
pub(crate) fn sample() -> Result<Conversations, Failure> {
    parse(SAMPLE.as_bytes(), Path::new("the sample"))
}

/// Reads a document of conversations.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Conversations, Failure> {
    Conversations::parse(bytes).map_err(|error| {
        Failure::invalid(format!("{} is no data set: {error}", path.display()))
            .advice(
                "the form is {\"conversations\": [{\"id\", \"turns\": [{\"id\", \"session\", \
                \"text\"}], \"questions\"}]}",
            )
            .at(path, error.import_line())
    })
}

/// Says which fields of the turns mean nothing here, so that a misspelt one is seen.
pub(crate) fn note_unknown(read: &Conversations, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let fields = read.unknown_fields();
    if fields.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = fields.into_iter().take(8).map(|name| format!("{name:?}")).collect();
    app.note(&format!("fields of turns that mean nothing here are passed over: {}", names.join(", ")))
}

/// Says what of the messages became no turn.
pub(crate) fn note_left_out(read: &Conversations, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let told: Vec<String> = read.left_out().map(|(what, count)| format!("{what}: {count}")).collect();
    if told.is_empty() { Ok(()) } else { app.note(&format!("not stored: {}", told.join(", "))) }
}

/// The id that a memory has in its data set; its own where it came from elsewhere.
pub(crate) fn turn_id(id: MemoryId, memory: &Record) -> String {
    match memory.body.metadata.get(TURN_ID) {
        Some(Value::Text(text)) => text.clone(),
        _ => id.to_string(),
    }
}
