//! Annotated conversations: what `annals import` takes besides lines, `annals eval` measures with
//! and `annals demo` shows.

use std::path::Path;

use annals::blocking::Memory;
use annals::{Conversation, Conversations, MemoryId, TURN_ID, Value};

use crate::app::{App, Record};
use crate::failure::Failure;
use crate::texts::{found, text};

const SAMPLE: &str = include_str!("../data/sample.json");

/// The form of a data set.
const DATA_SET: &str =
    "{\"conversations\": [{\"id\", \"turns\": [{\"id\", \"session\", \"text\"}], \"questions\"}]}";

/// The conversation that comes with the program.
pub(crate) fn sample() -> Result<Conversations, Failure> {
    parse(SAMPLE.as_bytes(), Path::new(&text!("common-sample")))
}

/// Stores the turns of a conversation in a namespace of its name, unless they are there; answers
/// how many it has.
pub(crate) fn fill(memory: &Memory, conversation: &Conversation) -> Result<usize, Failure> {
    let turns = conversation.memories()?;
    let count = turns.len();
    if !memory
        .namespaces()?
        .iter()
        .any(|namespace| namespace.name == conversation.id)
    {
        memory.namespace(&conversation.id)?.bulk().remember(turns)?;
    }
    Ok(count)
}

/// Reads a document of conversations.
pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Conversations, Failure> {
    Conversations::parse(bytes).map_err(|error| {
        Failure::invalid(text!("common-no-data-set", path = path.display(), error))
            .advice(text!("common-form", form = DATA_SET))
            .at(path, error.import_line())
    })
}

/// Says which fields of the turns mean nothing here, so that a misspelt one is seen.
pub(crate) fn note_unknown(read: &Conversations, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let fields = read.unknown_fields();
    if fields.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = fields
        .into_iter()
        .take(8)
        .map(|name| format!("{name:?}"))
        .collect();
    app.note(&text!("common-unknown-fields", names = names.join(", ")))
}

/// Says what of the messages became no turn.
pub(crate) fn note_left_out(read: &Conversations, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let word = |what: &str| {
        found(&format!("transfer-left-{}", what.replace(' ', "-")), &[])
            .unwrap_or_else(|| what.to_owned())
    };
    let told: Vec<String> = read
        .left_out()
        .map(|(what, count)| text!("transfer-left-count", what = word(what), count))
        .collect();
    if told.is_empty() {
        Ok(())
    } else {
        app.note(&text!(
            "common-not-stored",
            told = told.join(&text!("common-comma"))
        ))
    }
}

/// The id that a memory has in its data set; its own where it came from elsewhere.
pub(crate) fn turn_id(id: MemoryId, memory: &Record) -> String {
    match memory.body.metadata.get(TURN_ID) {
        Some(Value::Text(text)) => text.clone(),
        _ => id.to_string(),
    }
}
