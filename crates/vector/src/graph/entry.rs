//! Where walks begin: a sample of the nodes, compared one by one.

use crate::block::Seek;
use crate::code::cosine;
use crate::graph::build::entry_count;
use crate::graph::nodes::Nodes;
use crate::graph::twins::Twins;
use crate::kernels::Line;
use crate::top::Top;

/// Sampled nodes with a copy of their codes, so that comparing all reads memory in a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    nodes: Vec<u32>,
    scales: Vec<f32>,
    lines: Vec<Line>,
}

impl Entries {
    pub(crate) fn new(sample: &[u32], nodes: &Nodes) -> Self {
        let mut entries = Self::default();
        for node in sample.iter().filter(|n| nodes.scale(**n) > 0.0) {
            entries.nodes.push(*node);
            entries.scales.push(nodes.scale(*node));
            entries.lines.extend_from_slice(nodes.lines(*node));
        }
        entries
    }

    /// Every so many-th node, or the one that it follows: for a given graph always the same ones.
    pub(crate) fn spread(nodes: &Nodes, twins: &Twins) -> Self {
        let leaders = twins.leaders(nodes.len());
        let step = (nodes.len() as usize / entry_count(nodes.len() as usize)).max(1);
        let mut sample: Vec<u32> = leaders.iter().copied().step_by(step).collect();
        sample.sort_unstable();
        sample.dedup();
        Self::new(&sample, nodes)
    }

    pub(crate) fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Compares all entries with a query.
    pub(crate) fn scan(&self, seek: &Seek<'_>, dots: &mut Vec<i32>, top: &mut Top) {
        seek.kernels.dots(seek.probe, &self.lines, dots);
        for ((dot, scale), node) in dots.iter().zip(&self.scales).zip(&self.nodes) {
            top.push(cosine(*dot, seek.scale * scale), *node);
        }
    }

    /// Whether a node is among them.
    pub(crate) fn contains(&self, node: u32) -> bool {
        self.nodes.contains(&node)
    }

    /// Zeroes the copy of a node's codes.
    pub(crate) fn erase(&mut self, node: u32) {
        let stride = self.lines.len() / self.nodes.len().max(1);
        for at in (0..self.nodes.len()).filter(|at| self.nodes.get(*at) == Some(&node)) {
            if let Some(scale) = self.scales.get_mut(at) {
                *scale = 0.0;
            }
            if let Some(lines) = self.lines.get_mut(at * stride..(at + 1) * stride) {
                lines.fill(Line::ZERO);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<u32>()
            + self.scales.capacity() * size_of::<f32>()
            + self.lines.capacity() * size_of::<Line>()
    }
}
