//! The forms of annals itself, messages, and transcripts: their readers stand elsewhere.

use annals_engine::Error;
use serde_json::Value;

use super::outline::Outline;
use super::reading::Reading;
use crate::conversation::Conversations;
use crate::json;
use crate::lines::Refused;
use crate::messages::{ListReader, MessageDocument};
use crate::transcripts::{Transcript, TranscriptFormat, TranscriptPosition};
use crate::turn::ConversationTurn;

pub(super) fn values(outline: &Outline) -> &[Value] {
    if let Outline::Json(values) = outline {
        values
    } else {
        &[]
    }
}

/// The lines of an export are told by fields that no other program writes together.
pub(super) fn tells_export(outline: &Outline) -> bool {
    let names = [
        "merge",
        "link",
        "derivation",
        "decision",
        "suspicion",
        "parted",
        "stale",
        "work",
        "brought",
        "extension",
    ];
    values(outline)
        .iter()
        .filter_map(Value::as_object)
        .any(|line| {
            let has = |name: &str| line.contains_key(name);
            has("revisions")
                || has("profile") && line.len() <= 2
                || has("entity") && has("born")
                || has("entity") && line.get("entity").is_some_and(Value::is_object)
                || has("memory") && (has("states") || has("said"))
                || line
                    .keys()
                    .next()
                    .is_some_and(|first| names.contains(&first.as_str()))
                    && line.len() <= 6
        })
}

pub(super) fn read_export(_reading: &mut Reading<'_>) -> Result<(), Error> {
    Err(Error::bad_input(
        "an export of annals holds more than records: it is imported by itself",
    ))
}

pub(super) fn tells_turns(outline: &Outline) -> bool {
    let is_turn = |line: &Value| line.get("session").is_some() && line.get("content").is_none();
    let is_line = |line: &&Value| line.get("text").is_some() || line.get("session").is_some();
    let first = values(outline).iter().find(is_line);
    first.is_some_and(|line| {
        is_turn(line) && line.get("messages").is_none() && line.get("turns").is_none()
    })
}

pub(super) fn read_turns(reading: &mut Reading<'_>) -> Result<(), Error> {
    reading.each(
        &["[]"],
        &mut |reading, _, value| match json::read_value::<ConversationTurn>(value) {
            Ok(turn) => reading.turns_of(vec![turn]),
            Err(fault) => reading.refuse_record(&fault),
        },
    )
}

pub(super) fn tells_conversations(outline: &Outline) -> bool {
    values(outline).first().is_some_and(|document| {
        let inner = document.get("conversations").and_then(Value::as_array);
        document.get("turns").is_some_and(Value::is_array)
            || inner.is_some_and(|inner| {
                inner
                    .first()
                    .is_none_or(|first| first.get("turns").is_some())
            })
    })
}

pub(super) fn read_conversations(reading: &mut Reading<'_>) -> Result<(), Error> {
    let read = Conversations::parse(&whole(reading)?)?;
    read.conversations
        .into_iter()
        .try_for_each(|conversation| reading.turns_of(conversation.turns))
}

pub(super) fn tells_messages(outline: &Outline) -> bool {
    values(outline)
        .first()
        .is_some_and(crate::messages::is_of_messages)
}

/// Messages of a long file that are read at a time, about.
const AT_A_TIME: usize = 10_000;

pub(super) fn read_messages(reading: &mut Reading<'_>) -> Result<(), Error> {
    let is_long = reading.file.is_long()?;
    let first = reading.first();
    let is_list = first.is_some_and(|first| match first {
        Value::Array(entries) => entries
            .first()
            .is_some_and(|entry| entry.is_array() || crate::dialects::is_chat(entry)),
        first => crate::dialects::is_chat(first),
    });
    if is_list && (is_long || reading.options.skip_bad) {
        return read_lists(reading);
    }
    if is_long || reading.options.skip_bad {
        return read_parts(reading, if is_long { AT_A_TIME } else { usize::MAX });
    }
    let read = Conversations::of_messages(&whole(reading)?, &reading.session_name())?;
    brought(reading, read, true)
}

/// Takes conversations; `ended` says that they do not go on.
fn brought(reading: &mut Reading<'_>, read: Conversations, ended: bool) -> Result<(), Error> {
    for (what, count) in &read.left_out {
        *reading.summary.left_out.entry(what).or_default() += count;
    }
    for conversation in read.conversations {
        reading.turns_of(conversation.turns)?;
        if ended {
            reading.end_session()?;
        }
    }
    Ok(())
}

/// The messages of a file, of which some may be refused; about so many at a time.
fn read_parts(reading: &mut Reading<'_>, at_a_time: usize) -> Result<(), Error> {
    let (mut document, mut held) = (MessageDocument::default(), 0);
    let session = reading.session_name();
    reading.each(&["[]"], &mut |reading, _, value| {
        // An answer takes up the calls of tools before it, so that parts begin with a question.
        if held >= at_a_time && crate::dialects::is_of_user(&value) {
            held = 0;
            let part = std::mem::replace(&mut document, MessageDocument::behind_others());
            brought(reading, part.conversations(&session)?, false)?;
        }
        held += 1;
        match document.take(value) {
            Ok(()) => Ok(()),
            Err(Refused { reason, .. }) => {
                let fault = crate::json::JsonFault::Other {
                    field: String::new(),
                    reason,
                };
                reading.refuse_record(&fault)
            }
        }
    })?;
    let read = document.conversations(&session)?;
    brought(reading, read, true)
}

/// The lists of a long file, one by one.
fn read_lists(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut lists = ListReader::default();
    let session = reading.session_name();
    let among = reading.first().is_some_and(Value::is_array);
    let entered: &[&str] = if among { &["[]"] } else { &[] };
    reading.each(
        entered,
        &mut |reading, _, value| match lists.read(value, &session, among) {
            Ok(read) => brought(reading, read, true),
            Err(Refused { reason, .. }) => {
                let fault = crate::json::JsonFault::Other {
                    field: String::new(),
                    reason,
                };
                reading.refuse_record(&fault)
            }
        },
    )
}

/// The agent whose transcript it is.
pub(super) fn transcript_of(outline: &Outline) -> Option<TranscriptFormat> {
    values(outline)
        .iter()
        .filter(|value| value.is_object())
        .find_map(TranscriptFormat::told_by)
}

pub(super) fn is_some_transcript(outline: &Outline) -> bool {
    transcript_of(outline).is_some()
}

pub(super) fn read_transcript(reading: &mut Reading<'_>) -> Result<(), Error> {
    let Some(format) = TranscriptFormat::named(reading.format()) else {
        return Ok(());
    };
    let (mut input, from) = (reading.file.open()?, TranscriptPosition::default());
    let read = Transcript::read_from(format, &mut *input, from, &reading.session_name())?;
    for (what, count) in read.sorts() {
        *reading.summary.left_out.entry(what).or_default() += count;
    }
    reading.turns_of(read.turns)
}

/// All of a file that is read at once.
fn whole(reading: &Reading<'_>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut *reading.file.open()?, &mut bytes);
    read.map_err(super::items::unreadable)?;
    Ok(bytes)
}
