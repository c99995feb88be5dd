//! What people took out of files: from where a change of status came.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use crate::Error;
use crate::engine::WriteCx;

/// Namespace, memory, moment -> the file that it was taken out of then.
pub(crate) const RETRACTED: Keyspace = Keyspace::new("annals.retracted").up_to(VERSION);
const VERSION: u8 = 1;

fn prefix(ns: NamespaceId, id: MemoryId) -> Vec<u8> {
    [&ns.prefix()[..], &id.as_bytes()[..]].concat()
}

/// Notes that memories were taken out of a file.
pub(super) fn note(cx: &mut WriteCx<'_, '_>, ids: &[MemoryId], file: &str) -> Result<(), Error> {
    for id in ids {
        let key = [prefix(cx.ns, *id), cx.now.as_millis().to_be_bytes().to_vec()].concat();
        cx.txn.put(RETRACTED, &key, VERSION, file.as_bytes())?;
    }
    Ok(())
}

/// When a memory was taken out of files, and of which.
pub(crate) fn of(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Vec<(Timestamp, String)>, Error> {
    let mut found = Vec::new();
    reads.scan(&[KeyRange::prefix(RETRACTED, &prefix(ns, id))], &mut |_, key, _, body| {
        let at = key.last_chunk::<8>().map(|bytes| Timestamp::from_millis(i64::from_be_bytes(*bytes)));
        found.extend(at.map(|at| (at, String::from_utf8_lossy(body).into_owned())));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// What is noted of memories that are not there.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut ids = Vec::new();
    reads.scan(&[KeyRange::prefix(RETRACTED, &ns.prefix())], &mut |_, key, _, _| {
        ids.extend(key.get(4..).and_then(|rest| rest.first_chunk::<16>()).map(|id| MemoryId::from_bytes(*id)));
        Ok(ControlFlow::Continue(()))
    })?;
    let found = annals_records::find_rows(reads, ns, &ids)?;
    let missing = ids.iter().zip(found).filter(|(_, row)| row.is_none());
    Ok(missing.map(|(id, _)| format!("{RETRACTED}: memory {id} was taken out of a file and is not there")).collect())
}

/// Forgets it of memories that are erased.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    let ranges: Vec<KeyRange> = ids.iter().map(|id| KeyRange::prefix(RETRACTED, &prefix(ns, *id))).collect();
    let mut keys = Vec::new();
    txn.scan(&ranges, &mut |_, key, _, _| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    for key in keys {
        txn.delete(RETRACTED, &key)?;
    }
    Ok(())
}
