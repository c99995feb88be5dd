use annals_storage::StorageError;
use annals_types::profile::BadProfile;
use annals_types::{NamespaceId, Row, Timestamp};

/// Why something about the life of memories could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifecycleError {
    /// The storage could not read or write.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A profile contradicts itself.
    #[error(transparent)]
    BadProfile(#[from] BadProfile),
    /// This system has no such time zone.
    #[error("there is no time zone {name:?} on this system; write it like Europe/Berlin")]
    UnknownZone {
        /// The name asked for.
        name: String,
    },
    /// A profile has more classes than can be numbered.
    #[error("the profile has {count} classes; at most {limit} are possible")]
    TooManyClasses {
        /// How many it has.
        count: usize,
        /// How many are possible.
        limit: usize,
    },
    /// A kind is not one of the profile's.
    #[error("kind {kind:?} is unknown to the profile; it must be one of {allowed}")]
    UnknownKind {
        /// The given kind.
        kind: String,
        /// The kinds there are.
        allowed: String,
    },
    /// A memory names no kind, and the profile has none for such.
    #[error("a memory needs a kind under this profile: one of {allowed}")]
    NoKind {
        /// The kinds there are.
        allowed: String,
    },
    /// A source is not one of the profile's.
    #[error("source {source_name:?} is unknown to the profile; it must be one of {allowed}")]
    UnknownSource {
        /// The given source.
        source_name: String,
        /// The sources there are.
        allowed: String,
    },
    /// A class is not one of the profile's.
    #[error("class {class:?} is unknown to the profile; it must be one of {allowed}")]
    UnknownClass {
        /// The given class.
        class: String,
        /// The classes there are.
        allowed: String,
    },
    /// A row has no state.
    #[error("row {} of namespace {} has no lifecycle state; register it first", .row.0, .namespace.0)]
    NotRegistered {
        /// The namespace.
        namespace: NamespaceId,
        /// The row.
        row: Row,
    },
    /// A plan does not fit any more what is stored.
    #[error("row {} of namespace {} changed since the plan was made; make it again", .row.0, .namespace.0)]
    Stale {
        /// The namespace.
        namespace: NamespaceId,
        /// The row.
        row: Row,
    },
    /// A job is not in the schedule.
    #[error("there is no job {name:?}; the profile names none so")]
    NoJob {
        /// The name asked for.
        name: String,
    },
    /// A task is not there, or was given to someone else meanwhile.
    #[error("task {task} is not claimed by this attempt any more; drop its results")]
    ClaimLost {
        /// Its number.
        task: u64,
    },
    /// A task is being worked on.
    #[error(
        "task {task} is being worked on until {until} at the latest; try again when that is over"
    )]
    Claimed {
        /// Its number.
        task: u64,
        /// When its lease ends.
        until: Timestamp,
    },
    /// There is no such task.
    #[error("there is no task {task}")]
    NoTask {
        /// Its number.
        task: u64,
    },
    /// A memory is not up for review.
    #[error("row {} is not up for review", .row.0)]
    NoReview {
        /// The row.
        row: Row,
    },
}

impl LifecycleError {
    /// Whether stored data are damaged.
    #[must_use]
    pub fn is_corruption(&self) -> bool {
        matches!(self, Self::Storage(error) if error.is_corruption())
    }
}
