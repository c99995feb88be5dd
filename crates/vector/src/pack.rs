//! Gathers the living rows of many blocks into full blocks in rising order: the nodes of a new
//! graph.

use std::sync::Arc;

use crate::block::Block;
use crate::code::Shape;

/// A living row: its number, the block that holds it and its place there.
type RowPlace = (u32, u32, u32);

/// Blocks of exactly `capacity` rows, the last one of at most that. Source blocks that fit as they
/// are get shared.
pub(crate) fn pack(shape: Shape, capacity: usize, sources: &[Arc<Block>]) -> Vec<Arc<Block>> {
    let mut rows: Vec<RowPlace> = Vec::new();
    for (source, block) in (0_u32..).zip(sources) {
        let living = (0_u32..)
            .zip(block.rows())
            .filter(|(at, _)| block.scale(*at as usize) > 0.0);
        rows.extend(living.map(|(at, row)| (*row, source, at)));
    }
    rows.sort_unstable();
    rows.chunks(capacity)
        .map(|chunk| shared(sources, chunk).unwrap_or_else(|| copied(shape, sources, chunk)))
        .collect()
}

/// The source block that holds exactly these rows.
fn shared(sources: &[Arc<Block>], chunk: &[RowPlace]) -> Option<Arc<Block>> {
    let ((_, source, _), (_, end, _)) = (chunk.first()?, chunk.last()?);
    let block = sources.get(*source as usize)?;
    let whole =
        source == end && block.len() == chunk.len() && chunk.iter().all(|(_, s, _)| s == source);
    whole.then(|| Arc::clone(block))
}

fn copied(shape: Shape, sources: &[Arc<Block>], chunk: &[RowPlace]) -> Arc<Block> {
    let stride = shape.lines();
    let mut block = Block::with_room(shape, chunk.len());
    for (row, source, at) in chunk {
        if let Some(from) = sources.get(*source as usize) {
            let at = *at as usize;
            block.push(*row, from.lines(at, stride), from.scale(at), stride);
        }
    }
    Arc::new(block)
}
