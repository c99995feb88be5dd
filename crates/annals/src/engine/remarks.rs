//! What of a model's answer was left out, and why: kept with the last turn of what it was asked about, and gone with it.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Error, Remark};

/// Namespace, id of a turn -> what was left out of the answer about it, as JSON.
pub(crate) const REMARKS: Keyspace = Keyspace::new("annals.remarks");
/// The version of its values.
const VERSION: u8 = 1;
/// Of one answer so many are kept.
const MOST: usize = 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    at: Timestamp,
    left_out: Vec<String>,
}

fn key(ns: NamespaceId, turn: MemoryId) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(turn.as_bytes());
    key
}

/// Takes note of what was left out of an answer, in the place of what was left out of the one before about the same turn.
pub(crate) fn note(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    turn: MemoryId,
    (at, left_out): (Timestamp, &[String]),
) -> Result<(), Error> {
    if left_out.is_empty() {
        txn.delete(REMARKS, &key(ns, turn))?;
        return Ok(());
    }
    let noted = Noted { at, left_out: left_out.iter().take(MOST).cloned().collect() };
    let bytes = serde_json::to_vec(&noted).map_err(|e| Error::internal(format!("a remark has no form: {e}")))?;
    Ok(txn.put(REMARKS, &key(ns, turn), VERSION, &bytes)?)
}

/// Drops what is noted of turns that are about to go.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    for id in ids {
        txn.delete(REMARKS, &key(ns, *id))?;
    }
    Ok(())
}

/// The latest, at most so many.
pub(crate) fn latest(reads: &dyn Reads, ns: NamespaceId, limit: usize) -> Result<Vec<Remark>, Error> {
    let mut found = Vec::new();
    let mut broken = false;
    reads.scan(&[KeyRange::prefix(REMARKS, &ns.prefix())], &mut |_, key, _, body| {
        match read(key, body) {
            Some(remark) => found.push(remark),
            None => broken = true,
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if broken {
        return Err(Error::internal("a remark about an answer cannot be read"));
    }
    found.sort_by_key(|remark| std::cmp::Reverse((remark.at, remark.turn)));
    found.truncate(limit);
    Ok(found)
}

fn read(key: &[u8], body: &[u8]) -> Option<Remark> {
    let turn = MemoryId::from_bytes(*key.last_chunk::<16>()?);
    let Noted { at, left_out } = serde_json::from_slice(body).ok()?;
    Some(Remark { turn, at, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_bytes() {
        let noted = Noted { at: Timestamp::from_millis(0), left_out: vec!["\"mem_9\" was not shown".to_owned()] };
        let bytes = serde_json::to_string(&noted).unwrap();
        assert_eq!(bytes, r#"{"at":"1970-01-01T00:00:00Z","left_out":["\"mem_9\" was not shown"]}"#);
        assert_eq!(serde_json::from_str::<Noted>(&bytes).unwrap(), noted);
        let remark = read(&key(NamespaceId(1), MemoryId::from_bytes([7; 16])), bytes.as_bytes()).unwrap();
        assert_eq!((remark.turn, remark.left_out), (MemoryId::from_bytes([7; 16]), noted.left_out));
        assert_eq!(read(b"short", bytes.as_bytes()), None);
    }
}
