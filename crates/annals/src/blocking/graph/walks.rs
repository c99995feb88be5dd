//! Ways through the graph.

use annals_graph as graph;

use super::super::Namespace;
use super::words;
use crate::Error;
use crate::graph::{EntityId, EntityRef, Expansion, Neighbour, Paths, Reached, Walk};

/// The same for the layer below.
fn walk<'a>(walk: &'a Walk, predicates: Option<&'a [&'a str]>) -> graph::Walk<'a> {
    graph::Walk {
        depth: walk.depth,
        direction: walk.direction,
        predicates,
        max_degree: walk.max_degree,
        view: walk.view,
        budget: graph::Budget::new(walk.nodes, walk.edges),
    }
}

impl Walk {
    fn words(&self) -> Option<Vec<&str>> {
        self.predicates.as_ref().map(|words| words.iter().map(String::as_str).collect())
    }
}

impl Namespace {
    /// At most `limit` neighbours of an entity, over what `way` allows: by triples that leave it, then by those that reach it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    pub fn neighbours(&self, of: impl Into<EntityRef>, way: &Walk, limit: usize) -> Result<Vec<Neighbour>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let only = way.words();
        let mut found = Vec::new();
        for entity in words::meant(&snapshot, namespace, &of.into())? {
            let room = limit.saturating_sub(found.len());
            let (direction, only) = (way.direction, only.as_deref());
            found.extend(graph::neighbours(&snapshot, namespace, entity, direction, only, way.view, room)?);
        }
        let known = words::entities(&snapshot, namespace, found.iter().map(|neighbour| neighbour.entity))?;
        let triples = found.iter().map(|neighbour| neighbour.triple.clone()).collect();
        let triples = words::triples(&snapshot, namespace, triples)?;
        let named = found.iter().zip(triples).filter_map(|(neighbour, triple)| {
            let entity = known.get(&neighbour.entity)?.clone();
            Some(Neighbour { entity, triple, outgoing: neighbour.outgoing })
        });
        Ok(named.collect())
    }

    /// Walks from some entities, breadth first. What was found before a limit is answered, with the limit.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    pub fn expand(&self, from: &[EntityRef], way: &Walk) -> Result<Expansion, Error> {
        let Some(namespace) = self.id()? else { return Ok(Expansion::default()) };
        let snapshot = self.engine.snapshot()?;
        let mut seeds: Vec<EntityId> = Vec::new();
        for which in from {
            seeds.extend(words::meant(&snapshot, namespace, which)?);
        }
        let only = way.words();
        let found = graph::expand(&snapshot, namespace, &seeds, walk(way, only.as_deref()))?;
        let known = words::entities(&snapshot, namespace, found.reached.iter().map(|reached| reached.entity))?;
        let triples = found.reached.iter().map(|reached| reached.triple.clone()).collect();
        let triples = words::triples(&snapshot, namespace, triples)?;
        let named = found.reached.iter().zip(triples).filter_map(|(reached, triple)| {
            let entity = known.get(&reached.entity)?.clone();
            Some(Reached { entity, distance: reached.distance, from: reached.from, triple })
        });
        Ok(Expansion { reached: named.collect(), cut: found.cut })
    }

    /// At most `limit` of the shortest ways from one entity to another, of at most [`Walk::depth`] steps. Of several entities of a name
    /// the oldest is meant.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    pub fn paths(
        &self,
        from: impl Into<EntityRef>,
        to: impl Into<EntityRef>,
        way: &Walk,
        limit: usize,
    ) -> Result<Paths, Error> {
        let Some(namespace) = self.id()? else { return Ok(Paths::default()) };
        let snapshot = self.engine.snapshot()?;
        let first = |which: EntityRef| -> Result<Option<EntityId>, Error> {
            Ok(words::meant(&snapshot, namespace, &which)?.first().copied())
        };
        let (Some(from), Some(to)) = (first(from.into())?, first(to.into())?) else { return Ok(Paths::default()) };
        let only = way.words();
        let found = graph::paths(&snapshot, namespace, from, to, walk(way, only.as_deref()), limit)?;
        let mut paths = Vec::with_capacity(found.paths.len());
        for path in found.paths {
            let triples = path.steps.into_iter().map(|step| step.triple).collect();
            paths.push(words::triples(&snapshot, namespace, triples)?);
        }
        Ok(Paths { paths, cut: found.cut })
    }
}
