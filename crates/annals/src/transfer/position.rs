//! How far imports have come: written with each batch, in its own transaction.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Transaction};
use annals_types::{NamespaceId, Timestamp};
use serde::Serialize;

use crate::Error;
use crate::blocking::Namespace;

/// Namespace, name of the source -> lines done, time of the last batch.
pub(crate) const IMPORTS: Keyspace = Keyspace::new("annals.imports").up_to(VERSION);
const VERSION: u8 = 1;
const MAX_SOURCE_BYTES: usize = 16 << 10;

/// How far the import of a source came that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportPosition {
    /// What [`ImportOptions::source`](crate::ImportOptions::source) called it.
    pub source: String,
    /// The memories of all lines up to this number are stored, those of no later one; what to go on with as
    /// [`ImportOptions::skip_lines`](crate::ImportOptions::skip_lines).
    pub lines_done: u64,
    /// When its last batch was stored.
    pub at: Timestamp,
}

/// A position to be stored with a batch.
pub(super) struct Mark<'a> {
    pub(super) source: &'a str,
    pub(super) lines_done: u64,
    pub(super) at: Timestamp,
}

impl Mark<'_> {
    pub(super) fn put(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), StorageError> {
        let mut body = self.lines_done.to_be_bytes().to_vec();
        body.extend(self.at.as_millis().to_be_bytes());
        txn.put(IMPORTS, &key(ns, self.source), VERSION, &body)
    }
}

pub(super) fn check(source: &str) -> Result<(), Error> {
    if source.is_empty() || source.len() > MAX_SOURCE_BYTES {
        return Err(Error::bad_input(format!(
            "the name of an import's source has {} bytes; it must have 1 to {MAX_SOURCE_BYTES}",
            source.len()
        )));
    }
    Ok(())
}

fn key(ns: NamespaceId, source: &str) -> Vec<u8> {
    [&ns.prefix()[..], source.as_bytes()].concat()
}

fn read(key: &[u8], version: u8, body: &[u8]) -> Option<ImportPosition> {
    let (lines, at) = body.split_at_checked(8)?;
    let source = std::str::from_utf8(key.get(4..)?).ok()?;
    let at = i64::from_be_bytes(at.try_into().ok()?);
    let lines_done = u64::from_be_bytes(lines.try_into().ok()?);
    let position = ImportPosition { source: source.to_owned(), lines_done, at: Timestamp::from_millis(at) };
    Some(position).filter(|_| version == VERSION)
}

/// The positions of a namespace, by source.
pub(crate) fn positions(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<ImportPosition>, StorageError> {
    let mut found = Vec::new();
    reads.scan(&[KeyRange::prefix(IMPORTS, &ns.prefix())], &mut |_, key, version, body| {
        found.push(read(key, version, body).ok_or_else(|| StorageError::Corruption {
            doing: format!("read {IMPORTS}"),
            detail: format!("{} bytes of version {version} are no position", body.len()),
        })?);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

impl Namespace {
    /// The imports into this namespace that stopped or were killed before their end, by the name of their source.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn unfinished_imports(&self) -> Result<Vec<ImportPosition>, Error> {
        let Some(ns) = self.id()? else { return Ok(Vec::new()) };
        Ok(positions(&self.engine().snapshot()?, ns)?)
    }

    /// Forgets how far the import of a source came.
    pub(super) fn forget_import(&self, source: &str) -> Result<(), Error> {
        let Some(ns) = self.id()? else { return Ok(()) };
        let key = key(ns, source);
        let engine = self.engine();
        if engine.snapshot()?.get(IMPORTS, &key)?.is_some() {
            engine.store.write(|txn| -> Result<_, Error> { Ok(txn.delete(IMPORTS, &key)?) })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let store = annals_storage::Store::in_memory();
        let mark = Mark { source: "a/b", lines_done: 258, at: Timestamp::from_millis(-2) };
        store.write(|txn| mark.put(txn, NamespaceId(7))).unwrap();
        let key = [&[0, 0, 0, 7][..], b"a/b"].concat();
        let stored = store.snapshot().unwrap().get(IMPORTS, &key).unwrap().unwrap();
        assert_eq!(
            (stored.version, stored.body.as_slice()),
            (1, &[0, 0, 0, 0, 0, 0, 1, 2, 255, 255, 255, 255, 255, 255, 255, 254][..])
        );
        let position = ImportPosition { source: "a/b".to_owned(), lines_done: 258, at: Timestamp::from_millis(-2) };
        assert_eq!(read(&key, 1, &stored.body), Some(position));
        assert_eq!(read(&key, 2, &stored.body), None);
        assert_eq!(read(&key, 1, &stored.body[1..]), None);
        assert_eq!(read(b"\0\0\0\x07\xff", 1, &stored.body), None);
        store.write(|txn| txn.put(IMPORTS, &key, 1, b"short")).unwrap();
        assert!(positions(&store.snapshot().unwrap(), NamespaceId(7)).unwrap_err().is_corruption());
    }
}
