//! Entities, names, merges and index rows.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::Keyspace;
use annals_types::NamespaceId;

use super::expected::Graph;
use super::{Shelves, Validation, read};
use crate::key::{ABSORBED, Edge, IN, OUT, Parts};
use crate::keyspaces::{LABELS, MERGES, NAMES, NODES, PREDICATES, VECTORS};
use crate::label::{self, LabelClass};
use crate::record::Flags;
use crate::settle::Index;
use crate::value::Mark;
use crate::{Embedding, EntityId, LabelId, key};

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
    let mut expected: BTreeMap<(Keyspace, Vec<u8>), (u8, Vec<u8>)> = BTreeMap::new();
    for (id, record) in &graph.triples {
        let ends = graph.root(record.subject).zip(graph.root(record.object));
        match ends.map(|ends| Index::of(ns, *id, record, ends)) {
            Some(Ok(index)) => expected.extend(index.rows),
            _ => report.missing(NODES, &key::entity(ns, record.subject).bytes(), "a triple"),
        }
    }
    for keyspace in [NODES, PREDICATES] {
        for (key, value) in shelves.of(keyspace) {
            let index_row = keyspace == PREDICATES || matches!(key.get(8), Some(&(OUT | IN)));
            if !index_row {
                continue;
            }
            match expected.remove(&(keyspace, key.clone())) {
                Some(row) if row == *value => {}
                Some(_) => report.missing(keyspace, key, "its triple"),
                None => report.stray(keyspace, key),
            }
        }
    }
    for (keyspace, key) in expected.keys() {
        report.missing(*keyspace, key, "its triple");
    }
}

/// The counts of entities and of the head are those of the index rows.
fn counts(shelves: &Shelves, graph: &Graph, report: &mut Validation) {
    let mut counted: BTreeMap<EntityId, Counts> = BTreeMap::new();
    for (key, value) in shelves.of(NODES) {
        let Some(edge) = Edge::parse(key) else { continue };
        let Some(flags) = read::<Flags>(report, NODES, key, value) else { continue };
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
    let visible = graph.triples.values().filter(|record| record.supported > 0).count();
    report.counter("entities", None, head.entities, graph.entities.len() as u64);
    report.counter("triples", None, head.triples, graph.triples.len() as u64);
    report.counter("visible triples", None, head.visible, visible as u64);
    report.counter("evidence", None, head.evidence, graph.evidence.len() as u64);
    report.counter("merges", None, head.merges, graph.merges.len() as u64);
    let next = |last: Option<u32>| last.map_or(0, |last| u64::from(last) + 1);
    let entity = next(graph.entities.keys().last().map(|id| id.0));
    let triple = next(graph.triples.keys().last().map(|id| id.0));
    for (counter, said, least) in [("next entity", head.next_entity, entity), ("next triple", head.next_triple, triple)]
    {
        report.counter(counter, None, said, u64::from(said).max(least));
    }
}

/// Entities are found by their names and by nothing else; embeddings have an entity.
fn names(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let named = graph.entities.iter().filter(|(_, record)| !record.hollow);
    let mut expected: BTreeSet<Vec<u8>> = named.flat_map(|(id, record)| record.name_keys(ns, *id)).collect();
    for (key, value) in shelves.of(NAMES) {
        read::<Mark>(report, NAMES, key, value);
        if !expected.remove(key) {
            report.stray(NAMES, key);
        }
    }
    for key in expected {
        report.missing(NAMES, &key, "its entity");
    }
    for (key, value) in shelves.of(VECTORS) {
        read::<Embedding>(report, VECTORS, key, value);
        let id = Parts::behind_namespace(key).number().map(EntityId);
        if id.is_none_or(|id| !graph.entities.contains_key(&id)) {
            report.stray(VECTORS, key);
        }
    }
}

/// Merges, redirects and the lists of what was absorbed tell the same.
fn merges(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut absorbed: BTreeMap<EntityId, u32> = BTreeMap::new();
    for (id, record) in &graph.entities {
        let Some(redirect) = record.redirect else { continue };
        *absorbed.entry(redirect.into).or_default() += 1;
        let merge = graph.merges.get(&redirect.merge);
        if merge.is_none_or(|merge| (merge.source, merge.target) != (*id, redirect.into)) {
            report.missing(MERGES, &key::merge(ns, redirect.merge).bytes(), "a redirect");
        }
        let place = key::entity(ns, redirect.into).byte(ABSORBED).number(id.0).bytes();
        if shelves.get(NODES, &place).is_none() {
            report.missing(NODES, &place, "a redirect");
        }
        if graph.root(*id).is_none() {
            report.missing(NODES, &key::entity(ns, redirect.into).bytes(), "a redirect");
        }
    }
    for (id, record) in &graph.entities {
        report.counter("absorbed", Some(id.0), record.absorbed, absorbed.get(id).copied().unwrap_or(0));
    }
    for (id, merge) in &graph.merges {
        let redirect = graph.entities.get(&merge.source).and_then(|record| record.redirect);
        if redirect.is_none_or(|redirect| redirect.merge != *id) {
            report.stray(MERGES, &key::merge(ns, *id).bytes());
        }
    }
    for (key, value) in shelves.of(NODES).filter(|(key, _)| key.get(8) == Some(&ABSORBED)) {
        read::<Mark>(report, NODES, key, value);
        let mut parts = Parts::behind_namespace(key);
        let ends = (parts.number().map(EntityId), parts.byte(), parts.number().map(EntityId));
        let redirect = ends.2.and_then(|child| graph.entities.get(&child)?.redirect);
        if redirect.map(|redirect| redirect.into) != ends.0 || redirect.is_none() {
            report.stray(NODES, key);
        }
    }
}

/// Labels lead to numbers and back, and every number in use has one.
fn labels(shelves: &Shelves, ns: NamespaceId, graph: &Graph, report: &mut Validation) {
    let mut known: BTreeSet<(u8, u32)> = BTreeSet::new();
    for (key, value) in shelves.of(LABELS) {
        let mut parts = Parts::behind_namespace(key);
        let class = parts.byte().unwrap_or(u8::MAX);
        let of = |class: u8| LabelClass::ALL.iter().copied().find(|known| known.to_byte() == class);
        let agrees = if class & label::BY_NUMBER == 0 {
            let Some(number) = read::<LabelId>(report, LABELS, key, value) else { continue };
            known.insert((class, number.0));
            let text = of(class).and_then(|class| shelves.get(LABELS, &label::by_number(ns, class, number)));
            let said = text.and_then(|text| std::str::from_utf8(&text.1).ok()).zip(of(class));
            // A predicate is found as it is compared, one of an earlier version as it was said.
            said.is_some_and(|(said, class)| {
                [said, &label::folded(class, said)].iter().any(|text| text.as_bytes() == parts.rest())
            })
        } else {
            let Some(text) = read::<String>(report, LABELS, key, value) else { continue };
            let number = parts.number().unwrap_or(0).to_le_bytes();
            let leads = |class, text: &str| {
                let found = shelves.get(LABELS, &label::by_text(ns, class, text));
                found.is_some_and(|found| found.1 == number)
            };
            let fits = |class: LabelClass| {
                class.check(&text).is_ok() && (leads(class, &text) || leads(class, &label::folded(class, &text)))
            };
            of(class & !label::BY_NUMBER).is_some_and(fits)
        };
        if !agrees {
            report.missing(LABELS, key, "its other direction");
        }
    }
    let predicates = graph.triples.values().map(|record| (LabelClass::Predicate, record.predicate.0));
    let conditions = graph.triples.values().filter_map(|record| record.qualifier.condition());
    let conditions = conditions.map(|label| (LabelClass::Condition, label.0));
    let kinds = graph.entities.values().filter(|record| record.kind > 0);
    let kinds = kinds.map(|record| (LabelClass::Kind, record.kind));
    for (class, number) in predicates.chain(conditions).chain(kinds) {
        if !known.contains(&(class.to_byte(), number)) {
            report.missing(LABELS, &label::by_number(ns, class, LabelId(number)), "what uses it");
        }
    }
}
