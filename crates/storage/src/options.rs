use std::path::Path;

use crate::{RedbEngine, StorageError, Store};

/// How a file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of file pages that may be kept in memory; 16 MiB by default.
    pub cache_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 16 << 20 }
    }
}

impl Options {
    /// Sets how many bytes of file pages may be kept in memory.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Opens a file, or creates it where there is none.
    ///
    /// # Errors
    /// When the file is in use, is something else, is damaged, or has a format that is too new or too old; when it cannot be
    /// read and written. A file that was not there before is not left behind.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Store, StorageError> {
        Store::with_engine(Box::new(RedbEngine::open(path.as_ref(), self)?))
    }
}
