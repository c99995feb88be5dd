use crate::StorageError;

/// Sizes that an engine knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineStats {
    /// Bytes on disk (of the whole file), or in memory for an engine without a file.
    pub file_bytes: u64,
    /// Bytes of keys and values.
    pub live_bytes: u64,
    /// Bytes of the structure around them.
    pub overhead_bytes: u64,
    /// Bytes that are free inside the file.
    pub free_bytes: u64,
    /// Each keyspace.
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
    /// Bytes of keys and values.
    pub bytes: u64,
}

/// Sizes and counts of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreStats {
    /// The last durable commit.
    pub commit: u64,
    /// The format version of the file.
    pub format: u32,
    /// Bytes that the engine may keep in memory for pages.
    pub cache_bytes: u64,
    /// Commits of the engine since the store was opened: a group of jobs is one.
    pub groups: u64,
    /// Jobs committed since the store was opened.
    pub jobs: u64,
    /// What the engine says.
    pub engine: EngineStats,
}

/// What [`Store::validate`](crate::Store::validate) found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ValidateReport {
    /// How many values were read.
    pub values: u64,
    /// Bytes of keys and values read.
    pub bytes: u64,
    /// What is damaged; at most 100 are listed.
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
