//! Capture of a conversation: the part of the transcript behind the cursor.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use annals::blocking::{Memory, Namespace};
use annals::profile::ExtractTrigger;
use annals::{Conversation, ImportOptions, Injection, Role, Transcript, TranscriptPosition};

use crate::projects::EnabledProject;
use crate::repeats::{Shown, without_repeats};
use crate::session::{Cursor, ShownInSession, ShownMemory};
use crate::{Access, Call, Event, HookError, Hooks};

/// The most bytes of a transcript that one event reads; the next one goes on behind them.
const MOST_BYTES: u64 = 32 << 20;

pub(crate) fn run(
    hooks: &Hooks,
    call: &Call,
    project: &EnabledProject,
    open: &mut dyn FnMut(Access) -> Result<Option<Memory>, HookError>,
) -> Result<(), HookError> {
    let before = hooks.shown(call)?;
    let kept = read_on(hooks, call, project, open, &before);
    // Whether or not it was kept, nothing of it is before the model any more.
    if call.event == Event::Compact {
        hooks.change_shown(call, |shown| shown.begin_anew(&before))?;
    }
    kept
}

fn read_on(
    hooks: &Hooks,
    call: &Call,
    project: &EnabledProject,
    open: &mut dyn FnMut(Access) -> Result<Option<Memory>, HookError>,
    shown: &ShownInSession,
) -> Result<(), HookError> {
    // A session in which nothing was said has none.
    let Some(path) = call.transcript.as_deref() else {
        return Ok(());
    };
    if !path
        .try_exists()
        .map_err(HookError::file("look for", path))?
    {
        return Ok(());
    }
    let Some(memory) = open(Access::Keep)? else {
        return Ok(());
    };
    keep(hooks, (call, path), project, &memory, shown)?;
    let session = memory
        .namespace(&project.namespace)?
        .session(call.session.as_str());
    match call.event {
        Event::Compact => session.extract_at(ExtractTrigger::Compress)?,
        Event::End => session.extract_at(ExtractTrigger::SessionEnd)?,
        _ => false,
    };
    if shown.unnoted.is_empty() {
        Ok(())
    } else {
        note_injections(hooks, call, &memory)
    }
}

/// Notes in the database what earlier hooks of the session put into prompts.
fn note_injections(hooks: &Hooks, call: &Call, memory: &Memory) -> Result<(), HookError> {
    let unnoted = hooks.change_shown(call, |shown| std::mem::take(&mut shown.unnoted))?;
    let note = |(name, injection): (String, Injection)| -> Result<(), annals::Error> {
        memory
            .namespace(&name)?
            .lifecycle()
            .note_injection(injection)
    };
    // One that cannot be noted takes no other with it.
    let noted: Vec<_> = unnoted.into_iter().map(note).collect();
    Ok(noted.into_iter().collect::<Result<(), _>>()?)
}

/// Keeps what the transcript says behind the cursor.
fn keep(
    hooks: &Hooks,
    (call, path): (&Call, &Path),
    project: &EnabledProject,
    memory: &Memory,
    shown: &ShownInSession,
) -> Result<(), HookError> {
    let namespace = memory.namespace(&project.namespace)?;
    let session = namespace.session(call.session.as_str());
    let began = hooks.cursor(call)?;
    let mut cursor = began.clone();
    // Another database stands here now, or another transcript: turns are recognised by their ids.
    let is_other = cursor.stored && session.turns(0, 1)?.is_empty();
    if cursor.transcript != path || is_other {
        cursor = Cursor {
            transcript: path.to_owned(),
            ..Cursor::default()
        };
    }
    let bytes = behind(path, &mut cursor)?;
    let from = TranscriptPosition {
        bytes: cursor.bytes,
        lines: cursor.lines,
    };
    let mut read = Transcript::read(call.host.transcripts(), &bytes, from, &call.session)?;
    (cursor.bytes, cursor.lines) = (read.position.bytes, read.position.lines);
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length == MOST_BYTES && cursor.bytes == from.bytes {
        // A line that is longer than anything anybody says: it is passed over, piece by piece.
        cursor.bytes = cursor.bytes.saturating_add(length);
    }
    cursor.message = read
        .turns
        .last()
        .and_then(|turn| turn.id.clone())
        .or(cursor.message);
    let enabled = namespace.admin().settings()?.surface.enabled;
    if !enabled || session.is_temporary()? {
        // The cursor moves all the same: what is said now is not kept later either.
        return hooks.move_cursor(call, &began, &cursor);
    }
    // Turns from before the project was enabled are the user's to import.
    read.turns
        .retain(|turn| turn.time.is_none_or(|time| time >= project.since));
    let repeated = take_repeats(&mut read, memory, shown)?;
    let mut conversation = read.into_conversation();
    conversation.id.clone_from(&call.session);
    for turn in &mut conversation.turns {
        turn.session.clone_from(&call.session);
    }
    let refused = store(&namespace, &conversation, &mut cursor)?;
    if !repeated.is_empty() {
        for used in hooks.change_shown(call, |shown| shown.mark_used(repeated))? {
            memory.namespace(&used.namespace)?.touch(&[used.id])?;
        }
    }
    hooks.move_cursor(call, &began, &cursor)?;
    refused.map_or(Ok(()), |error| Err(error.into()))
}

/// Stores turns. Where the profile refuses some, the others are stored; answers the first refusal.
fn store(
    namespace: &Namespace,
    conversation: &Conversation,
    cursor: &mut Cursor,
) -> Result<Option<annals::Error>, HookError> {
    if conversation.turns.is_empty() {
        return Ok(None);
    }
    let mut import = |part: &Conversation| -> Result<(), annals::Error> {
        let report = namespace.transfer().import_conversation(
            part,
            &ImportOptions::default(),
            &mut |_| (),
        )?;
        cursor.stored |= report.stored + report.already_there > 0;
        Ok(())
    };
    match import(conversation) {
        Err(error) if error.is_invalid() => {}
        done => return Ok(done.map(|()| None)?),
    }
    let mut refused = None;
    for turn in &conversation.turns {
        match import(&Conversation::of_turns(vec![turn.clone()])) {
            Err(error) if error.is_invalid() => refused = refused.or(Some(error)),
            done => done?,
        }
    }
    Ok(refused)
}

/// The bytes of a transcript behind the cursor; all of them where it was written anew.
fn behind(path: &Path, cursor: &mut Cursor) -> Result<Vec<u8>, HookError> {
    let failed = || HookError::file("read", path);
    // A pipe is not waited for.
    let mut file = annals_private::open_regular(path).map_err(failed())?;
    let data = file.metadata().map_err(failed())?;
    if data.len() < cursor.bytes {
        (cursor.bytes, cursor.lines) = (0, 0);
    }
    file.seek(SeekFrom::Start(cursor.bytes)).map_err(failed())?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(failed())?;
    Ok(bytes)
}

/// Takes repetitions of shown memories out of the answers; answers which memories were repeated.
fn take_repeats(
    read: &mut Transcript,
    memory: &Memory,
    shown: &ShownInSession,
) -> Result<Vec<ShownMemory>, HookError> {
    let mut looked_for = Vec::with_capacity(shown.memories.len());
    for one in &shown.memories {
        let stored = memory.namespace(&one.namespace)?.get(one.id)?;
        looked_for.push(stored.and_then(|stored| Shown::of(&stored.body.text)));
    }
    let mut repeated = Vec::new();
    for turn in read
        .turns
        .iter_mut()
        .filter(|turn| turn.role == Some(Role::Assistant))
    {
        let (kept, places) = without_repeats(&turn.text, &looked_for);
        turn.text = kept;
        repeated.extend(
            places
                .into_iter()
                .filter_map(|place| shown.memories.get(place).cloned()),
        );
    }
    read.turns.retain(|turn| !turn.is_silent());
    Ok(repeated)
}
