//! Sorts redb's errors.

use std::fmt;
use std::io;
use std::path::Path;

use crate::StorageError;

/// A page of the file that is not what the page above it says.
#[derive(Debug)]
pub(super) struct DamagedPage {
    offset: u64,
}

impl DamagedPage {
    /// The error of a read at this byte of the file.
    pub(super) fn at(offset: u64) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, Self { offset })
    }
}

impl fmt::Display for DamagedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the page at byte {} is not what its checksum says",
            self.offset
        )
    }
}

impl std::error::Error for DamagedPage {}

/// The operation, and the file that it works on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    doing: &'static str,
    path: &'a Path,
}

impl<'a> Context<'a> {
    pub(super) fn new(doing: &'static str, path: &'a Path) -> Self {
        Self { doing, path }
    }

    pub(super) fn what(self) -> String {
        format!("{} {}", self.doing, self.path.display())
    }

    pub(super) const fn path(self) -> &'a Path {
        self.path
    }

    pub(super) fn closed(self) -> StorageError {
        StorageError::Closed { what: self.what() }
    }

    pub(super) fn read_only(self) -> StorageError {
        StorageError::OpenedReadOnly { what: self.what() }
    }

    pub(super) fn not_a_database(self, detail: &str) -> StorageError {
        StorageError::NotADatabase {
            path: self.path.to_owned(),
            detail: detail.to_owned(),
        }
    }

    pub(super) fn too_new(self, found: u32, supported: u32) -> StorageError {
        StorageError::TooNew {
            what: self.path.display().to_string(),
            found,
            supported,
        }
    }

    pub(super) fn too_old(self, found: u32, supported: u32) -> StorageError {
        StorageError::TooOld {
            what: self.path.display().to_string(),
            found,
            supported,
        }
    }

    pub(super) fn io(self, source: io::Error) -> StorageError {
        match source
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<DamagedPage>())
        {
            Some(page) => StorageError::corruption(self.what(), page.to_string()),
            None => StorageError::io(self.what(), source),
        }
    }

    pub(super) fn any(self, error: impl Into<redb::Error>) -> StorageError {
        match error.into() {
            redb::Error::Io(source) => self.io(source),
            redb::Error::PreviousIo => self.io(io::Error::other(
                "an earlier read or write of this file failed",
            )),
            redb::Error::DatabaseClosed => self.closed(),
            redb::Error::UpgradeRequired(found) => StorageError::TooOld {
                what: self.path.display().to_string(),
                found: found.into(),
                supported: 3,
            },
            redb::Error::ValueTooLarge(bytes) => StorageError::misuse(format!(
                "{}: {bytes} bytes in one value; split it",
                self.what()
            )),
            redb::Error::TableTypeMismatch { table, .. } => StorageError::NotADatabase {
                path: self.path.to_owned(),
                detail: format!("its table {table} belongs to another program"),
            },
            other => StorageError::corruption(self.what(), other.to_string()),
        }
    }
}
