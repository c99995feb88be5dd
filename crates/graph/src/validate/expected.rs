//! The primary records, and what must follow from them.

use std::collections::BTreeMap;

use annals_types::Row;

use super::{Shelves, Validation, read};
use crate::key::Parts;
use crate::keyspaces::{HEADS, MERGES, NODES, ROWS, TRIPLES};
use crate::record::{EntityRecord, EvidenceRecord, Head, MergeRecord, RowRecord, TripleRecord};
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
        for (key, value) in shelves.of(HEADS) {
            graph.head = read(report, HEADS, key, value).unwrap_or_default();
        }
        for (key, value) in shelves.of(NODES).filter(|(key, _)| key.len() == 8) {
            let mut parts = Parts::behind_namespace(key);
            if let (Some(id), Some(record)) = (parts.number(), read(report, NODES, key, value)) {
                graph.entities.insert(EntityId(id), record);
            }
        }
        for (key, value) in shelves.of(TRIPLES) {
            let mut parts = Parts::behind_namespace(key);
            match (parts.number(), parts.number(), parts.ended()) {
                (Some(id), None, true) => {
                    graph.triples.extend(read(report, TRIPLES, key, value).map(|record| (TripleId(id), record)));
                }
                (Some(id), Some(row), true) => {
                    let said = read(report, TRIPLES, key, value);
                    graph.evidence.extend(said.map(|record| ((TripleId(id), Row(row)), record)));
                }
                _ => report.stray(TRIPLES, key),
            }
        }
        for (key, value) in shelves.of(ROWS).filter(|(key, _)| key.len() == 8) {
            if let (Some(row), Some(record)) = (Parts::behind_namespace(key).number(), read(report, ROWS, key, value)) {
                graph.rows.insert(Row(row), record);
            }
        }
        for (key, value) in shelves.of(MERGES) {
            if let (Some(id), Some(record)) = (Parts::behind_namespace(key).number(), read(report, MERGES, key, value))
            {
                graph.merges.insert(MergeId(id), record);
            }
        }
        graph
    }

    /// What an entity became by merges; `None` when they lead nowhere or in a circle.
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
