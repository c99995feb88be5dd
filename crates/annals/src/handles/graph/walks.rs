//! Ways through the graph.

use annals_graph as graph;
use annals_types::Clock;

use crate::Error;
use crate::graph::{EntityId, EntityRef, Expansion, Neighbour, Paths, Reached, Walk};
use crate::handles::graph::{Reader, words};

/// The same for the layer below.
fn walk<'a>(
    walk: &'a Walk,
    predicates: Option<&'a [&'a str]>,
    clock: &'a dyn Clock,
) -> graph::Walk<'a> {
    let budget = graph::Budget::new(walk.nodes, walk.edges);
    graph::Walk {
        depth: walk.depth,
        direction: walk.direction,
        predicates,
        max_degree: walk.max_degree,
        view: walk.view,
        budget: graph::Budget {
            time: walk.time.map(|time| (time, clock)),
            ..budget
        },
    }
}

impl Walk {
    fn words(&self) -> Option<Vec<&str>> {
        self.predicates
            .as_ref()
            .map(|words| words.iter().map(String::as_str).collect())
    }
}

impl Reader<'_> {
    pub(super) fn neighbours(
        &self,
        of: impl Into<EntityRef>,
        way: &Walk,
        limit: usize,
    ) -> Result<Vec<Neighbour>, Error> {
        let only = way.words();
        let mut found = Vec::new();
        for entity in words::meant(self.reads, self.ns, &of.into())? {
            let room = limit.saturating_sub(found.len());
            let (direction, only) = (way.direction, only.as_deref());
            found.extend(graph::neighbours(
                self.reads, self.ns, entity, direction, only, way.view, room,
            )?);
        }
        let known = words::entities(
            self.reads,
            self.ns,
            found.iter().map(|neighbour| neighbour.entity),
        )?;
        let triples = found
            .iter()
            .map(|neighbour| neighbour.triple.clone())
            .collect();
        let triples = words::triples(self.reads, self.ns, triples, &way.view)?;
        let named = found.iter().zip(triples).filter_map(|(neighbour, triple)| {
            let entity = known.get(&neighbour.entity)?.clone();
            Some(Neighbour {
                entity,
                triple,
                outgoing: neighbour.outgoing,
            })
        });
        Ok(named.collect())
    }

    pub(super) fn expand(&self, from: &[EntityRef], way: &Walk) -> Result<Expansion, Error> {
        let mut seeds: Vec<EntityId> = Vec::new();
        for which in from {
            seeds.extend(words::meant(self.reads, self.ns, which)?);
        }
        let only = way.words();
        let found = graph::expand(
            self.reads,
            self.ns,
            &seeds,
            walk(way, only.as_deref(), &*self.engine.clock),
        )?;
        let known = words::entities(
            self.reads,
            self.ns,
            found.reached.iter().map(|reached| reached.entity),
        )?;
        let triples = found
            .reached
            .iter()
            .map(|reached| reached.triple.clone())
            .collect();
        let triples = words::triples(self.reads, self.ns, triples, &way.view)?;
        let named = found
            .reached
            .iter()
            .zip(triples)
            .filter_map(|(reached, triple)| {
                let entity = known.get(&reached.entity)?.clone();
                Some(Reached {
                    entity,
                    distance: reached.distance,
                    from: reached.from,
                    triple,
                })
            });
        Ok(Expansion {
            reached: named.collect(),
            cut: found.cut,
        })
    }

    pub(super) fn paths(
        &self,
        from: impl Into<EntityRef>,
        to: impl Into<EntityRef>,
        way: &Walk,
        limit: usize,
    ) -> Result<Paths, Error> {
        let from = words::meant(self.reads, self.ns, &from.into())?;
        let to = words::meant(self.reads, self.ns, &to.into())?;
        let only = way.words();
        let found = walk(way, only.as_deref(), &*self.engine.clock);
        let found = graph::paths(self.reads, self.ns, &from, &to, found, limit)?;
        let mut paths = Vec::with_capacity(found.paths.len());
        for path in found.paths {
            let triples = path.steps.into_iter().map(|step| step.triple).collect();
            paths.push(words::triples(self.reads, self.ns, triples, &way.view)?);
        }
        Ok(Paths {
            paths,
            cut: found.cut,
        })
    }
}
