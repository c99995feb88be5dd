//! Vectors on disk: one small value per row is the truth; a graph is stored beside it in blocks and
//! can be rebuilt.
//!
//! | keyspace | key | body (version 1) |
//! |---|---|---|
//! | `vector.spaces` | namespace | the embedders whose vectors the namespace holds |
//! | `vector.codes` | namespace, space, row | a byte per dimension: the codes of [`Code`](crate::Code) |
//! | `vector.late` | namespace, space, row | empty: a row stored after rows above it, so that a graph may lack it |
//! | `vector.graph` | namespace, space | the generations of the graph and their state |
//! | `vector.graph.codes` | namespace, space, generation, block | rows, then their codes |
//! | `vector.graph.links` | namespace, space, generation, block | neighbours, `degree` places a row |
//! | `vector.graph.twins` | namespace, space, generation, chunk | pairs of nodes with equal codes |
//! | `vector.gone` | namespace, space, row | empty: deleted while a graph was being built |
//! | `vector.doomed` | namespace, space | empty: the space was taken out, and what it held is being cleared |
//!
//! All numbers in keys are u32, big-endian; in bodies of blocks u32, little-endian.

mod doomed;
mod generation;
mod load;
mod publish;
mod rows;
mod spaces;
mod validate;

use annals_storage::table::Opaque;
use annals_storage::{AnyTable, KeyRange, Keyspace, Reads, Transaction};
use annals_types::{NamespaceId, Row};

pub use doomed::{clearing, doomed, held, strays};
pub use load::{Loaded, Rebuild};
pub use publish::{Build, There};
pub use spaces::{SpaceInfo, Spaces};
pub use validate::Finding;

use crate::error::VectorError;

const SPACES: Keyspace = Keyspace::new("vector.spaces");
const CODES: Keyspace = Keyspace::new("vector.codes");
const LATE: Keyspace = Keyspace::new("vector.late");
const GRAPH: Keyspace = Keyspace::new("vector.graph");
const GRAPH_CODES: Keyspace = Keyspace::new("vector.graph.codes");
const GRAPH_LINKS: Keyspace = Keyspace::new("vector.graph.links");
const GRAPH_TWINS: Keyspace = Keyspace::new("vector.graph.twins");
const GONE: Keyspace = Keyspace::new("vector.gone");
const DOOMED: Keyspace = Keyspace::new("vector.doomed");

/// Everything that this crate stores.
pub const KEYSPACES: [Keyspace; 9] = [
    SPACES,
    CODES,
    LATE,
    GRAPH,
    GRAPH_CODES,
    GRAPH_LINKS,
    GRAPH_TWINS,
    GONE,
    DOOMED,
];

/// The same as tables, which are validated and purged in a loop.
pub const TABLES: &[&dyn AnyTable] = &[
    &opaque(SPACES),
    &opaque(CODES),
    &opaque(LATE),
    &opaque(GRAPH),
    &opaque(GRAPH_CODES),
    &opaque(GRAPH_LINKS),
    &opaque(GRAPH_TWINS),
    &opaque(GONE),
    &opaque(DOOMED),
];

const fn opaque(keyspace: Keyspace) -> Opaque {
    Opaque(keyspace.up_to(VERSION))
}

/// The keyspaces of a space. The state of the graphs comes last: as long as anything is left, a
/// deletion finds its blocks by it.
const OF_A_SPACE: [Keyspace; 7] = [
    CODES,
    LATE,
    GONE,
    GRAPH_CODES,
    GRAPH_LINKS,
    GRAPH_TWINS,
    GRAPH,
];

/// The version of every body that this crate writes.
const VERSION: u8 = 1;

/// The stored vectors of one namespace that one embedder made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Space {
    namespace: NamespaceId,
    number: u32,
}

impl Space {
    /// The space with this number ([`SpaceInfo::number`]) of a namespace.
    #[must_use]
    pub const fn new(namespace: NamespaceId, number: u32) -> Self {
        Self { namespace, number }
    }

    /// Its namespace.
    #[must_use]
    pub const fn namespace(self) -> NamespaceId {
        self.namespace
    }

    /// Its number in its namespace.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.number
    }

    fn prefix(self) -> Vec<u8> {
        key(&[self.namespace.0, self.number])
    }

    fn row_key(self, row: Row) -> Vec<u8> {
        key(&[self.namespace.0, self.number, row.0])
    }

    fn block_key(self, generation: u32, block: u32) -> Vec<u8> {
        key(&[self.namespace.0, self.number, generation, block])
    }

    /// Deletes the stored graph of every generation, which is damaged or of another version; the
    /// vectors stay, and the next build begins anew. Not while a build is under way.
    ///
    /// # Errors
    /// When storage fails.
    pub fn drop_graph(self, tx: &mut Transaction<'_>) -> Result<(), VectorError> {
        for keyspace in [GRAPH, GRAPH_CODES, GRAPH_LINKS, GRAPH_TWINS, GONE, LATE] {
            tx.delete_range(&KeyRange::prefix(keyspace, &self.prefix()), usize::MAX)?;
        }
        Ok(())
    }

    /// Deletes what is left of a space that was taken out ([`Spaces::keep`]), at most `limit`
    /// keys; answers whether it is done.
    ///
    /// # Errors
    /// When storage fails.
    pub fn clear(self, tx: &mut Transaction<'_>, limit: usize) -> Result<bool, VectorError> {
        // A build that was announced before may have written until the state of the graphs went:
        // only an empty space is cleared.
        if delete(tx, &OF_A_SPACE, &self.prefix(), limit)? > 0 {
            return Ok(false);
        }
        tx.delete(DOOMED, &self.prefix())?;
        Ok(true)
    }

    /// The rows that have a vector, rising.
    ///
    /// # Errors
    /// When storage fails, or a newer program wrote a vector.
    pub fn rows(self, reads: &(impl Reads + ?Sized)) -> Result<Vec<Row>, VectorError> {
        self.marked(reads, CODES)
    }
}

/// Deletes every vector of a namespace, at most `limit` keys; answers how many: below the limit it
/// is done.
///
/// # Errors
/// When storage fails.
pub fn delete_namespace(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    limit: usize,
) -> Result<usize, VectorError> {
    // The state of the graphs goes first: half a graph without it is nothing, with it it would be
    // damage.
    let keyspaces = [
        GRAPH,
        GRAPH_CODES,
        GRAPH_LINKS,
        GRAPH_TWINS,
        CODES,
        LATE,
        GONE,
        DOOMED,
        SPACES,
    ];
    delete(tx, &keyspaces, &key(&[namespace.0]), limit)
}

fn delete(
    tx: &mut Transaction<'_>,
    keyspaces: &[Keyspace],
    prefix: &[u8],
    limit: usize,
) -> Result<usize, VectorError> {
    let mut deleted = 0;
    for keyspace in keyspaces {
        deleted += tx.delete_range(&KeyRange::prefix(*keyspace, prefix), limit - deleted)?;
        if deleted == limit {
            break;
        }
    }
    Ok(deleted)
}

fn key(parts: &[u32]) -> Vec<u8> {
    parts.iter().flat_map(|part| part.to_be_bytes()).collect()
}

/// The last number of a key.
fn last_part(key: &[u8]) -> Option<u32> {
    key.last_chunk::<4>()
        .map(|bytes| u32::from_be_bytes(*bytes))
}
