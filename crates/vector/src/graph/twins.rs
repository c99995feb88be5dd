//! Rows with identical codes: one of them, the leader, is a node of the graph, the others follow
//! it.

use std::collections::HashMap;

use crate::graph::nodes::Nodes;
use crate::kernels::Line;

/// Pairs (leader, follower) in rising order. The leader is the lowest of its group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Twins {
    pairs: Vec<(u32, u32)>,
}

impl Twins {
    pub(crate) fn from_pairs(mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.shrink_to_fit();
        Self { pairs }
    }

    /// Finds the groups of identical living nodes.
    pub(crate) fn find(nodes: &Nodes) -> Self {
        // Hashes first: 16 bytes a node instead of its codes. Equal hashes are compared.
        let mut hashes: Vec<(u64, u32)> = (0..nodes.len())
            .filter(|n| nodes.scale(*n) > 0.0)
            .map(|n| (hash(nodes.lines(n)), n))
            .collect();
        hashes.sort_unstable();
        let mut pairs = Vec::new();
        for group in hashes.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
            let mut leaders: HashMap<&[Line], u32> = HashMap::new();
            for (_, node) in group {
                let leader = *leaders.entry(nodes.lines(*node)).or_insert(*node);
                if leader != *node {
                    pairs.push((leader, *node));
                }
            }
        }
        Self::from_pairs(pairs)
    }

    pub(crate) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The nodes identical to a leader, in rising order.
    pub(crate) fn followers(&self, leader: u32) -> impl Iterator<Item = u32> {
        let start = if self.pairs.is_empty() {
            0
        } else {
            self.pairs.partition_point(|p| p.0 < leader)
        };
        self.pairs
            .iter()
            .skip(start)
            .take_while(move |p| p.0 == leader)
            .map(|p| p.1)
    }

    /// The leader of each node: itself where it follows no other.
    pub(crate) fn leaders(&self, nodes: u32) -> Vec<u32> {
        let mut leaders: Vec<u32> = (0..nodes).collect();
        for (leader, follower) in &self.pairs {
            if let Some(place) = leaders.get_mut(*follower as usize) {
                *place = *leader;
            }
        }
        leaders
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>()
    }
}

/// A hash of codes: FNV-1a over 8 bytes at a time, mixed at the end.
pub(crate) fn hash(lines: &[Line]) -> u64 {
    let words = lines.iter().flat_map(|line| line.0.as_chunks::<8>().0);
    let mixed = words.fold(0xCBF2_9CE4_8422_2325_u64, |h, word| {
        (h ^ u64::from_le_bytes(*word))
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(29)
    });
    mixed ^ (mixed >> 31)
}
