//! Conversations that are looked through for what is worth keeping.

use std::collections::BTreeMap;

use annals_extraction::provider::Cancel;
use annals_types::profile::ExtractTrigger;
use annals_types::{Label, Memory, MemoryId};
use tracing::instrument;

use super::Namespace;
use crate::engine::cursors;
use crate::{Error, TurnRecord};

impl Namespace {
    /// Queues the turns of a session that have not been looked through, in pieces, or the last window of them where the profile fixes one, whatever
    /// it says about when: as when a person says
    /// "remember this". It does not count among those that begin by themselves. Answers whether there were any; none under a profile that
    /// asks no model.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name that no session can have; when the file cannot be written.
    pub fn extract(&self, session: &str) -> Result<bool, Error> {
        self.begin_extraction(session, None)
    }

    /// Queues every turn of the namespace that has not been looked through, in pieces of ten turns, or of whole sessions where the profile
    /// looks through these. Answers how many pieces that were.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn extract_all(&self) -> Result<u64, Error> {
        let Some(namespace) = self.id()? else { return Ok(0) };
        self.engine.write(namespace, cursors::queue_all)
    }

    /// As [`extract`](Self::extract) at an event, if the profile wants an extraction then: the session ends, was idle, is being shortened ...
    ///
    /// # Errors
    /// As [`extract`](Self::extract).
    pub fn extract_at(&self, session: &str, event: ExtractTrigger) -> Result<bool, Error> {
        self.begin_extraction(session, Some(event))
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    fn begin_extraction(&self, session: &str, event: Option<ExtractTrigger>) -> Result<bool, Error> {
        let session = Label::new("session", session)?;
        let Some(namespace) = self.id()? else { return Ok(false) };
        self.engine.write(namespace, |cx| {
            let queued = cursors::queue_session(cx, &session, event)?;
            Ok(queued)
        })
    }

    /// Queues each turn of a session before a position that has not been looked through, as when a conversation is shortened and these turns
    /// are left out from now on. Answers how many were not queued before.
    ///
    /// # Errors
    /// As [`extract`](Self::extract).
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn extract_before(&self, session: &str, position: u32) -> Result<u64, Error> {
        let session = Label::new("session", session)?;
        let Some(namespace) = self.id()? else { return Ok(0) };
        self.engine.write(namespace, |cx| cursors::queue_turns(cx, &session, position))
    }

    /// At most `limit` messages of a session from a position on, in order, with what becomes of them.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub fn turns(&self, session: &str, from_position: u32, limit: usize) -> Result<Vec<TurnRecord>, Error> {
        let turns = self.session(session, from_position, limit)?;
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let profile = self.engine.profiles.of(&snapshot, namespace)?;
        let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
        let extracted = cursors::looked_at(&snapshot, namespace, &profile.settings, &ids)?;
        let record = |(memory, extracted): (Memory, bool)| {
            let turn = memory.body.turn?;
            Some(TurnRecord {
                id: memory.id,
                session_id: turn.session.as_str().to_owned(),
                turn_index: turn.position,
                role: turn.role,
                content: memory.body.text,
                reply: turn.reply,
                tool_calls: turn.tool_calls,
                timestamp: memory.body.event_time.unwrap_or(memory.stored_at),
                extracted,
            })
        };
        Ok(turns.into_iter().zip(extracted).filter_map(record).collect())
    }

    /// Does the background work of this namespace that may be begun now, each piece once, without waiting for a job. Answers what came
    /// of it, counted by word: `extracted`, `interpreted`, `compared` ...; `failed` counts conversations, `interpret failed` and the like
    /// other work, `waiting` what nobody is there for.
    ///
    /// # Errors
    /// When the file cannot be read or written. A model that fails is no error: its work is tried again later.
    pub fn work_off(&self) -> Result<BTreeMap<String, u64>, Error> {
        self.work_off_until(&Cancel::new())
    }

    /// The same until it is cancelled: then what a model is being asked is given up, its work is put back as if it had not been begun, and
    /// counted as `cancelled`; the rest is not begun.
    ///
    /// # Errors
    /// As [`work_off`](Self::work_off).
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn work_off_until(&self, cancel: &Cancel) -> Result<BTreeMap<String, u64>, Error> {
        let Some(namespace) = self.id()? else { return Ok(BTreeMap::new()) };
        let profile = self.engine.profiles.of(&self.engine.snapshot()?, namespace)?;
        self.engine.work_off_all(&profile, &[(namespace, self.name.clone())], cancel)
    }
}
