//! State beside memories: the scratchpad of a namespace, and the state of its conversations until
//! they end.

use std::ops::ControlFlow;

use annals_storage::table::Value;
use annals_storage::{Reads, Transaction};
use annals_types::{Completed, Label, Metadata, NamespaceId, Scratchpad, SessionState, Timestamp};

use crate::RecordError;
use crate::tables::{DIALOGUES, SCRATCHPADS};
use crate::wire::{Broken, Put, Take};

/// The stored form of a [`Scratchpad`].
pub(crate) enum StoredScratchpad {}

/// The stored form of a [`SessionState`].
pub(crate) enum StoredSessionState {}

impl Value for StoredScratchpad {
    type View<'a> = Scratchpad;

    fn encode(view: &Scratchpad, put: &mut Put) {
        optional(put, view.updated_at);
        put.text(&view.current_focus);
        put.length(view.active_projects.len());
        for project in &view.active_projects {
            put.text(project);
        }
        put.length(view.recent_completed.len());
        for done in &view.recent_completed {
            put.zigzag(done.completed_at.as_millis());
            put.text(&done.task);
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Scratchpad, Broken> {
        let mut take = Take::new(body);
        let (updated_at, current_focus) = (moment(&mut take)?, take.text()?.to_owned());
        let mut pad = Scratchpad {
            updated_at,
            current_focus,
            ..Scratchpad::default()
        };
        for _ in 0..take.count(1)? {
            pad.active_projects.push(take.text()?.to_owned());
        }
        for _ in 0..take.count(2)? {
            let completed_at = Timestamp::from_millis(take.zigzag()?);
            pad.recent_completed.push(Completed {
                task: take.text()?.to_owned(),
                completed_at,
            });
        }
        take.end()?;
        Ok(pad)
    }
}

impl Value for StoredSessionState {
    type View<'a> = SessionState;

    fn encode(view: &SessionState, put: &mut Put) {
        optional(put, view.ended_at);
        put.byte(u8::from(view.owes_episode));
        put.varint(u64::from(view.summarized_to));
        put.text(&view.current_task);
        // Names are texts and numbers are finite, which JSON can always say.
        put.text(&serde_json::to_string(&view.variables).unwrap_or_default());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<SessionState, Broken> {
        let mut take = Take::new(body);
        let state = SessionState {
            ended_at: moment(&mut take)?,
            owes_episode: match take.byte()? {
                0 => false,
                1 => true,
                _ => return Err(Broken("whether an episode is owed is unknown")),
            },
            summarized_to: take.varint32()?,
            current_task: take.text()?.to_owned(),
            variables: serde_json::from_str::<Metadata>(take.text()?)
                .map_err(|_| Broken("the variables of a session are no JSON"))?,
        };
        take.end()?;
        Ok(state)
    }
}

fn optional(put: &mut Put, moment: Option<Timestamp>) {
    put.byte(u8::from(moment.is_some()));
    if let Some(moment) = moment {
        put.zigzag(moment.as_millis());
    }
}

fn moment(take: &mut Take<'_>) -> Result<Option<Timestamp>, Broken> {
    match take.byte()? {
        0 => Ok(None),
        1 => Ok(Some(Timestamp::from_millis(take.zigzag()?))),
        _ => Err(Broken("a moment has an unknown form")),
    }
}

/// The scratchpad of a namespace; an empty one where nothing was ever put on it.
///
/// # Errors
/// When it cannot be read.
pub fn scratchpad(reads: &dyn Reads, ns: NamespaceId) -> Result<Scratchpad, RecordError> {
    Ok(SCRATCHPADS.get(reads, ns)?.unwrap_or_default())
}

/// Replaces the scratchpad of a namespace.
///
/// # Errors
/// When it cannot be written.
pub fn set_scratchpad(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    pad: &Scratchpad,
) -> Result<(), RecordError> {
    Ok(SCRATCHPADS.put(txn, ns, pad)?)
}

/// The state of a conversation; the default where none is stored.
///
/// # Errors
/// When it cannot be read.
pub fn session_state(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &Label,
) -> Result<SessionState, RecordError> {
    Ok(DIALOGUES
        .get(reads, (ns, session.as_str()))?
        .unwrap_or_default())
}

/// Replaces what is kept of a conversation; the default is not stored.
///
/// # Errors
/// When it cannot be written.
pub fn set_session_state(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    session: &Label,
    state: &SessionState,
) -> Result<(), RecordError> {
    if *state == SessionState::default() {
        DIALOGUES.delete(txn, (ns, session.as_str()))?;
        return Ok(());
    }
    Ok(DIALOGUES.put(txn, (ns, session.as_str()), state)?)
}

/// Everything that is kept of conversations, by their names.
///
/// # Errors
/// When it cannot be read.
pub fn session_states(
    reads: &dyn Reads,
    ns: NamespaceId,
) -> Result<Vec<(Label, SessionState)>, RecordError> {
    let mut found = Vec::new();
    DIALOGUES.scan(reads, DIALOGUES.within(ns), |key, state| {
        let name = Label::new("session", key.1);
        let name =
            name.map_err(|_| DIALOGUES.damaged(key, "the name of a session is not allowed"))?;
        found.push((name, state));
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
