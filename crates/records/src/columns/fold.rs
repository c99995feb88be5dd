use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{NamespaceId, Row};

use super::block::Block;
use super::slot::Facts;
use crate::keyspaces::{COLUMNS, ROWS};
use crate::wire::Broken;
use crate::{Head, RecordError, key, record, value};

/// What [`fold_columns`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// Blocks written.
    pub blocks: usize,
    /// The first row that no block covers.
    pub covered: Row,
    /// Rows that no block covers.
    pub left: u32,
}

/// Folds rows that no block covers yet into blocks of `block_rows` rows, at most `max_blocks` of them.
///
/// The blocks only make a later [`Columns::load`](super::Columns::load) fast; they never change an answer. Call it outside
/// the path of a remember, for instance whenever [`Folded::left`] may have passed `block_rows`.
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
        value::put(txn, COLUMNS, &key::row(ns, Row(covered)), &block)?;
        covered += block_rows;
        blocks += 1;
    }
    Ok(Folded { blocks, covered: Row(covered), left: next_row.saturating_sub(covered) })
}

/// Removes at most `limit` stored blocks, so that they can be folded afresh; answers how many it removed.
///
/// # Errors
/// When the storage fails.
pub fn drop_columns(txn: &mut Transaction<'_>, ns: NamespaceId, limit: usize) -> Result<usize, RecordError> {
    Ok(txn.delete_range(&KeyRange::prefix(COLUMNS, &ns.prefix()), limit)?)
}

fn last_end(reads: &dyn Reads, ns: NamespaceId) -> Result<u32, RecordError> {
    let mut end = 0;
    let last = KeyRange::prefix(COLUMNS, &ns.prefix()).reversed();
    value::scan(reads, &[last], &mut |_, key, version, body| {
        let first = key::tail_u32(key).ok_or_else(|| short(key))?;
        let block: Block = value::decode(COLUMNS, key, version, body)?;
        end = first.saturating_add(u32::try_from(block.slots.len()).unwrap_or(u32::MAX));
        Ok(ControlFlow::Break(()))
    })?;
    Ok(end)
}

fn build(reads: &dyn Reads, ns: NamespaceId, first: u32, rows: u32) -> Result<Block, RecordError> {
    let mut found = Vec::new();
    let range = KeyRange::between(ROWS, &key::row(ns, Row(first)), &key::row(ns, Row(first + rows)));
    value::scan(reads, &[range], &mut |_, key, version, body| {
        let row = key::tail_u32(key).ok_or_else(|| short(key))?;
        found.push(((row - first) as usize, Facts::of(&record::open(key, version, body)?)));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut block = Block::absent(reads.commit(), rows as usize);
    block.fill(found.into_iter());
    Ok(block)
}

fn short(key: &[u8]) -> RecordError {
    RecordError::damaged(COLUMNS, key, Broken("the key is short"))
}

/// Removes every trace of rows from the blocks that cover them. Rows must be in rising order.
///
/// Should a block be damaged, it may hold traces that cannot be found: then all blocks go, for they are derived.
pub(crate) fn erase_from_blocks(txn: &mut Transaction<'_>, ns: NamespaceId, rows: &[Row]) -> Result<(), RecordError> {
    let mut left = rows;
    while let Some(row) = left.first() {
        let (first, mut block) = match covering(txn, ns, *row) {
            Ok(Some(found)) => found,
            // Nothing before this row, but perhaps before a later one: blocks need not begin at row 0.
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
        let end = first.saturating_add(u32::try_from(block.slots.len()).unwrap_or(u32::MAX));
        let inside = left.iter().take_while(|row| row.0 < end).count();
        let (now, later) = left.split_at(inside.max(1));
        left = later;
        if inside > 0 {
            now.iter().for_each(|row| block.erase(row.0 - first));
            value::put(txn, COLUMNS, &key::row(ns, Row(first)), &block)?;
        }
    }
    Ok(())
}

/// The last block that begins at or before a row.
fn covering(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Option<(u32, Block)>, RecordError> {
    let mut found = None;
    let end = key::row(ns, Row(row.0.saturating_add(1)));
    let range = KeyRange::between(COLUMNS, &key::row(ns, Row(0)), &end).reversed();
    value::scan(reads, &[range], &mut |_, key, version, body| {
        let first = key::tail_u32(key).ok_or_else(|| short(key))?;
        found = Some((first, value::decode(COLUMNS, key, version, body)?));
        Ok(ControlFlow::Break(()))
    })?;
    Ok(found)
}
