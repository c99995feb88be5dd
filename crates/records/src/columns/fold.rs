use std::ops::ControlFlow;

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row};

use super::block::Block;
use super::slot::Facts;
use crate::tables::{COLUMNS, ROWS};
use crate::{Head, RecordError};

/// The result of [`fold_columns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// Blocks written.
    pub blocks: usize,
    /// The first row that no block covers.
    pub covered: Row,
    /// Rows that no block covers.
    pub left: u32,
}

/// Folds rows that no block covers yet into blocks of `block_rows` rows, at most `max_blocks` of
/// them.
///
/// The blocks only make a later [`Columns::load`](super::Columns::load) fast; they never change an
/// answer. Call it outside the path of a remember, for instance whenever [`Folded::left`] may have
/// passed `block_rows`.
///
/// # Errors
/// When a row cannot be read.
pub fn fold_columns(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    block_rows: u32,
    max_blocks: usize,
) -> Result<Folded, RecordError> {
    let next_row = Head::read(txn, ns)?.next_row;
    let block_rows = block_rows.max(1);
    let mut covered = last_end(txn, ns)?;
    let mut blocks = 0;
    while blocks < max_blocks && next_row.saturating_sub(covered) >= block_rows {
        let block = build(txn, ns, covered, block_rows)?;
        COLUMNS.put(txn, (ns, Row(covered)), &block)?;
        covered += block_rows;
        blocks += 1;
    }
    Ok(Folded {
        blocks,
        covered: Row(covered),
        left: next_row.saturating_sub(covered),
    })
}

/// Removes at most `limit` stored blocks, so that they can be folded afresh; answers how many it
/// removed.
///
/// # Errors
/// When the storage fails.
pub fn drop_columns(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    limit: usize,
) -> Result<usize, RecordError> {
    Ok(COLUMNS.clear(txn, COLUMNS.within(ns), limit)?)
}

fn last_end(reads: &dyn Reads, ns: NamespaceId) -> Result<u32, RecordError> {
    let last = COLUMNS.rows(reads, COLUMNS.within(ns).reversed(), 1)?.pop();
    Ok(last.map_or(0, |((_, first), block)| end_of(first, &block)))
}

fn build(reads: &dyn Reads, ns: NamespaceId, first: u32, rows: u32) -> Result<Block, RecordError> {
    let mut found = Vec::new();
    let range = ROWS
        .within(ns)
        .from((ns, Row(first)))
        .until((ns, Row(first + rows)));
    ROWS.scan(reads, range, |(_, row), record| {
        found.push(((row.0 - first) as usize, Facts::of(&record)));
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    let mut block = Block::absent(reads.commit(), rows as usize);
    block.fill(found.into_iter());
    Ok(block)
}

/// The first row after a block.
fn end_of(first: Row, block: &Block) -> u32 {
    first
        .0
        .saturating_add(u32::try_from(block.slots.len()).unwrap_or(u32::MAX))
}

/// Removes every trace of rows from the blocks that cover them. Rows must be in rising order.
///
/// Should a block be damaged, it may hold traces that cannot be found: then all blocks go, for they
/// are derived.
pub(crate) fn erase_from_blocks(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<(), RecordError> {
    let mut left = rows;
    while let Some(row) = left.first() {
        let (first, mut block) = match covering(txn, ns, *row) {
            Ok(Some(found)) => found,
            // Nothing before this row, but perhaps before a later one: blocks need not begin at row
            // 0.
            Ok(None) => {
                left = left.split_first().map_or(&[], |(_, later)| later);
                continue;
            }
            Err(error) if error.is_corruption() => {
                drop_columns(txn, ns, usize::MAX)?;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let end = end_of(first, &block);
        let inside = left.iter().take_while(|row| row.0 < end).count();
        let (now, later) = left.split_at(inside.max(1));
        left = later;
        if inside > 0 {
            now.iter().for_each(|row| block.erase(row.0 - first.0));
            COLUMNS.put(txn, (ns, first), &block)?;
        }
    }
    Ok(())
}

/// The last block that begins at or before a row.
fn covering(
    reads: &dyn Reads,
    ns: NamespaceId,
    row: Row,
) -> Result<Option<(Row, Block)>, RecordError> {
    let range = COLUMNS
        .within(ns)
        .until((ns, Row(row.0.saturating_add(1))))
        .reversed();
    Ok(COLUMNS
        .rows(reads, range, 1)?
        .pop()
        .map(|((_, first), block)| (first, block)))
}
