//! The primary records, and what must follow from them.

use std::collections::BTreeMap;

use annals_types::Row;

use super::{Shelves, Validation};
use crate::record::{EntityRecord, EvidenceRecord, Head, MergeRecord, RowRecord, TripleRecord};
use crate::tables::{ENTITIES, EVIDENCE, HEADS, MERGES, ROWS, TRIPLES};
use crate::{EntityId, MergeId, TripleId};

/// The records of a graph.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) head: Head,
    pub(super) entities: BTreeMap<EntityId, EntityRecord>,
    pub(super) triples: BTreeMap<TripleId, TripleRecord>,
    pub(super) evidence: BTreeMap<(TripleId, Row), EvidenceRecord>,
    pub(super) rows: BTreeMap<Row, RowRecord>,
    pub(super) merges: BTreeMap<MergeId, MergeRecord>,
}

impl Graph {
    pub(super) fn read(shelves: &Shelves, report: &mut Validation) -> Self {
        let mut graph = Self::default();
        for (_, head) in shelves.rows(&HEADS, report) {
            graph.head = head;
        }
        graph.entities = shelves
            .rows(&ENTITIES, report)
            .into_iter()
            .map(|((_, id), record)| (id, record))
            .collect();
        graph.triples = shelves
            .rows(&TRIPLES, report)
            .into_iter()
            .map(|((_, id), record)| (id, record))
            .collect();
        let evidence = shelves.rows(&EVIDENCE, report);
        graph.evidence = evidence
            .into_iter()
            .map(|((_, id, row), record)| ((id, row), record))
            .collect();
        graph.rows = shelves
            .rows(&ROWS, report)
            .into_iter()
            .map(|((_, row), record)| (row, record))
            .collect();
        graph.merges = shelves
            .rows(&MERGES, report)
            .into_iter()
            .map(|((_, id), record)| (id, record))
            .collect();
        for row in shelves.raw(TRIPLES.keyspace()) {
            if TRIPLES.parse(row.key).is_none() && EVIDENCE.parse(row.key).is_none() {
                report.stray_at(row.keyspace, row.key);
            }
        }
        graph
    }

    /// The survivor of merges for an entity; `None` when they lead nowhere or in a circle.
    pub(super) fn root(&self, id: EntityId) -> Option<EntityId> {
        let mut at = id;
        for _ in 0..=self.entities.len() {
            match self.entities.get(&at)?.redirect {
                Some(redirect) => at = redirect.into,
                None => return Some(at),
            }
        }
        None
    }
}
