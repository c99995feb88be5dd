use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;
use serde::{Deserialize, Serialize};

use crate::label::{LabelClass, label_numbers};
use crate::query::fan;
use crate::query::{Direction, Triple, View};
use crate::tables::{EDGES, Side};
use crate::{EntityId, GraphError, LabelId, survivors};

/// An entity beside another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The entity.
    pub entity: EntityId,
    /// The triple between them.
    pub triple: Triple,
    /// Whether the triple leads to it.
    pub outgoing: bool,
}

/// The numbers of some predicates; those that no triple has are left out.
pub(crate) fn predicates(
    reads: &dyn Reads,
    ns: NamespaceId,
    texts: Option<&[&str]>,
) -> Result<Option<Vec<LabelId>>, GraphError> {
    let Some(texts) = texts else { return Ok(None) };
    let mut numbers: Vec<LabelId> = label_numbers(reads, ns, LabelClass::Predicate, texts)?
        .into_iter()
        .flatten()
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Some(numbers))
}

/// The ranges of an entity's edges.
pub(crate) fn edge_ranges(
    ns: NamespaceId,
    entity: EntityId,
    direction: Direction,
    predicates: Option<&[LabelId]>,
) -> Vec<KeyRange> {
    let sides: &[Side] = match direction {
        Direction::Out => &[Side::Out],
        Direction::In => &[Side::In],
        Direction::Both => &Side::BOTH,
    };
    match predicates {
        None => sides
            .iter()
            .map(|side| EDGES.within((ns, entity, *side)).into())
            .collect(),
        Some(list) => {
            let range =
                |side: Side, predicate: LabelId| EDGES.within((ns, entity, side, predicate)).into();
            sides
                .iter()
                .flat_map(|side| list.iter().map(move |predicate| range(*side, *predicate)))
                .collect()
        }
    }
}

/// The neighbours of an entity, at most `limit`: by edges that leave it, then by those that reach
/// it, each in the order of predicate and other end. Without a view of the past two or three
/// rounds of reads.
///
/// # Errors
/// [`GraphError::NoEntity`].
pub fn neighbours(
    reads: &dyn Reads,
    ns: NamespaceId,
    entity: EntityId,
    direction: Direction,
    only: Option<&[&str]>,
    view: View,
    limit: usize,
) -> Result<Vec<Neighbour>, GraphError> {
    let root = survivors(reads, ns, &[entity])?
        .pop()
        .flatten()
        .ok_or(GraphError::NoEntity { entity })?;
    let only = predicates(reads, ns, only)?;
    let mut ranges = edge_ranges(ns, root, direction, only.as_deref());
    let mut found = Vec::new();
    // Sleeping edges do not count, so ranges that were not read to their end are gone on with.
    while !ranges.is_empty() && found.len() < limit {
        let want = limit - found.len();
        let (read, left_out) = fan::groups(reads, &ranges, usize::MAX, want)?;
        let last = read.last().filter(|_| left_out).map(|(range, group)| {
            (
                *range,
                KeyRange::from(EDGES.within(group.edge.group(ns))).end,
            )
        });
        let groups: Vec<fan::Group> = read.into_iter().map(|(_, group)| group).collect();
        for (group, triple) in groups.iter().zip(fan::seen(reads, ns, &view, &groups)?) {
            if let Some(triple) = triple {
                found.push(Neighbour {
                    entity: group.edge.other,
                    triple,
                    outgoing: group.edge.side == Side::Out,
                });
            }
        }
        let Some((range, end)) = last else { break };
        ranges.drain(..range);
        if let (Some(first), Some(start)) = (ranges.first_mut(), end) {
            first.start = start;
        }
    }
    Ok(found)
}
