//! What is at hand beside memories: the scratchpad of a namespace, and what its conversations keep until they end.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{Completed, Label, Metadata, NamespaceId, Scratchpad, SessionState, Timestamp};

use crate::keyspaces::{DIALOGUES, SCRATCHPADS};
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::{RecordError, key};

impl Value for Scratchpad {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(self.current_focus.len() + 64);
        optional(&mut put, self.updated_at);
        put.text(&self.current_focus);
        put.length(self.active_projects.len());
        for project in &self.active_projects {
            put.text(project);
        }
        put.length(self.recent_completed.len());
        for done in &self.recent_completed {
            put.zigzag(done.completed_at.as_millis());
            put.text(&done.task);
        }
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let mut pad =
            Self { updated_at: moment(&mut take)?, current_focus: take.text()?.to_owned(), ..Self::default() };
        for _ in 0..take.count(1)? {
            pad.active_projects.push(take.text()?.to_owned());
        }
        for _ in 0..take.count(2)? {
            let completed_at = Timestamp::from_millis(take.zigzag()?);
            pad.recent_completed.push(Completed { task: take.text()?.to_owned(), completed_at });
        }
        take.end()?;
        Ok(pad)
    }
}

impl Value for SessionState {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(self.current_task.len() + 32);
        optional(&mut put, self.ended_at);
        put.byte(u8::from(self.owes_episode));
        put.varint(u64::from(self.summarized_to));
        put.text(&self.current_task);
        // Names are texts and numbers are finite, which JSON can always say.
        put.text(&serde_json::to_string(&self.variables).unwrap_or_default());
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let state = Self {
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
    Ok(value::get(reads, SCRATCHPADS, &key::space(ns))?.unwrap_or_default())
}

/// Replaces the scratchpad of a namespace.
///
/// # Errors
/// When it cannot be written.
pub fn set_scratchpad(txn: &mut Transaction<'_>, ns: NamespaceId, pad: &Scratchpad) -> Result<(), RecordError> {
    value::put(txn, SCRATCHPADS, &key::space(ns), pad)
}

/// What is kept of a conversation; the default where nothing is.
///
/// # Errors
/// When it cannot be read.
pub fn session_state(reads: &dyn Reads, ns: NamespaceId, session: &Label) -> Result<SessionState, RecordError> {
    Ok(value::get(reads, DIALOGUES, &key::dialogue(ns, session.as_str()))?.unwrap_or_default())
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
    let key = key::dialogue(ns, session.as_str());
    if *state == SessionState::default() {
        txn.delete(DIALOGUES, &key)?;
        return Ok(());
    }
    value::put(txn, DIALOGUES, &key, state)
}

/// Everything that is kept of conversations, by their names.
///
/// # Errors
/// When it cannot be read.
pub fn session_states(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(Label, SessionState)>, RecordError> {
    let mut found = Vec::new();
    let range = KeyRange::prefix(DIALOGUES, &ns.prefix());
    value::scan(reads, &[range], &mut |_, key, version, body| {
        let name = std::str::from_utf8(key::tail(key)).ok().and_then(|name| Label::new("session", name).ok());
        let name =
            name.ok_or_else(|| RecordError::damaged(DIALOGUES, key, Broken("the name of a session is not allowed")))?;
        found.push((name, value::decode(DIALOGUES, key, version, body)?));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}
