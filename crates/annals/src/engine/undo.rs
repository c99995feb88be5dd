//! Memories that are taken back as if they had never been.

use annals_records::RecordError;
use annals_storage::Transaction;
use annals_types::profile::RelationClass;
use annals_types::{MemoryId, NamespaceName, Row};

use super::resolve::{relation_of, since};
use super::revise::Place;
use super::{Change, Engine};
use crate::Error;

/// Milliseconds in a minute.
const MINUTE: f64 = 60_000.0;

impl Engine {
    /// Erases a memory that was stored a short while ago, and opens again what it ended. Answers which memories these are.
    pub(crate) fn undo(&self, name: &NamespaceName, id: MemoryId) -> Result<Vec<MemoryId>, Error> {
        let now = self.now();
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            let at = Place { ns, now, rulebook: &rulebook };
            let (row, memory) = annals_records::get(&*txn, ns, id, None)?.ok_or(RecordError::NotFound { id })?;
            let history = annals_records::history(&*txn, ns, id)?;
            let first = history.iter().find(|revision| revision.memory.id == id);
            let stored_at = first.map_or(memory.stored_at, |first| first.memory.stored_at);
            let minutes = rulebook.profile.surface.undo_minutes;
            #[expect(clippy::cast_precision_loss, reason = "minutes of a human life fit")]
            if now.millis_since(stored_at) as f64 >= minutes * MINUTE {
                return Err(Error::bad_input(format!(
                    "memory {id} was stored {minutes} minutes ago or earlier and is not taken back; delete it, or restore what it replaced"
                )));
            }
            if memory.supersedes.is_some() {
                return Err(Error::bad_input(format!(
                    "memory {id} took the place of another one, which is not there any more; say its text again"
                )));
            }
            let ended = since(&memory.body, stored_at);
            let (opened, mut changes) = self.open_again(txn, at, row, ended)?;
            let (_, change) = self.erase_in(txn, ns, &rulebook, now, &[id])?;
            changes.push(change);
            Ok((opened, Change::all(changes)))
        })
    }

    /// Gives the memories that a row has succeeded, and that ended when it began, the end that they had before, if any.
    fn open_again(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        row: Row,
        ended: annals_types::Timestamp,
    ) -> Result<(Vec<MemoryId>, Vec<Change>), Error> {
        let (mut opened, mut changes) = (Vec::new(), Vec::new());
        let Some(relation) = relation_of(at, RelationClass::Succession) else { return Ok((opened, changes)) };
        let links = annals_graph::links(&*txn, at.ns, row)?;
        let older = links.iter().filter(|view| view.relation == relation && view.link.from == row);
        for older in older.map(|view| view.link.to).collect::<Vec<_>>() {
            let Some(memory) = annals_records::memories(&*txn, at.ns, &[older], None)?.pop().flatten() else {
                continue;
            };
            if memory.superseded_by.is_some() || memory.body.valid_until != Some(ended) {
                continue;
            }
            let before = annals_records::history(&*txn, at.ns, memory.id)?;
            let before = before.iter().rev().map(|revision| revision.memory.body.valid_until);
            let until = before.into_iter().find(|until| *until != Some(ended)).flatten();
            let (_, change) = self.revise_in(txn, at, older, |body| body.valid_until = until, |_| {})?;
            opened.push(memory.id);
            changes.push(change);
        }
        Ok((opened, changes))
    }
}
