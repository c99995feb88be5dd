//! Memories as rows of the graph, and rows as memories.

use std::collections::BTreeMap;

use annals_graph::{Scope, StateChange, Support};
use annals_records::RecordError;
use annals_storage::{Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Row, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::compiled::support;
use crate::{Engine, ends};

/// The ids of the memories that some rows belong to.
pub struct Owners {
    namespace: NamespaceId,
    ids: BTreeMap<Row, MemoryId>,
}

impl Owners {
    /// One round of reads.
    pub fn of(
        reads: &dyn Reads,
        ns: NamespaceId,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Self, Error> {
        let mut rows: Vec<Row> = rows.into_iter().collect();
        rows.sort_unstable();
        rows.dedup();
        let ids = annals_records::ids_of(reads, ns, &rows)?;
        let ids = rows
            .into_iter()
            .zip(ids)
            .filter_map(|(row, id)| Some((row, id?)))
            .collect();
        Ok(Self { namespace: ns, ids })
    }

    /// The memory of a row that the graph knows.
    pub fn get(&self, row: Row) -> Result<MemoryId, Error> {
        let missing = || annals_graph::unowned(self.namespace, row).into();
        self.ids.get(&row).copied().ok_or_else(missing)
    }
}

/// The rows of memories that must be there.
pub fn rows(reads: &dyn Reads, ns: NamespaceId, ids: &[MemoryId]) -> Result<Vec<Row>, Error> {
    let found = annals_records::find_rows(reads, ns, ids)?;
    ids.iter()
        .zip(found)
        .map(|(id, row)| row.ok_or(RecordError::NotFound { id: *id }.into()))
        .collect()
}

/// The rows of memories that must be there, made known to the graph.
pub fn known(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
) -> Result<Vec<Row>, Error> {
    let rows = rows(&*txn, ns, ids)?;
    let states = annals_graph::states(&*txn, ns, &rows)?;
    for ((id, row), _) in ids
        .iter()
        .zip(&rows)
        .zip(states)
        .filter(|(_, states)| states.is_none())
    {
        let mut states: Vec<StateChange> = annals_records::status_history(&*txn, ns, *id)?
            .into_iter()
            .map(|(time, status)| StateChange {
                time,
                state: support(status),
            })
            .collect();
        let memory = annals_records::memories(&*txn, ns, &[*row], None)?
            .pop()
            .flatten();
        if memory.is_some_and(|memory| memory.superseded_by.is_some()) {
            states.push(StateChange {
                time: now,
                state: Support::Superseded,
            });
        }
        annals_graph::introduce(txn, ns, *row, &states)?;
    }
    ends::settle(txn, ns, now, &rows)?;
    Ok(rows)
}

/// Those of some rows that are there, made known to the graph.
pub fn known_rows(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    wanted: &[Row],
) -> Result<Vec<Row>, Error> {
    let ids = annals_records::ids_of(&*txn, ns, wanted)?;
    let ids: Vec<MemoryId> = ids.into_iter().flatten().collect();
    let rows = known(txn, ns, now, &ids)?;
    Ok(rows
        .into_iter()
        .filter(|row| wanted.contains(row))
        .collect())
}

/// Takes a link between two rows away; answers whether it was there.
pub fn unlink(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    from: Row,
    relation: &str,
    to: Row,
) -> Result<bool, Error> {
    let relation = annals_graph::relation(scope.settings, relation)?;
    let class = annals_graph::LabelClass::Relation;
    let number = annals_graph::label_numbers(&*txn, scope.ns, class, &[relation.name.as_str()])?
        .pop()
        .flatten();
    let Some(number) = number else {
        return Ok(false);
    };
    let (from, to) = if relation.swapped {
        (to, from)
    } else {
        (from, to)
    };
    Ok(annals_graph::unlink(
        txn,
        scope.ns,
        annals_graph::Link {
            from,
            relation: number,
            to,
        },
    )?)
}

impl Engine {
    /// Runs a job that changes the graph alone.
    pub fn change_graph<T: Send>(
        &self,
        ns: NamespaceId,
        mut job: impl FnMut(&mut Transaction<'_>, Scope<'_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write(ns, |cx| job(cx.txn, cx.scope()))
    }

    /// Changes the graph, where the answer is kept with the mark of its request: such an answer
    /// holds no words.
    pub fn change_graph_kept<T: Send + Serialize + DeserializeOwned>(
        &self,
        ns: NamespaceId,
        mut job: impl FnMut(&mut Transaction<'_>, Scope<'_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write_kept(ns, |cx| job(cx.txn, cx.scope()))
    }
}
