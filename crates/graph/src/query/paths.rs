//! Shortest paths between entities.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::Reads;
use annals_types::NamespaceId;
use serde::{Deserialize, Serialize};

use crate::query::neighbours::predicates;
use crate::query::walk::{Reader, Walk};
use crate::query::{Cut, Direction, Meter, Triple};
use crate::{EntityId, GraphError, survivors};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// Where it begins.
    pub from: EntityId,
    /// Where it leads.
    pub to: EntityId,
    /// The triple that it takes, in either direction.
    pub triple: Triple,
}

/// A way from one of some entities to one of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Path {
    /// Its steps; none from an entity to itself, which is one way whichever entity is on both
    /// sides.
    pub steps: Vec<PathStep>,
}

/// The shortest ways between entities.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paths {
    /// The paths, all of the same length, in the order of the numbers of their entities and
    /// triples.
    pub paths: Vec<Path>,
    /// The limit that ended the search before it was complete.
    pub cut: Option<Cut>,
}

/// One side of the search: for each entity its distance, and the edges by which it is reached over
/// a shortest way.
struct Side {
    reached: BTreeMap<EntityId, (u32, Vec<(EntityId, Triple)>)>,
    frontier: Vec<EntityId>,
    distance: u32,
}

impl Side {
    fn at(starts: &[EntityId]) -> Self {
        let reached: BTreeMap<_, _> = starts
            .iter()
            .map(|start| (*start, (0, Vec::new())))
            .collect();
        Self {
            frontier: reached.keys().copied().collect(),
            reached,
            distance: 0,
        }
    }

    /// Goes one step further.
    fn advance(&mut self, reader: &Reader<'_>, meter: &mut Meter<'_>) -> Result<(), GraphError> {
        self.distance += 1;
        let mut next = BTreeSet::new();
        for some in self.frontier.chunks(64) {
            if meter.late() {
                break;
            }
            for (from, to, triple) in reader.edges(some, meter)? {
                let distance = self.distance;
                if !self.reached.contains_key(&to) && !meter.node() {
                    break;
                }
                let (found_at, by) = self.reached.entry(to).or_insert((distance, Vec::new()));
                if *found_at == distance {
                    by.push((from, triple));
                    next.insert(to);
                }
            }
        }
        self.frontier = next.into_iter().collect();
        Ok(())
    }

    /// The ways from a start to an entity, each as its steps from the start, at most `limit`.
    fn ways(&self, to: EntityId, limit: usize) -> Vec<Vec<(EntityId, EntityId, Triple)>> {
        let Some((_, by)) = self.reached.get(&to) else {
            return Vec::new();
        };
        if by.is_empty() {
            return vec![Vec::new()];
        }
        let mut ways = Vec::new();
        for (from, triple) in by {
            for mut way in self.ways(*from, limit - ways.len()) {
                way.push((*from, to, triple.clone()));
                ways.push(way);
                if ways.len() >= limit {
                    return ways;
                }
            }
        }
        ways
    }
}

/// At most `limit` of the shortest paths from any of some entities to any of others, of at most
/// `walk.depth` steps. The search goes from both ends, always on the side with fewer entities.
/// `walk.direction` is that of the steps from `from` to `to`.
///
/// # Errors
/// [`GraphError::NoEntity`].
pub fn paths(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: &[EntityId],
    to: &[EntityId],
    walk: Walk<'_>,
    limit: usize,
) -> Result<Paths, GraphError> {
    let roots = |ids: &[EntityId]| -> Result<Vec<EntityId>, GraphError> {
        let found = survivors(reads, ns, ids)?.into_iter().zip(ids);
        found
            .map(|(root, id)| root.ok_or(GraphError::NoEntity { entity: *id }))
            .collect()
    };
    let (starts, ends) = (roots(from)?, roots(to)?);
    let mut found = Paths::default();
    if limit == 0 {
        return Ok(found);
    }
    let against = match walk.direction {
        Direction::Out => Direction::In,
        Direction::In => Direction::Out,
        Direction::Both => Direction::Both,
    };
    let only = predicates(reads, ns, walk.predicates)?;
    let reader = |direction| Reader {
        reads,
        ns,
        direction,
        predicates: only.clone(),
        max_degree: walk.max_degree,
        view: walk.view,
    };
    let (forth, back) = (reader(walk.direction), reader(against));
    let mut meter = Meter::start(&walk.budget);
    let (mut a, mut b) = (Side::at(&starts), Side::at(&ends));
    let mut meeting = meet(&a, &b);
    if !meeting.is_empty() {
        // However many of both sides are one, from each to itself it is the same way: none.
        found.paths.push(Path::default());
        return Ok(found);
    }
    while meeting.is_empty() && a.distance + b.distance < walk.depth && meter.cut.is_none() {
        if a.frontier.is_empty() || b.frontier.is_empty() {
            break;
        }
        if a.frontier.len() <= b.frontier.len() {
            a.advance(&forth, &mut meter)?;
        } else {
            b.advance(&back, &mut meter)?;
        }
        meeting = meet(&a, &b);
    }
    found.cut = meter.cut;
    for entity in meeting {
        let left = limit - found.paths.len();
        if left == 0 {
            break;
        }
        let ends = b.ways(entity, left);
        for way in a.ways(entity, left) {
            for end in &ends {
                if found.paths.len() < limit {
                    found.paths.push(joined(&way, end));
                }
            }
        }
    }
    Ok(found)
}

/// The entities in the middle of the shortest ways.
fn meet(a: &Side, b: &Side) -> Vec<EntityId> {
    let (small, large) = if a.reached.len() <= b.reached.len() {
        (a, b)
    } else {
        (b, a)
    };
    let both = small.reached.iter().filter_map(|(entity, (one, _))| {
        let (other, _) = large.reached.get(entity)?;
        Some((one + other, *entity))
    });
    let both: Vec<(u32, EntityId)> = both.collect();
    let least = both.iter().map(|(length, _)| *length).min();
    let on_front = |entity: &EntityId| {
        a.reached
            .get(entity)
            .is_some_and(|(distance, _)| *distance == a.distance)
    };
    both.into_iter()
        .filter(|(length, entity)| Some(*length) == least && on_front(entity))
        .map(|(_, entity)| entity)
        .collect()
}

fn joined(way: &[(EntityId, EntityId, Triple)], back: &[(EntityId, EntityId, Triple)]) -> Path {
    let forth = way.iter().map(|(from, to, triple)| PathStep {
        from: *from,
        to: *to,
        triple: triple.clone(),
    });
    let rest = back.iter().rev().map(|(from, to, triple)| PathStep {
        from: *to,
        to: *from,
        triple: triple.clone(),
    });
    Path {
        steps: forth.chain(rest).collect(),
    }
}
