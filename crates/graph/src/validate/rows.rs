//! Memories: what they support, their links and derivations.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::{NamespaceId, Row};

use super::expected::Graph;
use super::{Shelves, Validation, read};
use crate::key::{DERIVED, LINK_IN, LINK_OUT, Parts, SOURCE, SUPPORTS};
use crate::keyspaces::{ROWS, TRIPLES};
use crate::record::{LinkRecord, Supports};
use crate::roster::LinkEnd;
use crate::value::Mark;
use crate::{TripleId, key};

pub(super) fn check(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    evidence(ns, graph, report);
    let mut said: BTreeSet<(TripleId, Row)> = BTreeSet::new();
    let mut links = 0_u64;
    for (key, value) in shelves.of(ROWS) {
        let mut parts = Parts::behind_namespace(key);
        let Some(row) = parts.number().map(Row) else { continue };
        if !graph.rows.contains_key(&row) {
            report.stray(ROWS, key);
            continue;
        }
        let other = match parts.byte() {
            None => continue,
            Some(SUPPORTS) => {
                let list = read::<Supports>(report, ROWS, key, value).unwrap_or_default();
                said.extend(list.0.into_iter().map(|triple| (triple, row)));
                continue;
            }
            Some(tag @ (LINK_OUT | LINK_IN)) => {
                read::<LinkRecord>(report, ROWS, key, value);
                links += u64::from(tag == LINK_OUT);
                LinkEnd::parse(key).map(|end| end.turned().key(ns))
            }
            Some(tag @ (SOURCE | DERIVED)) => {
                read::<Mark>(report, ROWS, key, value);
                let back = if tag == SOURCE { DERIVED } else { SOURCE };
                parts.number().map(|other| key::row(ns, Row(other)).byte(back).number(row.0).bytes())
            }
            Some(_) => None,
        };
        match other {
            Some(other) if shelves.get(ROWS, &other).is_some_and(|there| there == value) => {}
            Some(other) => report.missing(ROWS, &other, "its other end"),
            None => report.stray(ROWS, key),
        }
    }
    report.counter("links", None, graph.head.links, links);
    for (triple, row) in graph.evidence.keys() {
        if !said.remove(&(*triple, *row)) {
            report.missing(ROWS, &key::row(ns, *row).byte(SUPPORTS).bytes(), "its evidence");
        }
    }
    for (triple, row) in said {
        report.missing(TRIPLES, &key::evidence(ns, triple, row).bytes(), "its memory");
    }
}

/// The counts of triples are those of their evidence.
fn evidence(ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut counted: BTreeMap<TripleId, (u32, u32)> = BTreeMap::new();
    for (triple, row) in graph.evidence.keys() {
        let place = key::evidence(ns, *triple, *row).bytes();
        if !graph.triples.contains_key(triple) {
            report.stray(TRIPLES, &place);
        }
        let Some(record) = graph.rows.get(row) else {
            report.missing(ROWS, &key::row(ns, *row).bytes(), "its evidence");
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
            report.stray(TRIPLES, &key::triple(ns, *id).bytes());
        }
    }
}
