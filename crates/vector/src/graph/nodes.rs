//! The rows of a graph by node number: full blocks, one after another.

use std::sync::Arc;

use annals_types::Row;

use crate::block::{Block, Seek};
use crate::code::Shape;
use crate::kernels::{Kernels, Line};

/// Divides node numbers by the rows of a block through a multiplication (Granlund, Montgomery:
/// Division by Invariant Integers using Multiplication, 1994): three accesses per neighbour make a
/// real division visible in profiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    per: u32,
    magic: u64,
    shift: u32,
}

impl Split {
    pub(crate) fn new(per: usize) -> Self {
        let per = u32::try_from(per.clamp(1, 1024)).unwrap_or(1);
        // Exact for nodes below 2^31: the rounding of the factor adds less than 1 / per to the
        // quotient.
        let shift = 31 + per.next_power_of_two().ilog2();
        Self {
            per,
            magic: (1_u64 << shift) / u64::from(per) + 1,
            shift,
        }
    }

    /// Block and place of a node.
    #[inline]
    pub(crate) fn of(self, node: u32) -> (usize, usize) {
        #[expect(clippy::cast_possible_truncation, reason = "a quotient of a u32")]
        let block = (u64::from(node).wrapping_mul(self.magic) >> self.shift) as u32;
        (
            block as usize,
            node.wrapping_sub(block.wrapping_mul(self.per)) as usize,
        )
    }

    pub(crate) fn per(self) -> usize {
        self.per as usize
    }
}

/// Node n is the n-th row in rising order.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    pub(crate) shape: Shape,
    stride: usize,
    split: Split,
    blocks: Vec<Arc<Block>>,
    len: u32,
}

impl Nodes {
    /// From blocks that are all full but the last.
    pub(crate) fn new(shape: Shape, capacity: usize, blocks: Vec<Arc<Block>>) -> Self {
        let len = blocks.iter().map(|b| b.len()).sum::<usize>();
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        Self {
            shape,
            stride: shape.lines(),
            split: Split::new(capacity),
            blocks,
            len,
        }
    }

    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    pub(crate) const fn split(&self) -> Split {
        self.split
    }

    pub(crate) fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    #[inline]
    pub(crate) fn lines(&self, node: u32) -> &[Line] {
        let (block, at) = self.split.of(node);
        self.blocks
            .get(block)
            .map_or(&[], |b| b.lines(at, self.stride))
    }

    #[inline]
    pub(crate) fn scale(&self, node: u32) -> f32 {
        let (block, at) = self.split.of(node);
        self.blocks.get(block).map_or(0.0, |b| b.scale(at))
    }

    #[inline]
    pub(crate) fn row(&self, node: u32) -> Option<u32> {
        let (block, at) = self.split.of(node);
        self.blocks.get(block).and_then(|b| b.row(at))
    }

    /// All rows in rising order, removed or not.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        self.blocks
            .iter()
            .flat_map(|b| b.rows())
            .map(|row| Row(*row))
    }

    #[inline]
    pub(crate) fn prefetch(&self, node: u32) {
        let (block, at) = self.split.of(node);
        if let Some(block) = self.blocks.get(block) {
            block.prefetch(at, self.stride);
        }
    }

    /// The cosine with a query; 0 when the node is removed.
    #[inline]
    pub(crate) fn score(&self, seek: &Seek<'_>, node: u32) -> f32 {
        let (block, at) = self.split.of(node);
        self.blocks.get(block).map_or(0.0, |b| seek.score(b, at))
    }

    /// A node as a query against others.
    pub(crate) fn seek(&self, node: u32) -> Seek<'_> {
        let kernels = Kernels::detect();
        Seek {
            kernels,
            probe: kernels.probe(self.lines(node)),
            scale: self.scale(node),
            stride: self.stride,
        }
    }

    /// The node of a row, removed or not.
    pub(crate) fn find(&self, row: Row) -> Option<u32> {
        let home = self
            .blocks
            .partition_point(|b| b.first().is_some_and(|first| first <= row.0))
            .checked_sub(1)?;
        let at = self.blocks.get(home)?.find(row).ok()?;
        u32::try_from(home * self.split.per() + at).ok()
    }

    /// The block of a row and its place there.
    pub(crate) fn place(&self, row: Row) -> Option<(&Block, usize)> {
        let (block, at) = self.split.of(self.find(row)?);
        self.blocks.get(block).map(|b| (b.as_ref(), at))
    }

    /// Zeroes a node; answers whether it was there.
    pub(crate) fn erase(&mut self, node: u32) -> bool {
        let (block, at) = self.split.of(node);
        match self.blocks.get_mut(block) {
            Some(b) if b.scale(at) > 0.0 => {
                Arc::make_mut(b).erase(at, self.stride);
                true
            }
            _ => false,
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks
            .iter()
            .map(|b| b.bytes() + size_of::<Block>() + size_of::<Arc<Block>>())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_multiplication_divides_exactly(node in 0_u32..1 << 31, per in 1_usize..=1024) {
            let (block, at) = Split::new(per).of(node);
            prop_assert_eq!((block, at), (node as usize / per, node as usize % per));
        }
    }

    #[test]
    fn multiples_and_their_neighbours_divide_exactly() {
        for per in 1..=1024_u32 {
            let split = Split::new(per as usize);
            for base in [0, per, per * 2, (i32::MAX as u32) / per * per] {
                for node in [base.saturating_sub(1), base, base + 1]
                    .into_iter()
                    .filter(|n| *n < 1 << 31)
                {
                    assert_eq!(
                        split.of(node),
                        ((node / per) as usize, (node % per) as usize)
                    );
                }
            }
        }
    }
}
