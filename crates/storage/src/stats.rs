use crate::StorageError;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Only what is known without reading the data.
    Counts,
    /// Also the bytes of each keyspace: the engine may walk all data for it, about a second for
    /// each GB.
    Bytes,
}

/// Sizes that an engine knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineStats {
    /// Bytes on disk (of the whole file), or in memory for an engine without a file.
    pub file_bytes: u64,
    /// Bytes of file pages that may be kept in memory.
    pub cache_bytes: u64,
    /// Bytes of keys and values, when measured.
    pub live_bytes: Option<u64>,
    /// Each keyspace, by name.
    pub keyspaces: Vec<KeyspaceStats>,
}

/// Sizes of one keyspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyspaceStats {
    /// Its name.
    pub name: String,
    /// How many keys.
    pub entries: u64,
    /// Bytes of keys and values, when measured.
    pub bytes: Option<u64>,
}

/// Sizes and counts of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// The last durable commit.
    pub commit: u64,
    /// The format version of the file.
    pub format: u32,
    /// Commits of the engine since the store was opened: a group of jobs is one.
    pub groups: u64,
    /// Jobs committed since the store was opened.
    pub jobs: u64,
    /// The statistics of the engine.
    pub engine: EngineStats,
}

/// The result of [`Store::validate`](crate::Store::validate).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ValidateReport {
    /// How many values were read.
    pub values: u64,
    /// Bytes of keys and values read.
    pub bytes: u64,
    /// The damage; at most 100 places are listed.
    pub damaged: Vec<StorageError>,
    /// How many are damaged.
    pub damaged_count: u64,
}

impl ValidateReport {
    /// Whether nothing is damaged.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.damaged_count == 0
    }
}
