//! What is exported, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row};

use super::Export;
use crate::keyspaces::ROWS;
use crate::query::{Pattern, Triple, View, evidence, pattern};
use crate::{Entity, EntityId, GraphError, LinkView, Statement, TripleId, entities, links, said, statements, triples};

/// A triple with who says it.
pub(super) struct Arrow {
    pub(super) triple: Triple,
    pub(super) words: Statement,
    pub(super) said_by: Vec<Row>,
}

/// Everything that is exported.
pub(super) struct Drawing {
    pub(super) entities: Vec<Entity>,
    pub(super) memories: Vec<(Row, String)>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) links: Vec<LinkView>,
}

impl Drawing {
    pub(super) fn of(reads: &dyn Reads, ns: NamespaceId, what: &Export<'_>) -> Result<Self, GraphError> {
        let view = if what.dormant { View::NOW.with_dormant() } else { View::NOW };
        let rows: BTreeSet<Row> = match what.rows {
            Some(rows) => rows.iter().copied().collect(),
            None => known(reads, ns)?,
        };
        let found = match what.rows {
            Some(rows) => of_rows(reads, ns, rows, what.dormant)?,
            None => pattern(reads, ns, Pattern::ALL, view, None, usize::MAX)?.triples,
        };
        let ids: Vec<TripleId> = found.iter().flat_map(Triple::ids).collect();
        let mut sayers = ids.iter().copied().zip(evidence(reads, ns, &ids)?).collect::<BTreeMap<_, _>>();
        let words = statements(reads, ns, &found)?;
        let mut ends: BTreeSet<EntityId> = found.iter().flat_map(|t| [t.subject, t.object]).collect();
        let mut arrows = Vec::with_capacity(found.len());
        for (triple, words) in found.into_iter().zip(words) {
            let said_by = triple.ids().filter_map(|id| sayers.remove(&id)).flatten().map(|(row, _)| row);
            let said_by: BTreeSet<Row> = said_by.filter(|row| rows.contains(row)).collect();
            arrows.push(Arrow { triple, words, said_by: said_by.into_iter().collect() });
        }
        if what.rows.is_none() {
            let every = crate::list_entities(reads, ns, None, usize::MAX)?.into_iter();
            ends.extend(every.filter(|entity| entity.kept && entity.merged_into.is_none()).map(|entity| entity.id));
        }
        let ends: Vec<EntityId> = ends.into_iter().collect();
        let entities = entities(reads, ns, &ends)?.into_iter().flatten().collect();
        let mut between = Vec::new();
        for row in &rows {
            let leaving = links(reads, ns, *row)?.into_iter().filter(|view| view.link.from == *row);
            between.extend(leaving.filter(|v| rows.contains(&v.link.to) && (v.visible || what.dormant)));
        }
        let memories = rows.into_iter().map(|row| (row, (what.name)(row))).collect();
        Ok(Self { entities, memories, arrows, links: between })
    }
}

/// The memories that the graph knows.
fn known(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeSet<Row>, GraphError> {
    let mut rows = BTreeSet::new();
    crate::value::scan(reads, &[KeyRange::prefix(ROWS, &ns.prefix())], &mut |_, key, _, _| {
        rows.extend(crate::key::Parts::behind_namespace(key).number().map(Row));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// What some memories say, once each.
fn of_rows(reads: &dyn Reads, ns: NamespaceId, rows: &[Row], dormant: bool) -> Result<Vec<Triple>, GraphError> {
    let mut ids: BTreeSet<TripleId> = BTreeSet::new();
    for row in rows {
        ids.extend(said(reads, ns, *row)?.into_iter().map(|said| said.triple));
    }
    let ids: Vec<TripleId> = ids.into_iter().collect();
    let mut seen = BTreeSet::new();
    let found = triples(reads, ns, &ids)?.into_iter().flatten();
    let new = |triple: &Triple| {
        let says = (triple.subject, triple.predicate, triple.object, triple.negated, triple.condition);
        (triple.visible || dormant) && seen.insert(says)
    };
    Ok(found.filter(new).collect())
}
