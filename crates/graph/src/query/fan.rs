//! The edges of entities, those that say the same taken together.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;

use crate::query::{Triple, View, held};
use crate::record::Flags;
use crate::tables::{EDGES, Edge, Side};
use crate::{EntityId, GraphError, TripleId};

/// The triples that say the same after all merges, the oldest first, each with whether it is
/// visible now.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) edge: Edge,
    pub(crate) triples: Vec<(TripleId, bool)>,
}

impl Group {
    fn ends(&self) -> (EntityId, EntityId) {
        if self.edge.side == Side::Out {
            (self.edge.entity, self.edge.other)
        } else {
            (self.edge.other, self.edge.entity)
        }
    }

    fn says_the_same(&self, edge: &Edge) -> bool {
        Edge {
            triple: self.edge.triple,
            ..*edge
        } == self.edge
    }

    /// The triple as a view sees it, `held` being the triples that the view sees supported where
    /// flags do not say.
    fn seen(&self, view: &View, held: Option<&BTreeSet<TripleId>>) -> Option<Triple> {
        let supported =
            |(id, visible): &(TripleId, bool)| held.map_or(*visible, |held| held.contains(id));
        let visible = self.triples.iter().any(supported);
        if !visible && !view.dormant {
            return None;
        }
        let mut ids = self
            .triples
            .iter()
            .filter(|triple| supported(triple) == visible)
            .map(|(id, _)| *id);
        let mut triple = Triple::new(
            ids.next()?,
            self.ends(),
            self.edge.predicate,
            self.edge.qualifier,
            visible,
        );
        triple.same = ids.collect();
        Some(triple)
    }
}

/// Reads the groups of some ranges of edges, at most `limit` of each range and `total` of all;
/// answers them with the number of their range, and whether something was left out. One round of
/// reads.
pub(crate) fn groups(
    reads: &dyn Reads,
    ranges: &[KeyRange],
    limit: usize,
    total: usize,
) -> Result<(Vec<(usize, Group)>, bool), GraphError> {
    let mut found: Vec<(usize, Group)> = Vec::new();
    let (mut of_range, mut in_range, mut left_out) = (usize::MAX, 0, false);
    EDGES.scan_many(reads, ranges, |range, key, flags| {
        if flags.has(Flags::SHADOW) {
            return Ok::<_, GraphError>(ControlFlow::Continue(()));
        }
        let edge = Edge::of(key);
        if range != of_range {
            (of_range, in_range) = (range, 0);
        }
        let visible = flags.has(Flags::VISIBLE);
        if in_range > 0
            && let Some((_, group)) = found.last_mut()
            && group.says_the_same(&edge)
        {
            group.triples.push((edge.triple, visible));
            return Ok(ControlFlow::Continue(()));
        }
        if in_range == limit || found.len() == total {
            left_out = true;
            return Ok(ControlFlow::Break(()));
        }
        in_range += 1;
        found.push((
            range,
            Group {
                edge,
                triples: vec![(edge.triple, visible)],
            },
        ));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((found, left_out))
}

/// The triples of some groups that a view sees, in their order.
pub(crate) fn seen(
    reads: &dyn Reads,
    ns: NamespaceId,
    view: &View,
    groups: &[Group],
) -> Result<Vec<Option<Triple>>, GraphError> {
    let held = if view.by_flags() {
        None
    } else {
        let ids: Vec<TripleId> = groups
            .iter()
            .flat_map(|group| group.triples.iter().map(|(id, _)| *id))
            .collect();
        Some(held(reads, ns, &ids, view)?)
    };
    Ok(groups
        .iter()
        .map(|group| group.seen(view, held.as_ref()))
        .collect())
}
