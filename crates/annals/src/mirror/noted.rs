//! What files said when they were last written, so that what a person edited since can be told.

use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};

use crate::Error;

/// Namespace, path of the file -> the memories in it, as they were last written. No text, only its hash.
pub(crate) const MIRRORS: Keyspace = Keyspace::new("annals.mirrors");
const VERSION: u8 = 1;
/// The longest key: longer paths are cut, which costs nothing but a comparison with nothing.
const MAX_PATH: usize = 4096;

/// A memory of a file, as it was last written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Noted {
    /// Its name in the file.
    pub(super) short: String,
    pub(super) id: MemoryId,
    pub(super) hash: u64,
    pub(super) kind: String,
    pub(super) score: f64,
    pub(super) hits: u32,
    pub(super) activated: Timestamp,
    pub(super) expires: Option<Timestamp>,
}

/// FNV-1a of a text: to notice edits, not to withstand anyone.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn key(ns: NamespaceId, path: &str) -> Vec<u8> {
    let path = path.as_bytes();
    let start = path.len().saturating_sub(MAX_PATH);
    [&ns.prefix()[..], path.get(start..).unwrap_or_default()].concat()
}

fn encode(all: &[Noted]) -> Vec<u8> {
    let mut put = Put::with_capacity(64 * all.len());
    put.length(all.len());
    for noted in all {
        put.text(&noted.short);
        put.raw(noted.id.as_bytes());
        put.raw(&noted.hash.to_le_bytes());
        put.text(&noted.kind);
        put.raw(&noted.score.to_le_bytes());
        put.varint(u64::from(noted.hits));
        put.zigzag(noted.activated.as_millis());
        put.byte(u8::from(noted.expires.is_some()));
        if let Some(expires) = noted.expires {
            put.zigzag(expires.as_millis());
        }
    }
    put.finish()
}

fn decode(body: &[u8]) -> Result<Vec<Noted>, Broken> {
    let mut take = Take::new(body);
    let count = take.count(36)?;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(Noted {
            short: take.text()?.to_owned(),
            id: MemoryId::from_bytes(take.array()?),
            hash: u64::from_le_bytes(take.array()?),
            kind: take.text()?.to_owned(),
            score: f64::from_le_bytes(take.array()?),
            hits: take.varint32()?,
            activated: Timestamp::from_millis(take.zigzag()?),
            expires: match take.byte()? {
                0 => None,
                1 => Some(Timestamp::from_millis(take.zigzag()?)),
                _ => return Err(Broken("an expiry has an unknown form")),
            },
        });
    }
    take.end()?;
    Ok(all)
}

/// What a file said when it was last written; nothing when it never was, or when what is stored is of a version not known.
pub(super) fn get(reads: &dyn Reads, ns: NamespaceId, path: &str) -> Result<Vec<Noted>, Error> {
    match reads.get(MIRRORS, &key(ns, path))? {
        Some(stored) if stored.version == VERSION => {
            decode(&stored.body).map_err(|broken| Error::internal(format!("annals.mirrors: {}", broken.0)))
        }
        _ => Ok(Vec::new()),
    }
}

pub(super) fn put(txn: &mut Transaction<'_>, ns: NamespaceId, path: &str, all: &[Noted]) -> Result<(), Error> {
    Ok(txn.put(MIRRORS, &key(ns, path), VERSION, &encode(all))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_these() {
        let noted = Noted {
            short: "a".to_owned(),
            id: MemoryId::from_bytes([7; 16]),
            hash: hash("x"),
            kind: "fact".to_owned(),
            score: 0.5,
            hits: 300,
            activated: Timestamp::from_millis(1000),
            expires: Some(Timestamp::from_millis(1)),
        };
        let bytes: String = encode(std::slice::from_ref(&noted)).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            bytes,
            "01016107070707070707070707070707070707071702864cf563af0466616374000000000000e03fac02d00f0102"
        );
        assert_eq!(decode(&encode(std::slice::from_ref(&noted))).unwrap(), [noted]);
        assert!(decode(&[200, 1]).is_err());
    }
}
