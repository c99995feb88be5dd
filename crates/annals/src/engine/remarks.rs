//! What of a model's answer was left out, and why: kept with the last turn of what it was asked about, and gone with any turn or memory that it
//! was shown, whose words it may repeat.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use super::WriteCx;
use crate::{Error, Remark};

/// Namespace, id of a turn -> what was left out of the answer about it, as JSON. Namespace, id of what the model was shown, id of that turn ->
/// nothing.
pub(crate) const REMARKS: Keyspace = Keyspace::new("annals.remarks").up_to(VERSION);
const VERSION: u8 = 1;
/// Of one answer so many are kept.
const MOST: usize = 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    at: Timestamp,
    left_out: Vec<String>,
    /// The turns and memories that the model was shown.
    shown: Vec<MemoryId>,
}

fn key(ns: NamespaceId, turn: MemoryId) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(turn.as_bytes());
    key
}

fn shown_key(ns: NamespaceId, shown: MemoryId, turn: MemoryId) -> Vec<u8> {
    let mut key = key(ns, shown);
    key.extend_from_slice(turn.as_bytes());
    key
}

/// Takes note of what was left out of an answer, in the place of what was left out of the one before about the same turn. `shown` is what the
/// model was shown besides.
pub(crate) fn note(
    cx: &mut WriteCx<'_, '_>,
    (turn, shown): (MemoryId, &[MemoryId]),
    left_out: &[String],
) -> Result<(), Error> {
    let ns = cx.ns;
    drop_noted(cx.txn, ns, turn)?;
    if left_out.is_empty() {
        return Ok(());
    }
    let shown: BTreeSet<MemoryId> = shown.iter().copied().filter(|id| *id != turn).collect();
    for id in &shown {
        cx.txn.put(REMARKS, &shown_key(ns, *id, turn), VERSION, &[])?;
    }
    let left_out = left_out.iter().take(MOST).cloned().collect();
    let noted = Noted { at: cx.now, left_out, shown: shown.into_iter().collect() };
    let bytes = serde_json::to_vec(&noted).map_err(|e| Error::internal(format!("a remark has no form: {e}")))?;
    Ok(cx.txn.put(REMARKS, &key(ns, turn), VERSION, &bytes)?)
}

/// Drops what is noted of turns and memories that are about to go, and of answers to which they were shown.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    let ranges: Vec<KeyRange> = ids.iter().map(|id| KeyRange::prefix(REMARKS, &key(ns, *id))).collect();
    let mut turns = BTreeSet::new();
    txn.scan(&ranges, &mut |_, key, _, _| {
        turns.extend(key.last_chunk::<16>().map(|turn| MemoryId::from_bytes(*turn)));
        Ok(ControlFlow::Continue(()))
    })?;
    turns.into_iter().try_for_each(|turn| drop_noted(txn, ns, turn))
}

/// Drops what is noted about one turn.
fn drop_noted(txn: &mut Transaction<'_>, ns: NamespaceId, turn: MemoryId) -> Result<(), Error> {
    let key = key(ns, turn);
    let Some(stored) = txn.get(REMARKS, &key)? else { return Ok(()) };
    let noted: Option<Noted> = serde_json::from_slice(&stored.body).ok();
    for shown in noted.into_iter().flat_map(|noted| noted.shown) {
        txn.delete(REMARKS, &shown_key(ns, shown, turn))?;
    }
    txn.delete(REMARKS, &key)?;
    Ok(())
}

/// The latest, at most so many.
pub(crate) fn latest(reads: &dyn Reads, ns: NamespaceId, limit: usize) -> Result<Vec<Remark>, Error> {
    let mut found = Vec::new();
    let mut broken = false;
    reads.scan(&[KeyRange::prefix(REMARKS, &ns.prefix())], &mut |_, key, _, body| {
        if !names_what_was_shown(key) {
            match read(key, body) {
                Some(remark) => found.push(remark),
                None => broken = true,
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if broken {
        return Err(Error::damaged(REMARKS, "a remark about an answer cannot be read"));
    }
    found.sort_by_key(|remark| std::cmp::Reverse((remark.at, remark.turn)));
    found.truncate(limit);
    Ok(found)
}

/// Whether a key is one that names what was shown, behind which two ids stand.
fn names_what_was_shown(key: &[u8]) -> bool {
    key.len() > NamespaceId(0).prefix().len() + 16
}

fn read(key: &[u8], body: &[u8]) -> Option<Remark> {
    let turn = MemoryId::from_bytes(*key.last_chunk::<16>()?);
    let Noted { at, left_out, .. } = serde_json::from_slice(body).ok()?;
    Some(Remark { turn, at, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_bytes() {
        let left_out = vec!["\"mem_9\" was not shown".to_owned()];
        let noted = Noted { at: Timestamp::from_millis(0), left_out, shown: vec![MemoryId::from_bytes([8; 16])] };
        let bytes = serde_json::to_string(&noted).unwrap();
        let first = r#"{"at":"1970-01-01T00:00:00Z","left_out":["\"mem_9\" was not shown"]"#;
        assert_eq!(bytes, format!(r#"{first},"shown":["{}"]}}"#, MemoryId::from_bytes([8; 16])));
        assert_eq!(serde_json::from_str::<Noted>(&bytes).unwrap(), noted);
        let remark = read(&key(NamespaceId(1), MemoryId::from_bytes([7; 16])), bytes.as_bytes()).unwrap();
        assert_eq!((remark.turn, remark.left_out), (MemoryId::from_bytes([7; 16]), noted.left_out));
        assert_eq!(read(b"short", bytes.as_bytes()), None);
    }
}
