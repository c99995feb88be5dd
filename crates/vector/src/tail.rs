//! Rows that no graph holds yet: blocks in rising order of rows, compared one by one.

use std::sync::Arc;

use annals_types::Row;

use crate::block::{Block, Seek};
use crate::code::{Code, Shape};
use crate::error::VectorError;
use crate::top::Top;

/// Up to so many rows the last block is copied when snapshots share it; behind a larger one a new
/// block is begun.
const FRESH: usize = 32;

/// Rows in rising order, in blocks that snapshots share. Removed rows are gone.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    shape: Shape,
    capacity: usize,
    blocks: Vec<Arc<Block>>,
    len: usize,
}

impl Tail {
    pub(crate) const fn new(shape: Shape, capacity: usize) -> Self {
        Self {
            shape,
            capacity,
            blocks: Vec::new(),
            len: 0,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn blocks(&self) -> &[Arc<Block>] {
        &self.blocks
    }

    /// The block that holds a row or would hold it.
    fn home(&self, row: Row) -> usize {
        match self.blocks.last() {
            Some(last) if last.first().is_some_and(|first| first <= row.0) => self.blocks.len() - 1,
            _ => self
                .blocks
                .partition_point(|b| b.first().is_some_and(|first| first <= row.0))
                .saturating_sub(1),
        }
    }

    /// The block and the place of a row.
    pub(crate) fn find(&self, row: Row) -> Option<(&Block, usize)> {
        let block = self.blocks.get(self.home(row))?;
        block.find(row).ok().map(|at| (block.as_ref(), at))
    }

    /// Adds a row above all others: to the last block while it is small or not shared, so that a
    /// block that snapshots share is not copied for each row. Small blocks are joined to those
    /// before them.
    fn append(&mut self, row: Row, code: &Code) {
        let stride = self.shape.lines();
        if let Some(last) = self.blocks.last_mut()
            && last.len() < self.capacity
            && (last.len() < FRESH || Arc::get_mut(last).is_some())
        {
            let last = Arc::make_mut(last);
            last.insert(last.len(), row, code, stride, self.capacity);
            return;
        }
        if let Some(before) = self.blocks.len().checked_sub(2) {
            self.join(before, self.capacity);
        }
        self.blocks.push(Arc::new(self.single(row, code)));
    }

    /// Adds a row anywhere; above all others is the cheap case.
    pub(crate) fn insert(&mut self, row: Row, code: &Code) -> Result<(), VectorError> {
        let stride = self.shape.lines();
        let home = self.home(row);
        let end = self.blocks.last().and_then(|last| last.last());
        match self.blocks.get_mut(home) {
            Some(block) if end.is_some_and(|end| row.0 <= end) => {
                let Err(at) = block.find(row) else {
                    return Err(VectorError::RowTaken { row });
                };
                if block.len() < self.capacity {
                    Arc::make_mut(block).insert(at, row, code, stride, self.capacity);
                } else {
                    let upper = self.capacity / 2;
                    let lower = Arc::make_mut(block);
                    let mut rest = lower.split_off(upper, stride);
                    let (half, at) = if at <= upper {
                        (lower, at)
                    } else {
                        (&mut rest, at - upper)
                    };
                    half.insert(at, row, code, stride, self.capacity);
                    self.blocks.insert(home + 1, Arc::new(rest));
                }
            }
            _ => self.append(row, code),
        }
        self.len += 1;
        Ok(())
    }

    fn single(&self, row: Row, code: &Code) -> Block {
        let mut block = Block::with_room(self.shape, 1);
        block.push(row.0, &code.lines, code.scale, self.shape.lines());
        block
    }

    /// Removes a row; answers whether it was there.
    pub(crate) fn remove(&mut self, row: Row) -> bool {
        let home = self.home(row);
        let Some(block) = self.blocks.get_mut(home) else {
            return false;
        };
        let Ok(at) = block.find(row) else {
            return false;
        };
        Arc::make_mut(block).take_out(at, self.shape.lines());
        self.len -= 1;
        if block.len() == 0 {
            self.blocks.remove(home);
        } else {
            // Both small: many removals shall not leave many blocks.
            self.join(home, self.capacity / 2);
        }
        true
    }

    /// Joins a block with its successor when both together have at most so many rows.
    fn join(&mut self, at: usize, most: usize) {
        let joined = match (self.blocks.get(at), self.blocks.get(at + 1)) {
            (Some(a), Some(b)) if a.len() + b.len() <= most => Some(a.joined(b)),
            _ => None,
        };
        if let Some(joined) = joined {
            self.blocks.remove(at + 1);
            if let Some(block) = self.blocks.get_mut(at) {
                *block = Arc::new(joined);
            }
        }
    }

    /// Drops the rows for which `gone` holds. It is asked once about each row, in rising order.
    pub(crate) fn drop_rows(&mut self, mut gone: impl FnMut(Row) -> bool) {
        let stride = self.shape.lines();
        let mut kept = Self::new(self.shape, self.capacity);
        for block in &self.blocks {
            let stay: Vec<bool> = block.rows().iter().map(|row| !gone(Row(*row))).collect();
            if stay.iter().all(|s| *s) {
                kept.push_block(Arc::clone(block));
            } else if stay.contains(&true) {
                let mut rest = Block::with_room(self.shape, block.len());
                for ((at, row), _) in block
                    .rows()
                    .iter()
                    .enumerate()
                    .zip(&stay)
                    .filter(|(_, stay)| **stay)
                {
                    rest.push(*row, block.lines(at, stride), block.scale(at), stride);
                }
                kept.push_block(Arc::new(rest));
            }
        }
        *self = kept;
    }

    /// Appends a block whose rows are above all others.
    pub(crate) fn push_block(&mut self, block: Arc<Block>) {
        if block.len() > 0 {
            self.len += block.len();
            self.blocks.push(block);
        }
    }

    pub(crate) fn scan(
        &self,
        seek: &Seek<'_>,
        few: bool,
        filter: &impl Fn(Row) -> bool,
        top: &mut Top,
    ) {
        scan(&self.blocks, seek, few, filter, top);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.blocks
            .iter()
            .map(|b| b.bytes() + size_of::<Block>() + size_of::<Arc<Block>>())
            .sum()
    }
}

/// Compares the rows of some blocks with a query. With `few` the filter is asked before the
/// comparison.
pub(crate) fn scan(
    blocks: &[Arc<Block>],
    seek: &Seek<'_>,
    few: bool,
    filter: &impl Fn(Row) -> bool,
    top: &mut Top,
) {
    let mut dots = Vec::new();
    for block in blocks {
        if few {
            block.pick(seek, filter, top);
        } else {
            block.scan(seek, &mut dots, filter, top);
        }
    }
}
