//! Embedding everything again with another embedder, while recall goes on with the old vectors.

use annals_storage::Snapshot;
use annals_types::{Body, NamespaceId, Row};
use annals_vector::store::{Space, Spaces};

use crate::{Change, Engine};
use serde::{Deserialize, Serialize};

use crate::Error;

/// Rows embedded and stored at a time.
const BATCH: usize = 256;
/// Keys of old vectors that go in one transaction.
const CLEAR_KEYS: usize = 20_000;

/// How far embedding again has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReembedProgress {
    /// Rows that have a vector of the new embedder.
    pub done: u64,
    /// All rows, earlier texts included.
    pub total: u64,
}

/// The result of embedding again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReembedReport {
    /// Rows that were embedded.
    pub embedded: u64,
    /// Rows that had a vector of the new embedder before.
    pub already: u64,
    /// Embedders whose vectors were cleared.
    pub cleared_spaces: u64,
}

impl Engine {
    /// Gives every row of a namespace a vector of this memory's embedder, then switches recall
    /// over at once. Rows that were embedded before an interruption are not embedded again.
    pub fn reembed(
        &self,
        namespace: NamespaceId,
        progress: &mut dyn FnMut(ReembedProgress),
    ) -> Result<ReembedReport, Error> {
        let space = self.write(namespace, |cx| self.own_space(cx.txn, cx.ns))?;
        let mut report = ReembedReport {
            embedded: 0,
            already: 0,
            cleared_spaces: 0,
        };
        let view = self.view(namespace)?;
        let rows: Vec<Row> = view.columns.rows().collect();
        let total = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let mut done = 0;
        for part in rows.chunks(BATCH) {
            let snapshot = self.snapshot()?;
            let missing = self.without_vector(&snapshot, space, part)?;
            report.already += u64::try_from(part.len() - missing.len()).unwrap_or(0);
            report.embedded += self.embed_rows(&snapshot, namespace, space, &missing)?;
            done += u64::try_from(part.len()).unwrap_or(u64::MAX);
            progress(ReembedProgress { done, total });
        }
        report.cleared_spaces = self.switch(namespace)?;
        Ok(report)
    }

    fn without_vector(
        &self,
        snapshot: &Snapshot,
        space: Space,
        rows: &[Row],
    ) -> Result<Vec<Row>, Error> {
        let mut missing = Vec::new();
        for row in rows {
            if space.get(snapshot, self.shape, *row)?.is_none() {
                missing.push(*row);
            }
        }
        Ok(missing)
    }

    fn embed_rows(
        &self,
        snapshot: &Snapshot,
        namespace: NamespaceId,
        space: Space,
        rows: &[Row],
    ) -> Result<u64, Error> {
        let memories = annals_records::memories(snapshot, namespace, rows, None)?;
        let found: Vec<(Row, &Body)> = rows
            .iter()
            .zip(&memories)
            .filter_map(|(row, memory)| Some((*row, &memory.as_ref()?.body)))
            .collect();
        let bodies: Vec<&Body> = found.iter().map(|(_, body)| *body).collect();
        let codes = self.codes(&bodies)?;
        self.write(namespace, |cx| {
            let mut stored = 0;
            let rows: Vec<Row> = found.iter().map(|(row, _)| *row).collect();
            // A row may have been deleted since; its vector must not come back.
            let alive = annals_records::memories(&*cx.txn, namespace, &rows, None)?;
            for (((row, _), code), alive) in found.iter().zip(&codes).zip(alive) {
                if alive.is_some() {
                    space.put_late(cx.txn, *row, code)?;
                    stored += 1;
                }
            }
            Ok(stored)
        })
    }

    /// Makes recall search the new vectors from this commit on, and clears the others.
    fn switch(&self, namespace: NamespaceId) -> Result<u64, Error> {
        let old = self.write(namespace, |cx| {
            let ns = cx.ns;
            let own = self.own_space(cx.txn, ns)?;
            let old = Spaces::keep(cx.txn, ns, own.number())?;
            cx.add(Change {
                reload: true,
                ..Change::default()
            });
            Ok(old)
        })?;
        self.clear_vectors(namespace)?;
        Ok(u64::try_from(old).unwrap_or(u64::MAX))
    }

    /// Clears the vectors of embedders that are no longer searched, until the engine is closed; a
    /// later call clears the rest.
    pub(crate) fn clear_vectors(&self, namespace: NamespaceId) -> Result<(), Error> {
        for space in annals_vector::store::doomed(&self.snapshot()?, namespace)? {
            while !self.store.write(|txn| space.clear(txn, CLEAR_KEYS))?.0 {
                if self.worker.is_stopping() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Clears what the worker has not come to.
    pub fn finish_clearing(&self) -> Result<(), Error> {
        let namespaces = annals_vector::store::clearing(&self.snapshot()?)?;
        namespaces
            .into_iter()
            .try_for_each(|namespace| self.clear_vectors(namespace))
    }

    /// Has the worker go on with clearing that a crash interrupted.
    pub(crate) fn resume_clearing(&self) -> Result<(), Error> {
        for namespace in annals_vector::store::clearing(&self.store.snapshot()?)? {
            self.worker.wake(namespace);
        }
        Ok(())
    }
}
