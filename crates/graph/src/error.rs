use annals_storage::StorageError;
use annals_types::{InvalidValue, NamespaceId, Row};

use crate::{EntityId, MergeId, TripleId};

/// Errors of the graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The storage below failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// This namespace has no such entity.
    #[error("there is no {entity} in this namespace")]
    NoEntity {
        /// The number asked for.
        entity: EntityId,
    },
    /// This namespace has no such triple.
    #[error("there is no {triple} in this namespace")]
    NoTriple {
        /// The number asked for.
        triple: TripleId,
    },
    /// The graph has not been told of this memory.
    #[error("the graph does not know row {} of this namespace; introduce it first", row.0)]
    NoRow {
        /// The row asked for.
        row: Row,
    },
    /// This namespace has no such merge, or it was undone.
    #[error("there is no {merge} to undo in this namespace")]
    NoMerge {
        /// The number asked for.
        merge: MergeId,
    },
    /// A triple was to be stored that no memory supports.
    #[error("a triple needs at least one memory that says so; name its supporters")]
    NoSupporter,
    /// A memory was to be linked to itself, or derived from itself.
    #[error("row {} cannot be tied to itself; name another memory", row.0)]
    SelfTie {
        /// The row.
        row: Row,
    },
    /// An entity was to be merged with itself, or with one that it is one with already.
    #[error("{entity} is the same entity already")]
    SameEntity {
        /// The entity that both are.
        entity: EntityId,
    },
    /// A link was named in a way that the settings do not know.
    #[error("{name:?} is no relation between memories; it must be one of {allowed}")]
    NoRelation {
        /// The name asked for.
        name: String,
        /// The names that the settings know.
        allowed: String,
    },
    /// A value given by the caller is not allowed.
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    /// A cursor belongs to another query.
    #[error("the cursor does not belong to this query; start again without it")]
    BadCursor,
    /// All numbers of a kind are used up.
    #[error("namespace number {} has no {what} left; start a new namespace", namespace.0)]
    Full {
        /// The namespace.
        namespace: NamespaceId,
        /// The exhausted kind of number: entities, triples, labels or merges.
        what: &'static str,
    },
    /// A line to be imported names a memory that is not there.
    #[error("there is no memory called {name:?}; import the memories first")]
    NoMemory {
        /// Its name, shortened.
        name: String,
    },
    /// A number of a line to be imported stands for something else in this namespace.
    #[error(
        "the number of {what} {number} is taken by another one here; import into a namespace without a graph of its own"
    )]
    Taken {
        /// The kind of thing that has the number.
        what: &'static str,
        /// The number.
        number: u32,
    },
    /// A caller's own function failed.
    #[error("what the graph asked of its caller failed: {source}")]
    Caller {
        /// The error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The receiver of an export refused it.
    #[error("the export could not be written: {source}")]
    Export {
        /// The error of the receiver.
        #[source]
        source: std::io::Error,
    },
}

impl GraphError {
    /// Whether stored bytes are damaged.
    #[must_use]
    pub fn is_corruption(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_corruption())
    }

    /// Whether the caller named something that is not there.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(
            self,
            Self::NoEntity { .. }
                | Self::NoTriple { .. }
                | Self::NoRow { .. }
                | Self::NoMerge { .. }
        )
    }

    pub(crate) fn no_memory(name: &str) -> Self {
        Self::NoMemory {
            name: name.chars().take(60).collect(),
        }
    }
}
