//! Sorts redb's errors.

use std::path::Path;

use crate::StorageError;

/// What was being done, and to which file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    doing: &'static str,
    path: &'a Path,
}

impl<'a> Context<'a> {
    pub(crate) fn new(doing: &'static str, path: &'a Path) -> Self {
        Self { doing, path }
    }

    fn what(self) -> String {
        format!("{} {}", self.doing, self.path.display())
    }

    pub(crate) fn database(self, error: redb::DatabaseError) -> StorageError {
        self.any(error)
    }

    pub(crate) fn any(self, error: impl Into<redb::Error>) -> StorageError {
        match error.into() {
            redb::Error::Io(source) => StorageError::io(self.what(), source),
            redb::Error::DatabaseAlreadyOpen => {
                StorageError::Locked { path: self.path.to_owned(), holder: crate::error::Holder::Unknown }
            }
            redb::Error::TransactionInProgress => {
                StorageError::misuse(format!("{}: a snapshot is still open; drop all snapshots first", self.what()))
            }
            other => StorageError::corruption(self.what(), other.to_string()),
        }
    }
}
