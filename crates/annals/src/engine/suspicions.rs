//! Pairs of memories that may contradict each other, until a judge or a person says whether they do.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use super::Kept;
use crate::Error;

/// Namespace, byte 0, id of the newer memory, id of the older -> a suspicion as JSON; namespace, byte 1, id of the older, id of the newer -> nothing.
pub(crate) const SUSPICIONS: Keyspace = Keyspace::new("annals.suspicions").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;
const NEWER: u8 = 0;
const OLDER: u8 = 1;

/// A newer memory and an older one.
pub(crate) type Pair = (MemoryId, MemoryId);

/// A suspicion as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suspected {
    pub(crate) similarity: f64,
    pub(crate) at: Timestamp,
    /// Whether a judge was asked and gave no answer that can be understood: it would give the same one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unclear: bool,
}

impl Suspected {
    fn read(bytes: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(bytes).map_err(|error| Error::damaged(SUSPICIONS, error))
    }
}

fn key(ns: NamespaceId, side: u8, (one, other): (MemoryId, MemoryId)) -> Vec<u8> {
    let mut key = of(ns, side, one);
    key.extend_from_slice(other.as_bytes());
    key
}

fn of(ns: NamespaceId, side: u8, id: MemoryId) -> Vec<u8> {
    let mut key = sides(ns, side);
    key.extend_from_slice(id.as_bytes());
    key
}

fn sides(ns: NamespaceId, side: u8) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.push(side);
    key
}

fn ids(key: &[u8]) -> Option<(MemoryId, MemoryId)> {
    let (one, other) = key.get(5..)?.split_first_chunk::<16>()?;
    Some((MemoryId::from_bytes(*one), MemoryId::from_bytes(*other.first_chunk::<16>()?)))
}

/// Takes note of a pair.
pub(crate) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    (newer, older): Pair,
    suspected: Suspected,
) -> Result<(), Error> {
    let bytes = serde_json::to_vec(&suspected).map_err(|e| Error::internal(format!("a suspicion has no form: {e}")))?;
    txn.put(SUSPICIONS, &key(ns, NEWER, (newer, older)), VERSION, &bytes)?;
    Ok(txn.put(SUSPICIONS, &key(ns, OLDER, (older, newer)), VERSION, &[])?)
}

/// Takes note of a pair that another file knew.
pub(crate) fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    pair: Pair,
    suspected: Suspected,
) -> Result<Kept, Error> {
    if annals_records::find_rows(&*txn, ns, &[pair.0, pair.1])?.contains(&None) {
        return Ok(Kept::LeftOut);
    }
    if txn.get(SUSPICIONS, &key(ns, NEWER, pair))?.is_some() {
        return Ok(Kept::There);
    }
    put(txn, ns, pair, suspected)?;
    Ok(Kept::New(()))
}

/// A pair, where it waits.
pub(crate) fn get(reads: &dyn Reads, ns: NamespaceId, pair: Pair) -> Result<Option<Suspected>, Error> {
    let stored = reads.get(SUSPICIONS, &key(ns, NEWER, pair))?;
    stored.map(|stored| Suspected::read(&stored.body)).transpose()
}

/// Takes a pair out; answers whether it was there.
pub(crate) fn settle(txn: &mut Transaction<'_>, ns: NamespaceId, (newer, older): Pair) -> Result<bool, Error> {
    let there = txn.get(SUSPICIONS, &key(ns, NEWER, (newer, older)))?.is_some();
    txn.delete(SUSPICIONS, &key(ns, NEWER, (newer, older)))?;
    txn.delete(SUSPICIONS, &key(ns, OLDER, (older, newer)))?;
    Ok(there)
}

/// All pairs of a namespace.
pub(crate) fn list(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(Pair, Suspected)>, Error> {
    let mut found = Vec::new();
    reads.scan(&[KeyRange::prefix(SUSPICIONS, &sides(ns, NEWER))], &mut |_, key, _, body| {
        found.extend(ids(key).map(|pair| (pair, body.to_vec())));
        Ok(ControlFlow::Continue(()))
    })?;
    found.into_iter().map(|(pair, bytes)| Ok((pair, Suspected::read(&bytes)?))).collect()
}

/// Memories are about to go, or to say something else, and every pair goes with them.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, gone: &[MemoryId]) -> Result<(), Error> {
    let mut pairs = Vec::new();
    for id in gone {
        let ranges = [NEWER, OLDER].map(|side| KeyRange::prefix(SUSPICIONS, &of(ns, side, *id)));
        txn.scan(&ranges, &mut |range, key, _, _| {
            let found = ids(key);
            pairs.extend(found.map(|(one, other)| if range == 0 { (one, other) } else { (other, one) }));
            Ok(ControlFlow::Continue(()))
        })?;
    }
    for pair in pairs {
        settle(txn, ns, pair)?;
    }
    Ok(())
}

/// What of it does not fit together.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let pairs = list(reads, ns)?;
    let mut problems = Vec::new();
    let mut indexed = BTreeMap::new();
    reads.scan(&[KeyRange::prefix(SUSPICIONS, &sides(ns, OLDER))], &mut |_, key, _, _| {
        indexed.extend(ids(key).map(|(older, newer)| ((newer, older), ())));
        Ok(ControlFlow::Continue(()))
    })?;
    for ((newer, older), _) in &pairs {
        if indexed.remove(&(*newer, *older)).is_none() {
            problems.push(format!("the suspicion about {newer} and {older} is not in its index"));
        }
        for (id, row) in [newer, older].into_iter().zip(annals_records::find_rows(reads, ns, &[*newer, *older])?) {
            if row.is_none() {
                problems.push(format!("a suspicion is about memory {id}, which is not there"));
            }
        }
    }
    problems.extend(indexed.keys().map(|(newer, older)| format!("no suspicion is about {newer} and {older}")));
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let (newer, older) = (MemoryId::from_bytes([1; 16]), MemoryId::from_bytes([2; 16]));
        let place = key(NamespaceId(1), NEWER, (newer, older));
        assert_eq!((place.len(), ids(&place)), (37, Some((newer, older))));
        let suspected = Suspected { similarity: 0.75, at: Timestamp::from_millis(1_000), unclear: false };
        let bytes = serde_json::to_string(&suspected).unwrap();
        assert_eq!(bytes, r#"{"similarity":0.75,"at":"1970-01-01T00:00:01Z"}"#);
        assert_eq!(Suspected::read(bytes.as_bytes()).unwrap(), suspected);
        let unclear = Suspected { unclear: true, ..suspected };
        let bytes = serde_json::to_string(&unclear).unwrap();
        assert_eq!(bytes, r#"{"similarity":0.75,"at":"1970-01-01T00:00:01Z","unclear":true}"#);
        assert!(Suspected::read(b"{}").is_err());
    }
}
