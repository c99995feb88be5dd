//! Memories that lost one of their sources and have not been derived again.

use annals_storage::{Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use crate::Error;
use crate::Kept;

/// When a memory lost the first of its sources that went.
pub(crate) const STALE: Table<(NamespaceId, MemoryId), Timestamp> = Table::new("annals.stale");

/// Takes note that a memory lost a source.
pub(crate) fn note(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: MemoryId,
    now: Timestamp,
) -> Result<(), Error> {
    if !STALE.contains(txn, (ns, id))? {
        STALE.put(txn, (ns, id), &now)?;
    }
    Ok(())
}

/// Takes note that a memory lost a source in another file.
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: MemoryId,
    at: Timestamp,
) -> Result<Kept, Error> {
    if annals_records::find_rows(&*txn, ns, &[id])?.contains(&None) {
        return Ok(Kept::LeftOut);
    }
    if since(&*txn, ns, id)?.is_some() {
        return Ok(Kept::There);
    }
    note(txn, ns, id, at)?;
    Ok(Kept::New(()))
}

/// Memories lack no source any more: they were derived again from the rest, have a text of their
/// own, or go.
pub fn clear(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    for id in ids {
        STALE.delete(txn, (ns, *id))?;
    }
    Ok(())
}

/// Since when a memory lacks a source; `None` where it does not.
pub fn since(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Option<Timestamp>, Error> {
    Ok(STALE.get(reads, (ns, id))?)
}

/// All such memories of a namespace.
pub fn list(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<MemoryId>, Error> {
    let found = STALE.rows(reads, STALE.within(ns), usize::MAX)?;
    Ok(found.into_iter().map(|((_, id), _)| id).collect())
}

/// Those that are not there.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let ids = list(reads, ns)?;
    let found = annals_records::find_rows(reads, ns, &ids)?;
    let missing = ids.iter().zip(found).filter(|(_, row)| row.is_none());
    Ok(missing
        .map(|(id, _)| format!("memory {id} lost a source and is not there"))
        .collect())
}
