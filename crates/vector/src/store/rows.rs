//! The vector of one row: written once, deleted with every trace.

use annals_storage::{Reads, Transaction};
use annals_types::Row;

use crate::code::{Code, Shape};
use crate::error::VectorError;
use crate::store::generation::{Generations, State};
use crate::store::{CODES, GONE, GRAPH_CODES, LATE, Space, VERSION};

impl Space {
    /// Stores the vector of a row that is above every row stored before: what remembering does. One
    /// put, no read.
    ///
    /// # Errors
    /// When storage fails.
    pub fn put(self, tx: &mut Transaction<'_>, row: Row, code: &Code) -> Result<(), VectorError> {
        Ok(tx.put(CODES, &self.row_key(row), VERSION, &code.bytes())?)
    }

    /// Stores the vector of a row wherever it lies among the others: what embedding again does.
    ///
    /// # Errors
    /// When storage fails.
    pub fn put_late(
        self,
        tx: &mut Transaction<'_>,
        row: Row,
        code: &Code,
    ) -> Result<(), VectorError> {
        self.put(tx, row, code)?;
        // A graph that is there, or being built from an earlier state, will lack this row.
        if !Generations::known(tx, self)?.list.is_empty() {
            tx.put(LATE, &self.row_key(row), VERSION, &[])?;
        }
        Ok(())
    }

    /// The vector of a row; `None` when it has none.
    ///
    /// # Errors
    /// When storage fails, a newer program wrote the vector, or it is not of this shape.
    pub fn get(
        self,
        reads: &(impl Reads + ?Sized),
        shape: Shape,
        row: Row,
    ) -> Result<Option<Code>, VectorError> {
        match reads.get(CODES, &self.row_key(row))? {
            None => Ok(None),
            Some(stored) => read(shape, stored.version, &stored.body).map(Some),
        }
    }

    /// Deletes the vector of a row, and zeroes its copy in the blocks of every generation of the
    /// graph: afterwards nothing tells what it was. Rewrites at most one block of 128 KiB per
    /// generation. Answers whether the row had a vector.
    ///
    /// # Errors
    /// When storage fails.
    pub fn delete(self, tx: &mut Transaction<'_>, row: Row) -> Result<bool, VectorError> {
        let key = self.row_key(row);
        let was = tx.delete(CODES, &key)?;
        tx.delete(LATE, &key)?;
        let generations = Generations::known(tx, self)?;
        for generation in &generations.list {
            if let Some(block) = generation.block_of(row) {
                self.erase(tx, generation.number, block, generation.dims, row)?;
            }
        }
        // Blocks of a pending generation that are not written yet will be written without this row.
        if was && generations.list.iter().any(|g| g.state == State::Pending) {
            tx.put(GONE, &key, VERSION, &[])?;
        }
        Ok(was)
    }

    fn erase(
        self,
        tx: &mut Transaction<'_>,
        generation: u32,
        block: u32,
        dims: u32,
        row: Row,
    ) -> Result<(), VectorError> {
        let key = self.block_key(generation, block);
        let Some(stored) = tx.get(GRAPH_CODES, &key)?.filter(|s| s.version == VERSION) else {
            return Ok(());
        };
        let mut body = stored.body;
        if erase(&mut body, dims, row) {
            tx.put(GRAPH_CODES, &key, VERSION, &body)?;
        }
        Ok(())
    }
}

/// A vector from its stored form.
pub(super) fn read(shape: Shape, version: u8, body: &[u8]) -> Result<Code, VectorError> {
    match version {
        VERSION => shape.decode(body).map_err(|error| VectorError::Damaged {
            what: "vector",
            detail: error.to_string(),
        }),
        _ => Err(VectorError::TooNew {
            what: "vector",
            version,
        }),
    }
}

/// Zeroes the codes of a row in a stored block; answers whether they were there.
pub(crate) fn erase(body: &mut [u8], dims: u32, row: Row) -> bool {
    let Some((count, rest)) = body.split_first_chunk_mut::<4>() else {
        return false;
    };
    let count = u32::from_le_bytes(*count) as usize;
    let Some((rows, codes)) = rest.split_at_mut_checked(count * size_of::<u32>()) else {
        return false;
    };
    let found = rows
        .as_chunks::<4>()
        .0
        .binary_search_by_key(&row.0, |bytes| u32::from_le_bytes(*bytes));
    let dims = dims as usize;
    match found
        .ok()
        .and_then(|at| codes.get_mut(at * dims..(at + 1) * dims))
    {
        Some(codes) if codes.iter().any(|b| *b != 0) => {
            codes.fill(0);
            true
        }
        _ => false,
    }
}
