//! The generations of a stored graph: the one in use, one being written, and old ones not yet
//! deleted.

use annals_storage::{Reads, Transaction, codec};
use annals_types::{Commit, Row};
use serde::{Deserialize, Serialize};

use crate::error::VectorError;
use crate::graph::Graph;
use crate::store::{GRAPH, Space, VERSION};

/// The state of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum State {
    /// Being built or written.
    Pending,
    /// In use.
    Current,
    /// Replaced, its blocks partly deleted.
    Old,
}

/// One generation of the graph. Of a pending one all but the number may still be unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generation {
    pub(crate) number: u32,
    pub(crate) state: State,
    /// The commit whose rows it holds.
    pub(crate) commit: u64,
    pub(crate) nodes: u32,
    pub(crate) dims: u32,
    pub(crate) degree: u32,
    /// Rows of a full block.
    pub(crate) capacity: u32,
    pub(crate) twin_chunks: u32,
    /// The first row of each block: where to look for a row that is deleted.
    pub(crate) first_rows: Vec<u32>,
    /// One more than the highest row; 0 without rows.
    pub(crate) rows_end: u64,
}

impl Generation {
    pub(crate) const fn pending(number: u32) -> Self {
        Self {
            number,
            state: State::Pending,
            commit: 0,
            nodes: 0,
            dims: 0,
            degree: 0,
            capacity: 0,
            twin_chunks: 0,
            first_rows: Vec::new(),
            rows_end: 0,
        }
    }

    /// Describes a graph.
    pub(crate) fn describe(&mut self, graph: &Graph, twin_chunks: usize) {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let blocks = graph.nodes().blocks();
        self.commit = graph.commit().0;
        self.nodes = graph.nodes().len();
        self.dims = number(graph.nodes().shape.dims());
        self.degree = number(graph.degree());
        self.capacity = number(graph.nodes().split().per());
        self.twin_chunks = number(twin_chunks);
        self.first_rows = blocks.iter().filter_map(|b| b.first()).collect();
        self.rows_end = blocks
            .last()
            .and_then(|b| b.last())
            .map_or(0, |last| u64::from(last) + 1);
    }

    /// The block that would hold a row.
    pub(crate) fn block_of(&self, row: Row) -> Option<u32> {
        let inside = u64::from(row.0) < self.rows_end;
        let block = self
            .first_rows
            .partition_point(|first| *first <= row.0)
            .checked_sub(1)?;
        u32::try_from(block).ok().filter(|_| inside)
    }

    pub(crate) const fn commit(&self) -> Commit {
        Commit(self.commit)
    }
}

/// All generations of a space.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generations {
    pub(crate) next: u32,
    pub(crate) list: Vec<Generation>,
}

impl Generations {
    /// Reads them; `Err` of the inner result is a version that this program does not know.
    pub(crate) fn read(
        reads: &(impl Reads + ?Sized),
        space: Space,
    ) -> Result<Result<Self, u8>, VectorError> {
        match reads.get(GRAPH, &space.prefix())? {
            None => Ok(Ok(Self::default())),
            Some(stored) if stored.version == VERSION => Ok(Ok(
                codec::decode(&stored.body).map_err(annals_storage::StorageError::from)?
            )),
            Some(stored) => Ok(Err(stored.version)),
        }
    }

    /// Reads them where an unknown version is an error.
    pub(crate) fn known(reads: &(impl Reads + ?Sized), space: Space) -> Result<Self, VectorError> {
        let read = Self::read(reads, space)?;
        read.map_err(|version| VectorError::TooNew {
            what: "vector graph",
            version,
        })
    }

    pub(crate) fn write(&self, tx: &mut Transaction<'_>, space: Space) -> Result<(), VectorError> {
        let body = codec::encode(self).map_err(annals_storage::StorageError::from)?;
        Ok(tx.put(GRAPH, &space.prefix(), VERSION, &body)?)
    }

    pub(crate) fn current(&self) -> Option<&Generation> {
        self.list.iter().find(|g| g.state == State::Current)
    }

    pub(crate) fn find(&mut self, number: u32) -> Option<&mut Generation> {
        self.list.iter_mut().find(|g| g.number == number)
    }
}
