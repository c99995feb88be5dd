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
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 16 << 20, wait: Duration::ZERO, read_only: false }
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
    /// once; a writer waits for them, and they wait for a writer. A file whose log is damaged is
    /// read as it was before the damage, which [`Store::damage`] tells; it cannot be opened for
    /// writing.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Opens a file, or creates it where there is none and it may be written.
    ///
    /// # Errors
    /// When the file is in use for longer than the [`wait`](Self::wait), is something else, is
    /// damaged, or has a format that is too new or too old; when it cannot be read, or is to be
    /// written and cannot. A file that was not there before is not left behind.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Store, StorageError> {
        let store = Store::with_engine(Box::new(RedbEngine::open(path.as_ref(), self)?))?;
        Ok(if self.read_only { store.for_reading(path.as_ref()) } else { store })
    }
}
