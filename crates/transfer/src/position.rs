//! How far imports have come: written with each batch, in its own transaction.

use std::ops::ControlFlow;

use annals_storage::table::{Text, Value};
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, StorageError, Table, Transaction};
use annals_types::{NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Transfers;
use annals_engine::Error;

/// How far the import of a source came.
pub(crate) const IMPORTS: Table<(NamespaceId, Text), StoredPosition> = Table::new("annals.imports");
const MAX_SOURCE_BYTES: usize = 16 << 10;

/// How far the import of a source came that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImportPosition {
    /// The name that [`ImportOptions::source`](crate::ImportOptions::source) gave it.
    pub source: String,
    /// The memories of all lines up to this number are stored, those of no later one. An import
    /// goes on with it as [`ImportOptions::skip_lines`](crate::ImportOptions::skip_lines).
    pub lines_done: u64,
    /// When its last batch was stored.
    pub at: Timestamp,
}

/// An import that nobody went on with for so long is given up: its file may have another name by
/// now, or be gone. Starting over is safe at any time.
const KEPT: i64 = 30 * 86_400_000;

/// The positions of a namespace, when one of its imports has ended.
#[derive(Debug, Default)]
pub(super) struct EndedImports {
    /// Whether that import has one.
    pub(super) own: bool,
    /// Others that nobody goes on with any more.
    pub(super) given_up: Vec<String>,
    /// Whether others may go on.
    pub(super) others_go_on: bool,
}

/// A position to be stored with a batch.
pub(super) struct Mark<'a> {
    pub(super) source: &'a str,
    pub(super) lines_done: u64,
    pub(super) at: Timestamp,
}

impl Mark<'_> {
    pub(super) fn put(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
    ) -> Result<(), StorageError> {
        IMPORTS.put(
            txn,
            (ns, self.source),
            &StoredPosition {
                lines_done: self.lines_done,
                at: self.at,
            },
        )
    }
}

/// Lines done, and when the last batch was stored: eight bytes each, big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredPosition {
    pub(crate) lines_done: u64,
    pub(crate) at: Timestamp,
}

impl Value for StoredPosition {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.raw(&view.lines_done.to_be_bytes());
        put.raw(&view.at.as_millis().to_be_bytes());
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let lines_done = u64::from_be_bytes(take.array()?);
        let at = Timestamp::from_millis(i64::from_be_bytes(take.array()?));
        take.end()?;
        Ok(Self { lines_done, at })
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

/// The positions of a namespace, by source.
pub(crate) fn positions(
    reads: &dyn Reads,
    ns: NamespaceId,
) -> Result<Vec<ImportPosition>, StorageError> {
    let mut found = Vec::new();
    IMPORTS.scan(
        reads,
        IMPORTS.within(ns),
        |(_, source), StoredPosition { lines_done, at }| {
            found.push(ImportPosition {
                source: source.to_owned(),
                lines_done,
                at,
            });
            Ok::<_, StorageError>(ControlFlow::Continue(()))
        },
    )?;
    Ok(found)
}

impl Transfers<'_> {
    /// The imports into this namespace that stopped or were killed before their end, by the name of
    /// their source. Those that nobody went on with for 30 days are forgotten when another one
    /// ends.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn unfinished_imports(&self) -> Result<Vec<ImportPosition>, Error> {
        let Some(ns) = self.id()? else {
            return Ok(Vec::new());
        };
        Ok(positions(&self.engine().snapshot()?, ns)?)
    }

    /// Sorts the positions of this namespace when an import of a source has ended.
    pub(super) fn ended_imports(&self, source: Option<&str>) -> Result<EndedImports, Error> {
        let now = self.engine().now();
        let mut ended = EndedImports::default();
        for position in self.unfinished_imports()? {
            if source == Some(position.source.as_str()) {
                ended.own = true;
            } else if now.millis_since(position.at) > KEPT {
                ended.given_up.push(position.source);
            } else {
                ended.others_go_on = true;
            }
        }
        Ok(ended)
    }

    /// Forgets how far some imports came.
    pub(super) fn forget_imports<'s>(
        &self,
        sources: impl IntoIterator<Item = &'s str>,
    ) -> Result<(), Error> {
        let sources: Vec<&str> = sources.into_iter().collect();
        let Some(ns) = self.id()?.filter(|_| !sources.is_empty()) else {
            return Ok(());
        };
        self.engine().store.write(|txn| -> Result<_, Error> {
            sources
                .iter()
                .try_for_each(|source| IMPORTS.delete(txn, (ns, source)).map(drop))?;
            Ok(())
        })?;
        Ok(())
    }
}
