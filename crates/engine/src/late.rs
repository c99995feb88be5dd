//! Vectors that are made after their memories are stored, where whoever stores them must not wait
//! for the embedder.

use std::collections::BTreeSet;

use annals_storage::table::Mark;
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Body, NamespaceId, Row};
use annals_vector::store::Spaces;

use crate::Error;
use crate::{Change, Engine};

/// Memories whose vectors are still to be made.
pub(crate) const UNEMBEDDED: Table<(NamespaceId, Row), Mark> = Table::new("annals.unembedded");
/// Memories embedded and stored at a time.
const BATCH: usize = 64;

/// Notes that a memory has no vector yet.
pub(crate) fn note(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row) -> Result<(), Error> {
    Ok(UNEMBEDDED.put(txn, (ns, row), &())?)
}

/// Drops what is noted of rows that are about to go.
pub(crate) fn unnote(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<(), Error> {
    for row in rows {
        UNEMBEDDED.delete(txn, (ns, *row))?;
    }
    Ok(())
}

/// Whether a memory waits for its vector.
pub(crate) fn any(reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
    Ok(!UNEMBEDDED.is_empty(reads, UNEMBEDDED.within(ns))?)
}

/// Rows of a namespace that have no vector of any embedder and do not wait for one either.
pub(crate) fn lacking(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Row>, Error> {
    let mut known: BTreeSet<Row> = first(reads, ns, usize::MAX)?.into_iter().collect();
    for info in Spaces::read(reads, ns)?.all() {
        known.extend(info.space(ns).rows(reads)?);
    }
    Ok(rows
        .iter()
        .copied()
        .filter(|row| !known.contains(row))
        .collect())
}

/// The first memories that wait for their vectors, at most so many.
fn first(reads: &dyn Reads, ns: NamespaceId, most: usize) -> Result<Vec<Row>, Error> {
    let found = UNEMBEDDED.rows(reads, UNEMBEDDED.within(ns), most)?;
    Ok(found.into_iter().map(|((_, row), ())| row).collect())
}

/// Names contradictions: rows without a vector, vectors and notes without a row.
pub(crate) fn validate(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<String>, Error> {
    let mut problems: Vec<String> = Vec::new();
    let there: BTreeSet<Row> = rows.iter().copied().collect();
    for info in Spaces::read(reads, ns)?.all() {
        let gone = info
            .space(ns)
            .rows(reads)?
            .into_iter()
            .filter(|row| !there.contains(row));
        problems.extend(gone.map(|row| {
            format!(
                "vectors of {}: row {}, which is not there",
                info.fingerprint, row.0
            )
        }));
    }
    let waiting = first(reads, ns, usize::MAX)?
        .into_iter()
        .filter(|row| !there.contains(row));
    problems
        .extend(waiting.map(|row| format!("row {} waits for its vector and is not there", row.0)));
    let lacking = lacking(reads, ns, rows)?;
    problems.extend(
        lacking
            .iter()
            .map(|row| format!("row {} has no vector and does not wait for one", row.0)),
    );
    let strays = annals_vector::store::strays(reads, ns)?;
    problems.extend(
        strays
            .iter()
            .map(|space| format!("vectors of space {}, which no list names", space.number())),
    );
    Ok(problems)
}

impl Engine {
    /// Has memories wait for their vectors that have none and do not wait: what an interrupted or
    /// mistaken write left.
    pub(crate) fn note_lacking(&self, namespace: NamespaceId, rows: &[Row]) -> Result<(), Error> {
        let lacking = lacking(&self.snapshot()?, namespace, rows)?;
        if lacking.is_empty() {
            return Ok(());
        }
        tracing::warn!(
            namespace = namespace.0,
            rows = lacking.len(),
            "memories without a vector get one"
        );
        let note = |txn: &mut Transaction<'_>| -> Result<(), Error> {
            let alive = annals_records::memories(&*txn, namespace, &lacking, None)?;
            let rows = lacking
                .iter()
                .zip(alive)
                .filter(|(_, memory)| memory.is_some());
            rows.map(|(row, _)| *row)
                .try_for_each(|row| self::note(txn, namespace, row))
        };
        self.store.write(note)?;
        Ok(())
    }

    /// Makes the vectors that memories of a namespace wait for.
    pub fn embed_late(&self, namespace: NamespaceId) -> Result<(), Error> {
        loop {
            let snapshot = self.snapshot()?;
            let rows = first(&snapshot, namespace, BATCH)?;
            if rows.is_empty() || self.worker.is_stopping() {
                return Ok(());
            }
            let memories = annals_records::memories(&snapshot, namespace, &rows, None)?;
            let told: Vec<(Row, &Body)> = rows
                .iter()
                .zip(&memories)
                .filter_map(|(row, memory)| Some((*row, &memory.as_ref()?.body)))
                .collect();
            let bodies: Vec<&Body> = told.iter().map(|(_, body)| *body).collect();
            let codes = if bodies.is_empty() {
                Vec::new()
            } else {
                self.codes(&bodies)?
            };
            let stored = self.write(namespace, |cx| {
                let ns = cx.ns;
                let space = self.own_space(cx.txn, ns)?;
                let mut change = Change {
                    space: Some(space),
                    ..Change::default()
                };
                let alive = annals_records::memories(
                    &*cx.txn,
                    ns,
                    &told.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
                    None,
                )?;
                for (((row, _), code), alive) in told.iter().zip(&codes).zip(alive) {
                    // One that was deleted since gets no vector, nor one that was embedded in
                    // another way meanwhile.
                    if alive.is_some() && space.get(&*cx.txn, self.shape, *row)?.is_none() {
                        space.put_late(cx.txn, *row, code)?;
                        change.codes.push((*row, code.clone()));
                    }
                }
                unnote(cx.txn, ns, &rows)?;
                cx.add(change);
                Ok(())
            });
            match stored {
                Err(error) if error.is_gone() => return Ok(()),
                stored => stored?,
            }
        }
    }
}
