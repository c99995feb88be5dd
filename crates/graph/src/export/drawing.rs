//! The exported graph, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::{NamespaceId, Row, Timestamp};

use super::Export;
use crate::explain::degree;
use crate::query::{Pattern, Triple, View, evidence, pattern};
use crate::record::EvidenceRecord;
use crate::tables::ROWS;
use crate::{
    Entity, EntityId, GraphError, LinkView, Statement, Support, TripleId, entities, links, roster,
    said, statements, triples,
};

/// A memory, or an earlier text of one.
pub(super) struct Teller {
    pub(super) row: Row,
    pub(super) name: String,
    pub(super) state: Support,
}

/// A triple with who says it.
pub(super) struct Arrow {
    pub(super) triple: Triple,
    pub(super) words: Statement,
    pub(super) said_by: Vec<Row>,
}

/// Everything that is exported.
pub(super) struct Drawing {
    pub(super) entities: Vec<Entity>,
    pub(super) memories: Vec<Teller>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) links: Vec<LinkView>,
}

impl Drawing {
    pub(super) fn of(
        reads: &dyn Reads,
        ns: NamespaceId,
        what: &Export<'_>,
    ) -> Result<Self, GraphError> {
        let memories = tellers(reads, ns, what)?;
        let rows: BTreeMap<Row, Support> = memories
            .iter()
            .map(|memory| (memory.row, memory.state))
            .collect();
        let arrows = arrows(reads, ns, what, &rows)?;
        let mut ends: BTreeSet<EntityId> = arrows
            .iter()
            .flat_map(|arrow| [arrow.triple.subject, arrow.triple.object])
            .collect();
        if what.rows.is_none() {
            let every = crate::list_entities(reads, ns, None, usize::MAX)?.into_iter();
            let alone = |entity: &Entity| {
                entity.kept && entity.merged_into.is_none() && what.knows(entity.born)
            };
            ends.extend(every.filter(alone).map(|entity| entity.id));
        }
        let ends: Vec<EntityId> = ends.into_iter().collect();
        let entities = entities(reads, ns, &ends)?.into_iter().flatten().collect();
        let mut between = Vec::new();
        for row in rows.keys() {
            let leaving = links(reads, ns, *row)?
                .into_iter()
                .filter(|view| view.link.from == *row);
            // Of an earlier moment only what counted then is among the rows.
            let seen = |v: &LinkView| v.visible || what.dormant || what.as_of.is_some();
            between.extend(
                leaving.filter(|v| rows.contains_key(&v.link.to) && seen(v) && what.knows(v.born)),
            );
        }
        Ok(Self {
            entities,
            memories,
            arrows,
            links: between,
        })
    }
}

/// The memories that are exported: those that the graph knows and, unless what sleeps is asked for
/// too, that count at its time.
fn tellers(
    reads: &dyn Reads,
    ns: NamespaceId,
    what: &Export<'_>,
) -> Result<Vec<Teller>, GraphError> {
    let rows: BTreeSet<Row> = match what.rows {
        Some(rows) => rows.iter().copied().collect(),
        None => known(reads, ns)?,
    };
    let rows: Vec<Row> = rows.into_iter().collect();
    let records = roster::records(reads, ns, &rows)?.into_iter().zip(rows);
    let tellers = records.filter_map(|(record, row)| {
        let state = what.as_of.map_or_else(
            || Some(record.as_ref()?.state()),
            |at| record.as_ref()?.state_at(at),
        )?;
        (state.supports() || what.dormant).then(|| Teller {
            row,
            name: (what.name)(row),
            state,
        })
    });
    Ok(tellers.collect())
}

/// The arrows of some memories: everything by predicate and age, else by age.
fn arrows(
    reads: &dyn Reads,
    ns: NamespaceId,
    what: &Export<'_>,
    rows: &BTreeMap<Row, Support>,
) -> Result<Vec<Arrow>, GraphError> {
    let view = View {
        as_of: what.as_of,
        valid_at: None,
        dormant: what.dormant,
    };
    let found = match what.rows {
        Some(_) if what.as_of.is_none() => of_rows(reads, ns, rows.keys(), what.dormant)?,
        _ => pattern(reads, ns, Pattern::ALL, view, None, usize::MAX)?.triples,
    };
    let ids: Vec<TripleId> = found.iter().flat_map(Triple::ids).collect();
    let mut sayers = ids
        .iter()
        .copied()
        .zip(evidence(reads, ns, &ids)?)
        .collect::<BTreeMap<_, _>>();
    let mut tellers = |triple: &Triple| {
        let said = triple.ids().filter_map(|id| sayers.remove(&id)).flatten();
        let known =
            |(row, told): &(Row, EvidenceRecord)| rows.contains_key(row) && what.knows(told.born);
        let mut said: Vec<(Row, EvidenceRecord)> = said.filter(known).collect();
        said.sort_by_key(|(row, _)| *row);
        let counts =
            |row: &Row| !triple.visible || rows.get(row).is_some_and(|state| state.supports());
        let counted = said.iter().filter(|(row, _)| counts(row));
        let degree = degree(counted.map(|(_, told)| (told.born, told.degree.as_ref())));
        let mut said_by: Vec<Row> = said.into_iter().map(|(row, _)| row).collect();
        said_by.dedup();
        (degree, said_by)
    };
    let (degrees, said_by): (Vec<_>, Vec<_>) = found.iter().map(&mut tellers).unzip();
    let words = statements(reads, ns, &found, degrees)?;
    let arrows = found.into_iter().zip(words).zip(said_by);
    // A triple without a supporting memory at that time is left out.
    let arrows = arrows.filter(|(_, said_by)| what.as_of.is_none() || !said_by.is_empty());
    Ok(arrows
        .map(|((triple, words), said_by)| Arrow {
            triple,
            words,
            said_by,
        })
        .collect())
}

impl Export<'_> {
    /// Whether what was said or made at a moment is among it.
    fn knows(&self, born: Timestamp) -> bool {
        self.as_of.is_none_or(|at| born <= at)
    }
}

/// The memories that the graph knows.
fn known(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeSet<Row>, GraphError> {
    let mut rows = BTreeSet::new();
    scan_rows(reads, &[ROWS.within(ns).into()], |_, row| {
        rows.extend(ROWS.parse(row.key).map(|(_, row)| row));
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// The triples of some memories, once each.
fn of_rows<'a>(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: impl Iterator<Item = &'a Row>,
    dormant: bool,
) -> Result<Vec<Triple>, GraphError> {
    let mut ids: BTreeSet<TripleId> = BTreeSet::new();
    for row in rows {
        ids.extend(said(reads, ns, *row)?.into_iter().map(|said| said.triple));
    }
    let ids: Vec<TripleId> = ids.into_iter().collect();
    let mut seen = BTreeSet::new();
    let found = triples(reads, ns, &ids)?.into_iter().flatten();
    let new = |triple: &Triple| {
        let says = (
            triple.subject,
            triple.predicate,
            triple.object,
            triple.negated,
            triple.condition,
        );
        (triple.visible || dormant) && seen.insert(says)
    };
    Ok(found.filter(new).collect())
}
