//! The end of conversations: what goes with them, and what is run then.

use std::collections::BTreeSet;

use annals_types::profile::{EpisodeTrigger, ExtractTrigger};
use annals_types::{Label, Memory, MemoryId, NamespaceId, Row, Value};

use crate::Curator;
use crate::cursors;
use annals_engine::Error;
use annals_engine::View;
use annals_engine::seen;

impl Curator<'_> {
    /// Forgets what a session kept, and deletes memories that live no longer than it. Answers
    /// which.
    pub fn close_session(
        &self,
        namespace: NamespaceId,
        session: &Label,
    ) -> Result<Vec<MemoryId>, Error> {
        let ids = self.bound_to(namespace, session)?;
        self.write(namespace, |cx| {
            let (ns, now, profile) = (cx.ns, cx.now, cx.profile);
            let mut state = annals_records::session_state(&*cx.txn, ns, session)?;
            state.variables.clear();
            state.current_task.clear();
            state.ended_at = Some(now);
            state.owes_episode = profile.settings.episodes.trigger == EpisodeTrigger::SessionEnd;
            annals_records::set_session_state(cx.txn, ns, session, &state)?;
            cursors::queue_session(cx, session, Some(ExtractTrigger::SessionEnd))?;
            // One of them may have been deleted meanwhile.
            let there = annals_records::find_rows(&*cx.txn, ns, &ids)?;
            let ids: Vec<MemoryId> = ids
                .iter()
                .zip(there)
                .filter(|(_, row)| row.is_some())
                .map(|(id, _)| *id)
                .collect();
            if ids.is_empty() {
                return Ok(ids);
            }
            let removal = self.erase_in(cx, &ids)?;
            Ok(removal.ids())
        })
    }

    /// The memories that go with a session: those bound to it, and those of classes with
    /// session-bound durations that have expired.
    fn bound_to(&self, namespace: NamespaceId, session: &Label) -> Result<Vec<MemoryId>, Error> {
        let view = self.view(namespace)?;
        let durations = &view.profile.settings.taxonomy.durations;
        let fleeting: BTreeSet<&str> = durations
            .iter()
            .filter(|duration| duration.session_bound)
            .map(|duration| duration.class.as_str())
            .collect();
        let now = self.now();
        let snapshot = self.snapshot()?;
        // While the clock is ahead, nothing has come to its end by it.
        let ahead = seen::is_ahead(&snapshot, namespace, &view.profile, now)?;
        let expired = |row: Row| {
            !ahead
                && view.worth.is_expired(row, now)
                && view.worth.class(row).is_some_and(|c| fleeting.contains(c))
        };
        let current = |row: &Row| view.columns.current_status(*row).is_some();
        let rows: Vec<Row> = view.worth.rows().filter(current).collect();
        let (bound, rest): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|row| view.worth.is_session_bound(*row));
        let mut ids = Vec::new();
        for memory in annals_records::memories(&snapshot, namespace, &bound, Some(&view.columns))?
            .into_iter()
            .flatten()
        {
            if self.is_of(&view, &snapshot, &memory, session)? {
                ids.push(memory.id);
            }
        }
        let gone: Vec<Row> = rest
            .into_iter()
            .chain(bound)
            .filter(|row| expired(*row))
            .collect();
        ids.extend(
            annals_records::ids_of(&snapshot, namespace, &gone)?
                .into_iter()
                .flatten(),
        );
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
        Ok(ids)
    }

    /// Whether a memory comes from a session: it says so, or one of its sources is a turn of the
    /// session. A memory of no session goes with any.
    fn is_of(
        &self,
        view: &View,
        snapshot: &annals_storage::Snapshot,
        memory: &Memory,
        session: &Label,
    ) -> Result<bool, Error> {
        if let Some(Value::Text(named)) = memory.body.metadata.get("session") {
            return Ok(named == session.as_str());
        }
        let rows = annals_records::find_rows(snapshot, view.namespace, &memory.body.provenance)?;
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        let sources =
            annals_records::memories(snapshot, view.namespace, &rows, Some(&view.columns))?;
        let mut sessions = sources
            .iter()
            .flatten()
            .filter_map(|source| source.body.turn.as_ref())
            .map(|turn| &turn.session)
            .peekable();
        Ok(sessions.peek().is_none() || sessions.any(|own| own == session))
    }
}
