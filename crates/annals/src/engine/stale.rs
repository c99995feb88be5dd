//! Memories that lost one of their sources and have not been derived again.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use super::Kept;
use crate::Error;

/// Namespace, id -> when the memory lost the first of its sources that went (i64 BE, milliseconds).
pub(crate) const STALE: Keyspace = Keyspace::new("annals.stale").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;

fn key(ns: NamespaceId, id: MemoryId) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(id.as_bytes());
    key
}

/// Takes note that a memory lost a source.
pub(crate) fn note(txn: &mut Transaction<'_>, ns: NamespaceId, id: MemoryId, now: Timestamp) -> Result<(), Error> {
    let key = key(ns, id);
    if txn.get(STALE, &key)?.is_none() {
        txn.put(STALE, &key, VERSION, &now.as_millis().to_be_bytes())?;
    }
    Ok(())
}

/// Takes note that a memory lost a source in another file.
pub(crate) fn restore(txn: &mut Transaction<'_>, ns: NamespaceId, id: MemoryId, at: Timestamp) -> Result<Kept, Error> {
    if annals_records::find_rows(&*txn, ns, &[id])?.contains(&None) {
        return Ok(Kept::LeftOut);
    }
    if since(&*txn, ns, id)?.is_some() {
        return Ok(Kept::There);
    }
    note(txn, ns, id, at)?;
    Ok(Kept::New(()))
}

/// What is left of their sources was looked at, or they say something of their own, or they go.
pub(crate) fn clear(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    for id in ids {
        txn.delete(STALE, &key(ns, *id))?;
    }
    Ok(())
}

/// Since when a memory lacks a source; `None` where it does not.
pub(crate) fn since(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Option<Timestamp>, Error> {
    let stored = reads.get(STALE, &key(ns, id))?;
    Ok(stored.and_then(|stored| Some(moment(stored.body.first_chunk()?))))
}

fn moment(bytes: &[u8; 8]) -> Timestamp {
    Timestamp::from_millis(i64::from_be_bytes(*bytes))
}

/// All such memories of a namespace.
pub(crate) fn list(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<MemoryId>, Error> {
    let mut found = Vec::new();
    reads.scan(&[KeyRange::prefix(STALE, &ns.prefix())], &mut |_, key, _, _| {
        found.extend(key.last_chunk::<16>().map(|bytes| MemoryId::from_bytes(*bytes)));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Those that are not there.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let ids = list(reads, ns)?;
    let found = annals_records::find_rows(reads, ns, &ids)?;
    let missing = ids.iter().zip(found).filter(|(_, row)| row.is_none());
    Ok(missing.map(|(id, _)| format!("memory {id} lost a source and is not there")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let place = key(NamespaceId(1), MemoryId::from_bytes([7; 16]));
        assert_eq!(place, [[0, 0, 0, 1].as_slice(), &[7; 16]].concat());
        assert_eq!(moment(&[0, 0, 0, 0, 0, 0, 3, 0xe8]), Timestamp::from_millis(1_000));
    }
}
