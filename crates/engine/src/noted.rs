//! Memories found by what they hold: by subject and relation ([`claims`]), and by their words
//! ([`wordings`]). Both tables name the current rows alone, and are written together.

use annals_storage::{Reads, Transaction};
use annals_types::{Body, Memory, NamespaceId, Row};

use crate::Error;
use crate::claims::{self, CLAIMS};
use crate::wordings::{self, WORDINGS};

/// Rows that one look at the records compares.
const COMPARED: usize = 1000;

/// Enters a row that is current now.
pub(crate) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    claims::put(txn, ns, row, body)?;
    wordings::put(txn, ns, row, body)
}

/// Removes a row that is history now.
pub(crate) fn remove(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    claims::remove(txn, ns, row, body)?;
    wordings::remove(txn, ns, row, body)
}

/// Removes rows that are about to be erased.
pub(crate) fn remove_all(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<(), Error> {
    if CLAIMS.is_empty(txn, CLAIMS.within(ns))? && WORDINGS.is_empty(txn, WORDINGS.within(ns))? {
        return Ok(());
    }
    let memories = annals_records::memories(&*txn, ns, rows, None)?;
    for (row, memory) in rows.iter().zip(memories) {
        if let Some(memory) = memory {
            remove(txn, ns, *row, &memory.body)?;
        }
    }
    Ok(())
}

/// The rows of a table that it should not name: they are not current, or their memories do not fit
/// the key.
pub(crate) fn strays<K>(
    reads: &dyn Reads,
    ns: NamespaceId,
    noted: &[(Row, K)],
    fits: impl Fn(&Memory, &K) -> bool,
) -> Result<Vec<Row>, Error> {
    let mut strays = Vec::new();
    for part in noted.chunks(COMPARED) {
        let rows: Vec<Row> = part.iter().map(|(row, _)| *row).collect();
        let memories = annals_records::memories(reads, ns, &rows, None)?;
        let ids: Vec<_> = annals_records::ids_of(reads, ns, &rows)?
            .into_iter()
            .flatten()
            .collect();
        let newest = annals_records::find_rows(reads, ns, &ids)?;
        for ((row, key), memory) in part.iter().zip(memories) {
            if !newest.contains(&Some(*row)) || !memory.is_some_and(|memory| fits(&memory, key)) {
                strays.push(*row);
            }
        }
    }
    Ok(strays)
}
