//! What is kept of looking through conversations follows the memories.

use std::collections::BTreeSet;

use annals_storage::{AnyTable, Reads};
use annals_types::{Label, NamespaceId, Row};

use super::deletion::Deletion;
use super::extension::{Extension, Stored};
use super::{WriteCx, cursors, proposals, remarks};
use crate::Error;

/// Cursors of conversations and their open turns, proposals, remarks.
pub(crate) struct Conversations;

impl Extension for Conversations {
    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&cursors::TALKS, &cursors::OPEN_TURNS, &proposals::PROPOSALS, &remarks::REMARKS, &remarks::SHOWN]
    }

    fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        let new = stored.iter().filter(|stored| !stored.imported);
        new.into_iter().try_for_each(|stored| cursors::note(cx, (stored.id, stored.row), stored.body))
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        cursors::unnote(cx.txn, cx.ns, &deletion.rows())?;
        proposals::forget_sources(cx.txn, cx.ns, &deletion.ids())?;
        remarks::forget(cx.txn, cx.ns, &deletion.ids())
    }

    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let sessions = deletion.memories.iter().flat_map(|leaving| leaving.sessions.iter().cloned());
        let sessions: BTreeSet<Label> = sessions.collect();
        cursors::forget(cx, &sessions)
    }

    fn history_erased(&self, cx: &mut WriteCx<'_, '_>, rows: &[Row]) -> Result<(), Error> {
        cursors::unnote(cx.txn, cx.ns, rows)
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let found = cursors::validate(reads, ns)?;
        remarks::latest(reads, ns, usize::MAX)?;
        proposals::list(reads, ns, usize::MAX)?;
        Ok(found)
    }
}
