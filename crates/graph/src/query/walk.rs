//! Breadth-first expansion over entities.

use std::collections::BTreeMap;

use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;
use serde::{Deserialize, Serialize};

use crate::query::fan;
use crate::query::neighbours::{edge_ranges, predicates};
use crate::query::{Budget, Cut, Direction, Meter, Triple, View};
use crate::{EntityId, GraphError, LabelId, entities, survivors};

/// How a walk goes.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Walk<'a> {
    /// Greatest number of steps.
    pub depth: u32,
    /// Which way edges are followed.
    pub direction: Direction,
    /// Only edges with these predicates.
    pub predicates: Option<&'a [&'a str]>,
    /// Entities with more edges are reached but not left again.
    pub max_degree: Option<u32>,
    /// The view.
    pub view: View,
    /// How much may be looked at.
    pub budget: Budget<'a>,
}

impl Walk<'_> {
    /// Both ways, over everything visible now, within the default budget.
    pub fn depth(depth: u32) -> Self {
        Self {
            depth,
            direction: Direction::Both,
            predicates: None,
            max_degree: None,
            view: View::NOW,
            budget: Budget::default(),
        }
    }
}

/// An entity that a walk reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// The entity.
    pub entity: EntityId,
    /// Steps from the nearest seed.
    pub distance: u32,
    /// The entity from which it was first reached.
    pub from: EntityId,
    /// The triple by which it was.
    pub triple: Triple,
}

/// The result of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expansion {
    /// Entities that are no seeds, the nearest first; those as near in the order of whom they were
    /// reached from, and of the edges.
    pub reached: Vec<Reached>,
    /// The limit that ended it early.
    pub cut: Option<Cut>,
}

/// Entities whose edges are read at once.
const STEP: usize = 64;

/// Reads the edges of entities for a walk.
pub(crate) struct Reader<'a> {
    pub(crate) reads: &'a dyn Reads,
    pub(crate) ns: NamespaceId,
    pub(crate) direction: Direction,
    pub(crate) predicates: Option<Vec<LabelId>>,
    pub(crate) max_degree: Option<u32>,
    pub(crate) view: View,
}

impl Reader<'_> {
    /// The edges of some entities, those of each in a row: from whom, to whom, by what. Asks the
    /// meter for each.
    pub(crate) fn edges(
        &self,
        from: &[EntityId],
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(EntityId, EntityId, Triple)>, GraphError> {
        let mut ranges: Vec<KeyRange> = Vec::new();
        for entity in self.bridges(from)? {
            ranges.extend(edge_ranges(
                self.ns,
                entity,
                self.direction,
                self.predicates.as_deref(),
            ));
        }
        // One more than allowed, so that it is noticed when there is more.
        let (read, _) = fan::groups(
            self.reads,
            &ranges,
            usize::MAX,
            meter.edges.saturating_add(1),
        )?;
        let groups: Vec<fan::Group> = read.into_iter().map(|(_, group)| group).collect();
        let mut edges = Vec::with_capacity(groups.len());
        for (group, triple) in groups
            .iter()
            .zip(fan::seen(self.reads, self.ns, &self.view, &groups)?)
        {
            if !meter.edge() {
                break;
            }
            if let Some(triple) = triple {
                edges.push((group.edge.entity, group.edge.other, triple));
            }
        }
        Ok(edges)
    }

    /// Those entities that a walk may leave.
    fn bridges(&self, from: &[EntityId]) -> Result<Vec<EntityId>, GraphError> {
        let Some(limit) = self.max_degree else {
            return Ok(from.to_vec());
        };
        let found = entities(self.reads, self.ns, from)?;
        Ok(found
            .into_iter()
            .flatten()
            .filter(|entity| entity.degree <= limit)
            .map(|entity| entity.id)
            .collect())
    }
}

/// Walks from some entities over triples, breadth first. A level takes one round of reads for each
/// 64 entities, two where the degree is limited, two more with a view of the past.
///
/// # Errors
/// [`GraphError::NoEntity`] for a seed that does not exist.
pub fn expand(
    reads: &dyn Reads,
    ns: NamespaceId,
    seeds: &[EntityId],
    walk: Walk<'_>,
) -> Result<Expansion, GraphError> {
    let mut frontier = Vec::with_capacity(seeds.len());
    let mut visited: BTreeMap<EntityId, u32> = BTreeMap::new();
    for (entity, root) in seeds.iter().zip(survivors(reads, ns, seeds)?) {
        let root = root.ok_or(GraphError::NoEntity { entity: *entity })?;
        if visited.insert(root, 0).is_none() {
            frontier.push(root);
        }
    }
    let reader = Reader {
        reads,
        ns,
        direction: walk.direction,
        predicates: predicates(reads, ns, walk.predicates)?,
        max_degree: walk.max_degree,
        view: walk.view,
    };
    let mut meter = Meter::start(&walk.budget);
    let mut expansion = Expansion::default();
    for distance in 1..=walk.depth {
        let mut next = Vec::new();
        for some in frontier.chunks(STEP) {
            if meter.late() {
                break;
            }
            for (from, entity, triple) in reader.edges(some, &mut meter)? {
                if visited.contains_key(&entity) {
                    continue;
                }
                if !meter.node() {
                    break;
                }
                visited.insert(entity, distance);
                next.push(entity);
                expansion.reached.push(Reached {
                    entity,
                    distance,
                    from,
                    triple,
                });
            }
        }
        if next.is_empty() || meter.cut.is_some() {
            break;
        }
        frontier = next;
    }
    expansion.cut = meter.cut;
    Ok(expansion)
}
