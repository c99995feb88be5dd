//! Entities, names, merges and index rows.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::NamespaceId;

use super::expected::Graph;
use super::{Shelves, Validation};
use crate::label::{self, LabelClass};
use crate::ledger::{Place, place};
use crate::number::FAR;
use crate::record::Flags;
use crate::settle::Index;
use crate::tables::{
    ABSORBED, ABSORBING, ARCS, EDGES, ENTITIES, Edge, LABEL_TEXTS, LABELS, MERGES, NAMES, VECTORS,
};
use crate::{EntityId, LabelId, TripleId};

/// Counts of an entity's edges: its own, those that meet there, the visible ones.
type Counts = (u32, u32, u32);

pub(super) fn check(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    index(shelves, ns, graph, report);
    counts(shelves, graph, report);
    names(shelves, ns, graph, report);
    merges(shelves, ns, graph, report);
    labels(shelves, ns, graph, report);
}

/// The index rows are those that follow from the triples.
fn index(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut expected: BTreeMap<Place, Vec<u8>> = BTreeMap::new();
    for (id, record) in &graph.triples {
        let ends = graph.root(record.subject).zip(graph.root(record.object));
        match ends.map(|ends| Index::of(ns, *id, record, ends)) {
            Some(Ok(index)) => expected.extend(index.rows),
            _ => report.missing(&ENTITIES, (ns, record.subject), "a triple"),
        }
    }
    let edges = shelves
        .raw(EDGES.keyspace())
        .filter(|row| row.key.get(8).is_some_and(|tag| *tag != ABSORBING));
    for row in edges.chain(shelves.raw(ARCS.keyspace())) {
        let place = (row.keyspace, row.key.to_vec());
        match expected.remove(&place) {
            Some(versioned) if versioned.split_first() == Some((&row.version, row.body)) => {}
            Some(_) => report.missing_at(&place, "its triple"),
            None => report.stray_at(row.keyspace, row.key),
        }
    }
    for place in expected.keys() {
        report.missing_at(place, "its triple");
    }
}

/// The counts of entities and of the head are those of the index rows.
fn counts(shelves: &Shelves, graph: &Graph, report: &mut Validation) {
    let mut counted: BTreeMap<EntityId, Counts> = BTreeMap::new();
    for (key, flags) in shelves.rows(&EDGES, report) {
        let edge = Edge::of(key);
        let (own, edges, visible) = counted.entry(edge.entity).or_default();
        *own += u32::from(!flags.has(Flags::MERGED));
        if !flags.has(Flags::SHADOW) {
            *edges += 1;
            *visible += u32::from(flags.has(Flags::VISIBLE));
        }
    }
    for (id, record) in &graph.entities {
        let (own, edges, visible) = counted.remove(id).unwrap_or_default();
        report.counter("own edges", Some(id.0), record.own, own);
        report.counter("edges", Some(id.0), record.edges, edges);
        report.counter("visible edges", Some(id.0), record.visible, visible);
        if own == 0 && !record.kept && record.absorbed == 0 {
            report.counter("reasons to be", Some(id.0), 1_u32, 0_u32);
        }
    }
    let head = &graph.head;
    let visible = graph
        .triples
        .values()
        .filter(|record| record.supported > 0)
        .count();
    report.counter("entities", None, head.entities, graph.entities.len() as u64);
    report.counter("triples", None, head.triples, graph.triples.len() as u64);
    report.counter("visible triples", None, head.visible, visible as u64);
    report.counter("evidence", None, head.evidence, graph.evidence.len() as u64);
    report.counter("merges", None, head.merges, graph.merges.len() as u64);
    let next = |last: Option<u32>| last.map_or(0, |last| u64::from(last) + 1);
    let entity = next(
        graph
            .entities
            .range(..EntityId(FAR))
            .next_back()
            .map(|(id, _)| id.0),
    );
    let triple = next(
        graph
            .triples
            .range(..TripleId(FAR))
            .next_back()
            .map(|(id, _)| id.0),
    );
    for (counter, said, least) in [
        ("next entity", head.next_entity, entity),
        ("next triple", head.next_triple, triple),
    ] {
        report.counter(counter, None, said, u64::from(said).max(least));
    }
}

/// Entities are found by their names and by nothing else; embeddings have an entity.
fn names(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let named = graph.entities.iter().filter(|(_, record)| !record.hollow);
    let mut expected: BTreeSet<Place> = BTreeSet::new();
    for (id, record) in named {
        expected.extend(
            record
                .normal_names()
                .iter()
                .map(|name| place(&NAMES, (ns, name, *id))),
        );
    }
    drop(shelves.rows(&NAMES, report));
    for row in shelves.raw(NAMES.keyspace()) {
        if !expected.remove(&(row.keyspace, row.key.to_vec())) {
            report.stray_at(row.keyspace, row.key);
        }
    }
    for place in &expected {
        report.missing_at(place, "its entity");
    }
    drop(shelves.rows(&VECTORS, report));
    for row in shelves.raw(VECTORS.keyspace()) {
        if VECTORS
            .parse(row.key)
            .is_none_or(|(_, id)| !graph.entities.contains_key(&id))
        {
            report.stray_at(row.keyspace, row.key);
        }
    }
}

/// Merges, redirects and the lists of what was absorbed tell the same.
fn merges(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut absorbed: BTreeMap<EntityId, u32> = BTreeMap::new();
    for (id, record) in &graph.entities {
        let Some(redirect) = record.redirect else {
            continue;
        };
        *absorbed.entry(redirect.into).or_default() += 1;
        let merge = graph.merges.get(&redirect.merge);
        if merge.is_none_or(|merge| (merge.source, merge.target) != (*id, redirect.into)) {
            report.missing(&MERGES, (ns, redirect.merge), "a redirect");
        }
        let place = (ns, redirect.into, (), *id);
        if shelves.get(&ABSORBED, place).is_none() {
            report.missing(&ABSORBED, place, "a redirect");
        }
        if graph.root(*id).is_none() {
            report.missing(&ENTITIES, (ns, redirect.into), "a redirect");
        }
    }
    for (id, record) in &graph.entities {
        report.counter(
            "absorbed",
            Some(id.0),
            record.absorbed,
            absorbed.get(id).copied().unwrap_or(0),
        );
    }
    for (id, merge) in &graph.merges {
        let redirect = graph
            .entities
            .get(&merge.source)
            .and_then(|record| record.redirect);
        if redirect.is_none_or(|redirect| redirect.merge != *id) {
            report.stray(&MERGES, (ns, *id));
        }
    }
    for (key, ()) in shelves.rows(&ABSORBED, report) {
        let redirect = graph
            .entities
            .get(&key.3)
            .and_then(|record| record.redirect);
        if redirect.map(|redirect| redirect.into) != Some(key.1) {
            report.stray(&ABSORBED, key);
        }
    }
}

/// Labels lead to numbers and back, and every number in use has one.
fn labels(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut known: BTreeSet<(LabelClass, u32)> = BTreeSet::new();
    let (mut numbers, mut texts) = (BTreeMap::new(), BTreeMap::new());
    numbers.extend(
        shelves
            .rows(&LABELS, report)
            .into_iter()
            .map(|((_, class, text), number)| ((class, text), number)),
    );
    let by_number = shelves.rows(&LABEL_TEXTS, report);
    texts.extend(
        by_number
            .into_iter()
            .map(|((_, class, number), text)| ((class, number), text)),
    );
    for ((class, text), number) in &numbers {
        known.insert((*class, number.0));
        // A predicate is found as it is compared, one of an earlier version as it was said.
        let said = texts.get(&(*class, *number));
        if !said.is_some_and(|said| said == text || label::folded(*class, said) == *text) {
            report.missing(&LABELS, (ns, *class, text), "its other direction");
        }
    }
    for ((class, number), text) in &texts {
        let leads = |text: &str| numbers.get(&(*class, text)) == Some(number);
        if class.check(text).is_err() || !(leads(text) || leads(&label::folded(*class, text))) {
            report.missing(&LABEL_TEXTS, (ns, *class, *number), "its other direction");
        }
    }
    for row in shelves.raw(LABELS.keyspace()) {
        if LABELS.parse(row.key).is_none() && LABEL_TEXTS.parse(row.key).is_none() {
            report.missing_at(&(row.keyspace, row.key.to_vec()), "its other direction");
        }
    }
    let predicates = graph
        .triples
        .values()
        .map(|record| (LabelClass::Predicate, record.predicate.0));
    let conditions = graph
        .triples
        .values()
        .filter_map(|record| record.qualifier.condition());
    let conditions = conditions.map(|label| (LabelClass::Condition, label.0));
    let kinds = graph.entities.values().filter(|record| record.kind > 0);
    let kinds = kinds.map(|record| (LabelClass::Kind, record.kind));
    for (class, number) in predicates.chain(conditions).chain(kinds) {
        if !known.contains(&(class, number)) {
            report.missing(&LABEL_TEXTS, (ns, class, LabelId(number)), "what uses it");
        }
    }
}
