use annals_storage::StorageError;

/// Damage of stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// They end too early.
    #[error("the bytes end too early")]
    Short,
    /// They go on after their end.
    #[error("there are bytes after the end")]
    Trailing,
    /// A number is outside its range.
    #[error("a number is outside its range")]
    Range,
    /// Something that must rise does not.
    #[error("entries are out of order")]
    Order,
    /// Written by another version.
    #[error("another version wrote them")]
    Version,
    /// A value that others refer to is not there.
    #[error("a value that others refer to is missing")]
    Missing,
}

/// Errors of the full-text layer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// Storage could not read or write.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A forward list, which is primary, is damaged.
    #[error(
        "the forward list of row {row} is damaged ({damage}); analyse the text of the memory again"
    )]
    DamagedForward {
        /// The row.
        row: u32,
        /// The damage.
        #[source]
        damage: Damage,
    },
    /// Inverted lists are damaged or missing; they can be derived again.
    #[error("the inverted lists are damaged ({damage}); rebuild them from the forward lists")]
    DamagedSegment {
        /// The damage.
        #[source]
        damage: Damage,
    },
    /// The index and the storage snapshot do not belong together: a merge happened between the two.
    /// Take both again.
    #[error(
        "the index does not fit the storage snapshot: inverted lists were merged in between; take both again"
    )]
    Outdated,
    /// A plan can no longer be published: too many rows were deleted in between. Plan again.
    #[error("too many memories were deleted since the fold was planned; plan it again")]
    StalePlan,
}

impl From<Damage> for TextError {
    fn from(damage: Damage) -> Self {
        Self::DamagedSegment { damage }
    }
}
