//! The neighbour lists of a graph, a fixed number of places per node.

use std::sync::Arc;

use crate::graph::nodes::Split;
use crate::graph::walk::{Links, NONE};

/// Lists that no longer change, in blocks that are stored one by one.
#[derive(Debug, Clone)]
pub(crate) struct Frozen {
    split: Split,
    degree: usize,
    blocks: Vec<Arc<[u32]>>,
}

impl Frozen {
    pub(crate) const fn new(split: Split, degree: usize, blocks: Vec<Arc<[u32]>>) -> Self {
        Self {
            split,
            degree,
            blocks,
        }
    }

    pub(crate) const fn degree(&self) -> usize {
        self.degree
    }

    pub(crate) fn blocks(&self) -> &[Arc<[u32]>] {
        &self.blocks
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks
            .iter()
            .map(|b| size_of_val(b.as_ref()) + size_of::<Arc<[u32]>>())
            .sum()
    }
}

impl Links for Frozen {
    #[inline]
    fn of(&self, node: u32) -> &[u32] {
        let (block, at) = self.split.of(node);
        let places = at * self.degree..(at + 1) * self.degree;
        self.blocks
            .get(block)
            .and_then(|b| b.get(places))
            .unwrap_or(&[])
    }
}

/// Lists under construction.
#[derive(Debug)]
pub(crate) struct Draft {
    split: Split,
    degree: usize,
    blocks: Vec<Box<[u32]>>,
}

impl Draft {
    /// Empty lists for so many nodes.
    pub(crate) fn new(split: Split, degree: usize, nodes: u32) -> Self {
        let mut left = nodes as usize;
        let mut blocks = Vec::new();
        while left > 0 {
            let here = left.min(split.per());
            blocks.push(vec![NONE; here * degree].into_boxed_slice());
            left -= here;
        }
        Self {
            split,
            degree,
            blocks,
        }
    }

    pub(crate) const fn degree(&self) -> usize {
        self.degree
    }

    pub(crate) const fn split(&self) -> Split {
        self.split
    }

    /// Replaces the list of a node.
    pub(crate) fn set(&mut self, node: u32, list: &[u32]) {
        let (block, at) = self.split.of(node);
        let places = at * self.degree..(at + 1) * self.degree;
        if let Some(places) = self.blocks.get_mut(block).and_then(|b| b.get_mut(places)) {
            write(places, list);
        }
    }

    pub(crate) fn blocks_mut(&mut self) -> &mut [Box<[u32]>] {
        &mut self.blocks
    }

    pub(crate) fn freeze(self) -> Frozen {
        Frozen {
            split: self.split,
            degree: self.degree,
            blocks: self.blocks.into_iter().map(Arc::from).collect(),
        }
    }
}

impl Links for Draft {
    #[inline]
    fn of(&self, node: u32) -> &[u32] {
        let (block, at) = self.split.of(node);
        let places = at * self.degree..(at + 1) * self.degree;
        self.blocks
            .get(block)
            .and_then(|b| b.get(places))
            .unwrap_or(&[])
    }
}

/// Writes a list into the places of a node; what does not fit is left out.
pub(crate) fn write(places: &mut [u32], list: &[u32]) {
    let values = list.iter().copied().chain(std::iter::repeat(NONE));
    for (place, value) in places.iter_mut().zip(values) {
        *place = value;
    }
}

/// The neighbours without the empty places.
pub(crate) fn present(places: &[u32]) -> &[u32] {
    let end = places
        .iter()
        .position(|n| *n == NONE)
        .unwrap_or(places.len());
    places.get(..end).unwrap_or(places)
}
