//! Memories: what they support, their links and derivations.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::AnyTable;
use annals_types::{NamespaceId, Row};

use super::expected::Graph;
use super::{Shelves, Validation};
use crate::TripleId;
use crate::roster::LinkEnd;
use crate::tables::{DERIVED, EVIDENCE, LINKS, ROWS, SOURCES, SUPPORTS, TABLES, TRIPLES};

pub(super) fn check(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    evidence(ns, graph, report);
    let mut said: BTreeSet<(TripleId, Row)> = BTreeSet::new();
    let mut links = 0_u64;
    for row in shelves.raw(ROWS.keyspace()) {
        let memory = row.key.get(..8).and_then(|key| ROWS.parse(key));
        let known = memory.is_some_and(|(_, memory)| graph.rows.contains_key(&memory));
        let read = |table: &&dyn AnyTable| table.check(row.key, row.version, row.body).is_some();
        if !known
            || !TABLES
                .iter()
                .filter(|table| table.keyspace() == row.keyspace)
                .any(read)
        {
            report.stray_at(row.keyspace, row.key);
        }
    }
    for ((_, row, ()), list) in shelves.rows(&SUPPORTS, report) {
        said.extend(list.0.into_iter().map(|triple| (triple, row)));
    }
    for (key, _) in shelves.rows(&LINKS, report) {
        let end = LinkEnd::of(key);
        links += u64::from(end.leaves);
        if shelves.get(&LINKS, end.turned().key(ns)) != shelves.get(&LINKS, key) {
            report.missing(&LINKS, end.turned().key(ns), "its other end");
        }
    }
    for ((_, row, (), source), ()) in shelves.rows(&SOURCES, report) {
        if shelves.get(&DERIVED, (ns, source, (), row)).is_none() {
            report.missing(&DERIVED, (ns, source, (), row), "its other end");
        }
    }
    for ((_, row, (), derived), ()) in shelves.rows(&DERIVED, report) {
        if shelves.get(&SOURCES, (ns, derived, (), row)).is_none() {
            report.missing(&SOURCES, (ns, derived, (), row), "its other end");
        }
    }
    report.counter("links", None, graph.head.links, links);
    for (triple, row) in graph.evidence.keys() {
        if !said.remove(&(*triple, *row)) {
            report.missing(&SUPPORTS, (ns, *row, ()), "its evidence");
        }
    }
    for (triple, row) in said {
        report.missing(&EVIDENCE, (ns, triple, row), "its memory");
    }
}

/// The counts of triples are those of their evidence.
fn evidence(ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut counted: BTreeMap<TripleId, (u32, u32)> = BTreeMap::new();
    for (triple, row) in graph.evidence.keys() {
        if !graph.triples.contains_key(triple) {
            report.stray(&EVIDENCE, (ns, *triple, *row));
        }
        let Some(record) = graph.rows.get(row) else {
            report.missing(&ROWS, (ns, *row), "its evidence");
            continue;
        };
        let (evidence, supported) = counted.entry(*triple).or_default();
        *evidence += 1;
        *supported += u32::from(record.supports());
    }
    for (id, record) in &graph.triples {
        let (evidence, supported) = counted.remove(id).unwrap_or_default();
        report.counter("evidence", Some(id.0), record.evidence, evidence);
        report.counter("support", Some(id.0), record.supported, supported);
        if evidence == 0 {
            report.stray(&TRIPLES, (ns, *id));
        }
    }
}
