//! The memories that speak of entities.

use std::ops::ControlFlow;

use annals_storage::table::scan_rows;
use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row, Timestamp};

use crate::query::evidence;
use crate::record::Flags;
use crate::tables::{EDGES, ENTITIES, Edge};
use crate::{EntityId, GraphError, TripleId};

/// For each of some entities the memories that speak of it, each once and in order; those of the
/// entity that it was merged into for one that was. At most `limit` edges are followed, as many of
/// each entity; what those with few of them leave goes to those with more, so that one of which
/// everything speaks does not hide the others. With `as_of` what was said by then, whether it is
/// visible now or not; the states of the memories are not looked at.
///
/// A round of reads for the edges, another one where an entity was merged, as many again where
/// some have more than their share, and one for the evidence.
///
/// # Errors
/// When they cannot be read. A number not in use has no memories.
pub fn speakers(
    reads: &dyn Reads,
    ns: NamespaceId,
    entities: &[EntityId],
    as_of: Option<Timestamp>,
    limit: usize,
) -> Result<Vec<Vec<Row>>, GraphError> {
    let mut edges = Edges {
        reads,
        ns,
        as_of,
        found: vec![Vec::new(); entities.len()],
    };
    let all: Vec<(usize, EntityId)> = entities.iter().copied().enumerate().take(limit).collect();
    let share = limit / all.len().max(1);
    edges.follow(all, share)?;
    let left = limit.saturating_sub(edges.found.iter().map(Vec::len).sum());
    let more = |place: &usize| {
        edges
            .found
            .get(*place)
            .is_some_and(|found| share > 0 && found.len() == share)
    };
    let more: Vec<(usize, EntityId)> = entities
        .iter()
        .copied()
        .enumerate()
        .filter(|(place, _)| more(place))
        .collect();
    if left > 0 && !more.is_empty() {
        let share = share + left / more.len();
        edges.follow(more, share)?;
    }
    let found: Vec<(usize, TripleId)> = edges
        .found
        .iter()
        .enumerate()
        .flat_map(|(place, found)| found.iter().map(move |triple| (place, *triple)))
        .collect();
    let triples: Vec<TripleId> = found.iter().map(|(_, triple)| *triple).collect();
    let mut spoken = vec![Vec::new(); entities.len()];
    for ((place, _), said) in found.iter().zip(evidence(reads, ns, &triples)?) {
        let said = said
            .iter()
            .filter(|(_, record)| as_of.is_none_or(|moment| record.born <= moment));
        if let Some(rows) = spoken.get_mut(*place) {
            rows.extend(said.map(|(row, _)| *row));
        }
    }
    for rows in &mut spoken {
        rows.sort_unstable();
        rows.dedup();
    }
    Ok(spoken)
}

/// The edges of entities.
struct Edges<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    as_of: Option<Timestamp>,
    /// For each entity the triples that it is an end of.
    found: Vec<Vec<TripleId>>,
}

impl Edges<'_> {
    /// Reads the edges of some entities, and of those into which some of them were merged, so many
    /// of each.
    fn follow(
        &mut self,
        mut entities: Vec<(usize, EntityId)>,
        share: usize,
    ) -> Result<(), GraphError> {
        for (place, _) in &entities {
            self.found.get_mut(*place).map(Vec::clear);
        }
        while !entities.is_empty() {
            entities = self.step(&entities, share)?;
        }
        Ok(())
    }

    /// Answers those into which some of the entities were merged.
    fn step(
        &mut self,
        entities: &[(usize, EntityId)],
        share: usize,
    ) -> Result<Vec<(usize, EntityId)>, GraphError> {
        let ns = self.ns;
        let ranges: Vec<KeyRange> = entities
            .iter()
            .map(|(_, id)| ENTITIES.within((ns, *id)).into())
            .collect();
        let mut merged = Vec::new();
        scan_rows(self.reads, &ranges, |range, row| {
            let Some((place, _)) = entities.get(range) else {
                return Ok(ControlFlow::Break(()));
            };
            // The entity comes before its edges.
            if let Some((_, record)) = ENTITIES.read(&row)? {
                return Ok(match record.redirect {
                    Some(redirect) => {
                        merged.push((*place, redirect.into));
                        ControlFlow::Break(())
                    }
                    None => ControlFlow::Continue(()),
                });
            }
            let Some((key, flags)) = EDGES.read(&row)? else {
                return Ok(ControlFlow::Continue(()));
            };
            let seen = flags.has(Flags::VISIBLE) || self.as_of.is_some();
            if flags.has(Flags::SHADOW) || !seen {
                return Ok(ControlFlow::Continue(()));
            }
            let Some(found) = self
                .found
                .get_mut(*place)
                .filter(|found| found.len() < share)
            else {
                return Ok(ControlFlow::Break(()));
            };
            found.push(Edge::of(key).triple);
            Ok::<_, GraphError>(ControlFlow::Continue(()))
        })?;
        Ok(merged)
    }
}
