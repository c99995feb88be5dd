//! What one import brought, so that it can be taken back as a whole.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_engine::Error;
use annals_engine::deletion::Deletion;
use annals_storage::table::Value;
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{Reads, StorageError, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{ImportOptions, Transfers, import_log};

/// The memories of an import, by the moment at which it began.
pub(crate) const RUNS: Table<(NamespaceId, u64, MemoryId), Brought> =
    Table::new("annals.import_runs");
/// Imports of which is known what they brought; those before them are forgotten.
const KEPT: usize = 20;

/// A memory that an import brought. Its id stands in the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brought;

impl Value for Brought {
    type View<'a> = Self;

    fn encode(_view: &Self, _put: &mut Put) {}

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        Take::new(body).end()?;
        Ok(Self)
    }
}

/// An import that can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImportRun {
    /// When it began: by this it is named.
    pub began: Timestamp,
    /// Memories that it brought and that are there.
    pub memories: u64,
}

/// Takes note of what an import brings, where that has a beginning.
pub(crate) struct RunNote(Option<u64>);

impl RunNote {
    pub(crate) fn of(options: &ImportOptions) -> Self {
        Self(options.run.map(number))
    }

    pub(crate) fn put(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        id: MemoryId,
    ) -> Result<(), StorageError> {
        let Some(run) = self.0 else { return Ok(()) };
        RUNS.put(txn, (ns, run, id), &Brought)
    }
}

/// Moments in their order.
fn number(moment: Timestamp) -> u64 {
    u64::try_from(moment.as_millis()).unwrap_or(0)
}

/// The memories of each import, the last one first.
fn runs(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(u64, Vec<MemoryId>)>, StorageError> {
    let mut found: Vec<(u64, Vec<MemoryId>)> = Vec::new();
    RUNS.scan(reads, RUNS.within(ns), |(_, run, id), Brought| {
        match found.last_mut().filter(|(last, _)| *last == run) {
            Some((_, ids)) => ids.push(id),
            None => found.push((run, vec![id])),
        }
        Ok::<_, StorageError>(ControlFlow::Continue(()))
    })?;
    found.reverse();
    Ok(found)
}

/// The imports of a namespace by their numbers, each found behind the one before: what they brought
/// is not read.
fn numbers(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<u64>, StorageError> {
    const FIRST: MemoryId = MemoryId::from_bytes([0; 16]);
    let (mut found, mut next) = (Vec::new(), Some(0));
    while let Some(from) = next {
        let rest = RUNS.within(ns).from((ns, from, FIRST));
        let Some(((_, run, _), Brought)) = RUNS.rows(reads, rest, 1)?.pop() else {
            break;
        };
        found.push(run);
        next = run.checked_add(1);
    }
    Ok(found)
}

/// Memories are about to go.
pub(crate) fn going(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    deletion: &Deletion,
) -> Result<(), Error> {
    let ids = deletion.ids();
    for run in numbers(&*txn, ns)? {
        for id in &ids {
            RUNS.delete(txn, (ns, run, *id))?;
        }
    }
    Ok(())
}

impl Transfers<'_> {
    /// The last imports into this namespace, the last one first; at most twenty.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn import_runs(&self) -> Result<Vec<ImportRun>, Error> {
        let Some(ns) = self.id()? else {
            return Ok(Vec::new());
        };
        let run = |(run, ids): (u64, Vec<MemoryId>)| ImportRun {
            began: Timestamp::from_millis(i64::try_from(run).unwrap_or(i64::MAX)),
            memories: u64::try_from(ids.len()).unwrap_or(u64::MAX),
        };
        Ok(runs(&self.engine().snapshot()?, ns)?
            .into_iter()
            .map(run)
            .collect())
    }

    /// The memories that an import brought and that are there, by the moment at which it began.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn imported_by(&self, began: Timestamp) -> Result<Vec<MemoryId>, Error> {
        let Some(ns) = self.id()? else {
            return Ok(Vec::new());
        };
        let own = RUNS.within((ns, number(began)));
        let found = RUNS.rows(&self.engine().snapshot()?, own, usize::MAX)?;
        Ok(found.into_iter().map(|((.., id), Brought)| id).collect())
    }

    /// Forgets that memories were brought, so that the next import brings them again.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn forget_brought(&self, ids: &[MemoryId]) -> Result<(), Error> {
        let Some(ns) = self.id()? else { return Ok(()) };
        let ids: BTreeSet<MemoryId> = ids.iter().copied().collect();
        self.engine()
            .write(ns, |cx| import_log::forget(cx.txn, ns, &ids))
    }

    /// Forgets what imports brought that twenty others came after: they cannot be taken back.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn forget_old_runs(&self) -> Result<(), Error> {
        let Some(ns) = self.id()? else { return Ok(()) };
        let snapshot = self.engine().snapshot()?;
        if numbers(&snapshot, ns)?.len() <= KEPT {
            return Ok(());
        }
        let old: Vec<_> = runs(&snapshot, ns)?.into_iter().skip(KEPT).collect();
        self.engine().write(ns, |cx| {
            for (run, ids) in &old {
                for id in ids {
                    RUNS.delete(cx.txn, (ns, *run, *id))?;
                }
            }
            Ok(())
        })
    }
}
