use annals_types::Row;

/// The most dimensions that a vector may have.
pub const MAX_DIMS: usize = 4096;

/// Why a vector or an index could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// An index for vectors without dimensions, or with too many.
    #[error(
        "vectors of {dims} dimensions cannot be indexed: choose an embedder with 1 to {MAX_DIMS}"
    )]
    BadDims {
        /// The dimensions asked for.
        dims: usize,
    },
    /// A vector of another length than the index holds.
    #[error(
        "a vector of {got} numbers where {expected} were expected: was it made by another embedder?"
    )]
    WrongLength {
        /// Its length.
        got: usize,
        /// The length that the index holds.
        expected: usize,
    },
    /// A vector with NaN or an infinite number.
    #[error("a vector with a number that is not finite at position {position}")]
    NotFinite {
        /// The first such position.
        position: usize,
    },
    /// A vector of zeros, which has no direction.
    #[error("a vector of zeros has no direction and cannot be compared")]
    Zero,
    /// A row that already has a vector; rows are immutable.
    #[error("row {} already has a vector", row.0)]
    RowTaken {
        /// The row.
        row: Row,
    },
    /// More rows than one graph can number.
    #[error("{rows} vectors are more than one graph can hold (2,147,483,647)")]
    TooManyRows {
        /// How many there are.
        rows: usize,
    },
    /// The builder was asked to stop.
    #[error("building the vector graph was cancelled")]
    Cancelled,
    /// Another build took the place of this one, or the space was cleared meanwhile.
    #[error("the vector graph was not stored: its space was cleared or built anew meanwhile")]
    BuildReplaced,
    /// A newer program wrote a value.
    #[error(
        "a stored {what} has version {version}, which this program does not know: use a newer version of the program"
    )]
    TooNew {
        /// The kind of value.
        what: &'static str,
        /// The version found.
        version: u8,
    },
    /// A stored value passed its checksum and is none of those that this program writes.
    #[error("a stored {what} is damaged: {detail}; restore a backup or an export")]
    Damaged {
        /// The kind of value.
        what: &'static str,
        /// The mismatch.
        detail: String,
    },
    /// The caller of a build could not say whether its space is still there.
    #[error("{source}")]
    Caller {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] annals_storage::StorageError),
    /// A thread that built or loaded a graph panicked.
    #[error("a thread that built or loaded the vector graph panicked; please report this")]
    BuilderPanicked,
}
