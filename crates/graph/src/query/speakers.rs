//! The memories that speak of entities.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row, Timestamp};

use crate::key::{self, Edge};
use crate::keyspaces::NODES;
use crate::query::evidence;
use crate::record::{EntityRecord, Flags};
use crate::{EntityId, GraphError, TripleId, value};

/// For each of some entities the memories that speak of it, each once and in order; those of the entity that it was merged into for one
/// that was. At most `limit` edges are followed, those of the first entities first. With `as_of` what was said by then, whether it is
/// visible now or not; the states of the memories are not looked at.
///
/// A round of reads for the edges, another one where an entity was merged, and one for the evidence.
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
    let mut edges = Edges { reads, ns, as_of, left: limit, found: Vec::new() };
    let mut asked: Vec<(usize, EntityId)> = entities.iter().copied().enumerate().collect();
    while !asked.is_empty() {
        asked = edges.follow(&asked)?;
    }
    let triples: Vec<TripleId> = edges.found.iter().map(|(_, triple)| *triple).collect();
    let mut spoken = vec![Vec::new(); entities.len()];
    for ((place, _), said) in edges.found.iter().zip(evidence(reads, ns, &triples)?) {
        let said = said.iter().filter(|(_, record)| as_of.is_none_or(|moment| record.born <= moment));
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

/// What speaks of entities.
struct Edges<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    as_of: Option<Timestamp>,
    /// How many edges may still be followed.
    left: usize,
    /// The place of the entity, and a triple that it is an end of.
    found: Vec<(usize, TripleId)>,
}

impl Edges<'_> {
    /// Reads the edges of some entities; answers those into which some of them were merged.
    fn follow(&mut self, entities: &[(usize, EntityId)]) -> Result<Vec<(usize, EntityId)>, GraphError> {
        let ns = self.ns;
        let ranges: Vec<KeyRange> = entities.iter().map(|(_, id)| key::entity(ns, *id).range(NODES)).collect();
        let mut merged = Vec::new();
        value::scan(self.reads, &ranges, &mut |range, key, version, body| {
            let Some((place, id)) = entities.get(range) else { return Ok(ControlFlow::Break(())) };
            // The entity comes before its edges.
            if key.len() == key::entity(ns, *id).bytes().len() {
                let record: EntityRecord = value::decode(NODES, key, version, body)?;
                return Ok(match record.redirect {
                    Some(redirect) => {
                        merged.push((*place, redirect.into));
                        ControlFlow::Break(())
                    }
                    None => ControlFlow::Continue(()),
                });
            }
            let Some(edge) = Edge::parse(key) else { return Ok(ControlFlow::Continue(())) };
            let flags: Flags = value::decode(NODES, key, version, body)?;
            let seen = flags.has(Flags::VISIBLE) || self.as_of.is_some();
            if flags.has(Flags::SHADOW) || !seen {
                return Ok(ControlFlow::Continue(()));
            }
            if self.left == 0 {
                return Ok(ControlFlow::Break(()));
            }
            self.left -= 1;
            self.found.push((*place, edge.triple));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(merged)
    }
}
