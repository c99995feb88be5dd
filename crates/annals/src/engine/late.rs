//! Vectors that are made after their memories are stored, where whoever stores them must not wait for the embedder.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::{Body, NamespaceId, Row};

use super::{Change, Engine};
use crate::Error;

/// Namespace, row -> nothing: a memory whose vector is still to be made.
pub(crate) const UNEMBEDDED: Keyspace = Keyspace::new("annals.unembedded");
/// The version of its values.
const VERSION: u8 = 1;
/// Memories embedded and stored at a time.
const BATCH: usize = 64;

fn key(ns: NamespaceId, row: Row) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(&row.0.to_be_bytes());
    key
}

/// Notes that a memory has no vector yet.
pub(crate) fn note(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row) -> Result<(), Error> {
    txn.put(UNEMBEDDED, &key(ns, row), VERSION, &[])?;
    Ok(())
}

/// Drops what is noted of rows that are about to go.
pub(crate) fn unnote(txn: &mut Transaction<'_>, ns: NamespaceId, rows: &[Row]) -> Result<(), Error> {
    for row in rows {
        txn.delete(UNEMBEDDED, &key(ns, *row))?;
    }
    Ok(())
}

/// Whether a memory waits for its vector.
pub(crate) fn any(reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
    Ok(!first(reads, ns, 1)?.is_empty())
}

/// The first memories that wait for their vectors, at most so many.
fn first(reads: &dyn Reads, ns: NamespaceId, most: usize) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    reads.scan(&[KeyRange::prefix(UNEMBEDDED, &ns.prefix())], &mut |_, key, _, _| {
        rows.extend(key.last_chunk::<4>().map(|bytes| Row(u32::from_be_bytes(*bytes))));
        Ok(if rows.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    Ok(rows)
}

impl Engine {
    /// Makes the vectors that memories of a namespace wait for.
    pub(crate) fn embed_late(&self, namespace: NamespaceId) -> Result<(), Error> {
        loop {
            let snapshot = self.snapshot()?;
            let rows = first(&snapshot, namespace, BATCH)?;
            if rows.is_empty() || self.worker.is_stopping() {
                return Ok(());
            }
            let Some(found) = annals_records::namespace::by_number(&snapshot, namespace)? else { return Ok(()) };
            let memories = annals_records::memories(&snapshot, namespace, &rows, None)?;
            let told: Vec<(Row, &Body)> =
                rows.iter().zip(&memories).filter_map(|(row, memory)| Some((*row, &memory.as_ref()?.body))).collect();
            let bodies: Vec<&Body> = told.iter().map(|(_, body)| *body).collect();
            let codes = if bodies.is_empty() { Vec::new() } else { self.codes(&bodies)? };
            self.write(&found.name, false, |txn, ns| {
                let space = self.own_space(txn, ns)?;
                let mut change = Change { space: Some(space), ..Change::default() };
                let alive =
                    annals_records::memories(&*txn, ns, &told.iter().map(|(row, _)| *row).collect::<Vec<_>>(), None)?;
                for (((row, _), code), alive) in told.iter().zip(&codes).zip(alive) {
                    // One that was deleted since gets no vector, nor one that was embedded in another way meanwhile.
                    if alive.is_some() && space.get(&*txn, self.shape, *row)?.is_none() {
                        space.put_late(txn, *row, code)?;
                        change.codes.push((*row, code.clone()));
                    }
                }
                unnote(txn, ns, &rows)?;
                Ok(((), change))
            })?;
        }
    }
}
