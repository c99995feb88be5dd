use std::path::Path;
use std::time::Duration;

use crate::{RedbEngine, StorageError, Store};

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of file pages that may be kept in memory; 16 MiB by default.
    pub cache_bytes: usize,
    /// How long to wait for a file that another process or handle has open; not at all by default.
    pub wait: Duration,
    /// Whether the file is only read; false by default.
    pub read_only: bool,
    /// Whether a writer does not wait for those that only read; false by default.
    pub past_readers: bool,
    /// Whether the file may belong to another user; false by default.
    pub foreign: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 16 << 20,
            wait: Duration::ZERO,
            read_only: false,
            past_readers: false,
            foreign: false,
        }
    }
}

impl Options {
    /// Sets how many bytes of file pages may be kept in memory.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Sets how long to wait for a file that another process or handle has open.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Sets whether the file is only read. Nothing is written to it then, not even what an unclean
    /// end left to repair: that is repaired in memory. Several readers may have a file open at
    /// once; a writer waits for them, and they wait for a writer. A writer that has waited in vain
    /// goes on with a copy of the file, which takes its place: readers keep what they have read. A
    /// file whose log is damaged is read as it was before the damage, which [`Store::damage`]
    /// tells; it cannot be opened for writing.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Sets whether a writer goes on with a copy of the file at once where others only read it,
    /// instead of after its [`wait`](Self::wait).
    #[must_use]
    pub fn past_readers(mut self, past_readers: bool) -> Self {
        self.past_readers = past_readers;
        self
    }

    /// Sets whether the file may belong to another user. That user reads whatever is stored in it,
    /// and says what is read from it, so it is refused unless this is said. A file of the
    /// administrator is not refused.
    #[must_use]
    pub fn foreign(mut self, foreign: bool) -> Self {
        self.foreign = foreign;
        self
    }

    /// Opens a file, or creates it where there is none and it may be written. On Unix a new file is
    /// for its user alone (mode 600); one that other users may read loses those rights when it is
    /// first opened for writing.
    ///
    /// # Errors
    /// When the file is in use for longer than the [`wait`](Self::wait), is something else, is
    /// damaged, or has a format that is too new or too old; when it cannot be read, or is to be
    /// written and cannot. A file that was not there before is not left behind.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Store, StorageError> {
        let path = path.as_ref();
        let store = Store::with_engine(Box::new(RedbEngine::open(path, self)?))?;
        if self.read_only {
            return Ok(store.for_reading(path));
        }
        store.make_private(path)?;
        Ok(store)
    }
}
