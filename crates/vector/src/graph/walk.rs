//! The best-first walk through a graph, for searching and for building.

use crate::block::Seek;
use crate::graph::beam::Beam;
use crate::graph::entry::Entries;
use crate::graph::nodes::Nodes;
use crate::graph::twins::Twins;
use crate::graph::visited::Visited;
use crate::kernels::prefetch;
use crate::top::Top;

/// The buffers of a walk, kept between walks so that none allocates.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    beam: Beam,
    visited: Visited,
    fresh: Vec<u32>,
    dots: Vec<i32>,
}

/// How many of the best entry points a walk starts from.
const STARTS: usize = 4;

/// No neighbour.
pub(crate) const NONE: u32 = u32::MAX;

/// The parts of a graph that a walk reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way<'a, L> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) links: &'a L,
    pub(crate) entries: &'a Entries,
    pub(crate) twins: &'a Twins,
}

/// Where the neighbours of a node stand.
pub(crate) trait Links {
    /// The neighbours of a node; after the last one [`NONE`] up to the degree.
    fn of(&self, node: u32) -> &[u32];
}

impl<L: Links> Way<'_, L> {
    /// Walks towards the query with a beam of `width`. `seen` gets every living node that was
    /// compared, `expanded` every one whose neighbours were looked at.
    pub(crate) fn walk(
        &self,
        seek: &Seek<'_>,
        width: usize,
        scratch: &mut Scratch,
        mut seen: impl FnMut(u32, f32),
        mut expanded: impl FnMut(u32, f32),
    ) {
        let Scratch {
            beam,
            visited,
            fresh,
            dots,
        } = scratch;
        beam.begin(width);
        visited.begin();
        for (node, score) in self.starts(seek, dots) {
            if visited.insert(node) {
                beam.push(score, node);
                seen(node, score);
            }
        }
        while let Some((node, near)) = beam.pop() {
            expanded(node, near);
            fresh.clear();
            for next in self.links.of(node).iter().take_while(|next| **next != NONE) {
                if visited.insert(*next) {
                    self.nodes.prefetch(*next);
                    fresh.push(*next);
                }
            }
            if let Some(after) = beam.peek() {
                prefetch(self.links.of(after));
            }
            for next in fresh.iter() {
                // Through a removed node, whose codes are gone, the walk goes on as if it were as
                // near as the one before.
                let score = self.score(seek, *next).unwrap_or(near);
                beam.push(score, *next);
                seen(*next, score);
            }
        }
    }

    /// The best entry points for a query.
    fn starts(&self, seek: &Seek<'_>, dots: &mut Vec<i32>) -> Vec<(u32, f32)> {
        let mut top = Top::new(STARTS);
        self.entries.scan(seek, dots, &mut top);
        top.into_sorted()
    }

    /// The cosine with a node, or with a living twin of it when it is removed.
    #[inline]
    fn score(&self, seek: &Seek<'_>, node: u32) -> Option<f32> {
        if self.nodes.scale(node) > 0.0 {
            return Some(self.nodes.score(seek, node));
        }
        self.stand_in(node).map(|twin| self.nodes.score(seek, twin))
    }

    #[cold]
    fn stand_in(&self, node: u32) -> Option<u32> {
        self.twins
            .followers(node)
            .find(|twin| self.nodes.scale(*twin) > 0.0)
    }
}
