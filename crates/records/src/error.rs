use annals_storage::StorageError;
use annals_types::{InvalidValue, Label, MemoryId, NamespaceId, NamespaceName};

/// Errors of records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The storage below failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no namespace of this name.
    #[error("there is no namespace {:?}; create it or check the name", name.as_str())]
    NoNamespace {
        /// The name asked for.
        name: NamespaceName,
    },
    /// A namespace of this name exists already.
    #[error("a namespace {:?} exists already; choose another name", name.as_str())]
    NamespaceExists {
        /// The name.
        name: NamespaceName,
    },
    /// The namespace behind a handle has been deleted.
    #[error("namespace number {} has been deleted; open it again by its name", namespace.0)]
    NamespaceGone {
        /// Its number.
        namespace: NamespaceId,
    },
    /// No memory of this namespace has this id.
    #[error("there is no memory {id} in this namespace")]
    NotFound {
        /// The id asked for.
        id: MemoryId,
    },
    /// A memory names a source that does not exist in its namespace.
    #[error("there is no memory {origin} in this namespace, from which {id} is said to derive")]
    NoOrigin {
        /// The memory to be stored.
        id: MemoryId,
        /// The id in its provenance.
        origin: MemoryId,
    },
    /// A memory names itself as its source.
    #[error("memory {id} cannot derive from itself; name another memory")]
    OwnOrigin {
        /// The memory.
        id: MemoryId,
    },
    /// An id is in use for something else.
    #[error(
        "id {id} already belongs to a memory with other content; import it under another id or update that memory"
    )]
    IdTaken {
        /// The id.
        id: MemoryId,
    },
    /// A memory that has been replaced under another id cannot be changed.
    #[error(
        "memory {id} has been superseded{}; change its successor",
        by.map(|by| format!(" by {by}")).unwrap_or_default()
    )]
    Superseded {
        /// The memory.
        id: MemoryId,
        /// Its successor, unless that has been deleted.
        by: Option<MemoryId>,
    },
    /// Another turn is at this place of the session.
    #[error("position {position} of session {:?} is taken by another turn", session.as_str())]
    PositionTaken {
        /// The session.
        session: Label,
        /// The position.
        position: u32,
    },
    /// A memory to be imported holds a value that is not allowed.
    #[error("memory {id} cannot be imported: {source}")]
    Invalid {
        /// The memory.
        id: MemoryId,
        /// The invalid value.
        #[source]
        source: InvalidValue,
    },
    /// A record to be imported contradicts itself.
    #[error("the record of memory {id} cannot be imported: {reason}")]
    BadChronicle {
        /// The memory.
        id: MemoryId,
        /// The contradiction.
        reason: &'static str,
    },
    /// All numbers of a kind are used up.
    #[error("namespace number {} has no {what} left; start a new namespace", namespace.0)]
    Full {
        /// The namespace.
        namespace: NamespaceId,
        /// The exhausted kind of number: rows, labels, positions or namespaces.
        what: &'static str,
    },
}

impl RecordError {
    /// Whether stored bytes are damaged.
    #[must_use]
    pub fn is_corruption(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_corruption())
    }
}
