//! Memories that people took out of files: the origin of a change of status.

use annals_storage::{Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use annals_engine::Error;
use annals_engine::WriteCx;

/// The file that a memory was taken out of at a moment.
pub(crate) const RETRACTED: Table<(NamespaceId, MemoryId, Timestamp), String> =
    Table::new("annals.retracted");

/// Notes that memories were taken out of a file.
pub(super) fn note(cx: &mut WriteCx<'_, '_>, ids: &[MemoryId], file: &str) -> Result<(), Error> {
    for id in ids {
        RETRACTED.put(cx.txn, (cx.ns, *id, cx.now), &file.to_owned())?;
    }
    Ok(())
}

/// When a memory was taken out of files, and of which.
pub fn of(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: MemoryId,
) -> Result<Vec<(Timestamp, String)>, Error> {
    let found = RETRACTED.rows(reads, RETRACTED.within((ns, id)), usize::MAX)?;
    Ok(found
        .into_iter()
        .map(|((.., at), file)| (at, file))
        .collect())
}

/// Names notes about memories that do not exist.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let found = RETRACTED.rows(reads, RETRACTED.within(ns), usize::MAX)?;
    let ids: Vec<MemoryId> = found.into_iter().map(|((_, id, _), _)| id).collect();
    let found = annals_records::find_rows(reads, ns, &ids)?;
    let missing = ids.iter().zip(found).filter(|(_, row)| row.is_none());
    Ok(missing
        .map(|(id, _)| format!("{RETRACTED}: memory {id} was taken out of a file and is not there"))
        .collect())
}

/// Forgets it of memories that are erased.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<(), Error> {
    for id in ids {
        RETRACTED.clear(txn, RETRACTED.within((ns, *id)), usize::MAX)?;
    }
    Ok(())
}
