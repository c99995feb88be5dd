//! Opening a file: what it may be, and what is said when it is something else.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use redb::{Builder, StorageBackend};

use super::failure::Context;
use super::file::OpenFile;
use super::head;
use super::holder::Claim;
use super::log::Log;
use super::pages::Pages;
use crate::{Options, StorageError};

/// Opens what redb reads and writes; used by tests to put something between redb and the disk.
pub(super) type Opener = Box<dyn Fn() -> io::Result<Box<dyn StorageBackend>> + Send + Sync>;

/// Where the data are, and how to open them, also a second time.
pub(super) struct Source {
    path: PathBuf,
    cache_bytes: usize,
    length: Arc<AtomicU64>,
    opener: Option<Opener>,
    claim: Mutex<Option<Claim>>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Source {
    pub(super) fn file(path: &Path, options: &Options) -> Result<Self, StorageError> {
        if path.as_os_str().is_empty() {
            return Err(StorageError::misuse("open a file: the path is empty; name a file"));
        }
        Ok(Self {
            path: path.to_owned(),
            cache_bytes: options.cache_bytes,
            length: Arc::default(),
            opener: None,
            claim: Mutex::new(None),
        })
    }

    #[cfg(test)]
    pub(super) fn other(opener: Opener) -> Self {
        Self {
            path: PathBuf::from("test"),
            cache_bytes: 1 << 20,
            length: Arc::default(),
            opener: Some(opener),
            claim: Mutex::new(None),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn cache_bytes(&self) -> u64 {
        u64::try_from(self.cache_bytes).unwrap_or(u64::MAX)
    }

    /// The bytes of the file.
    pub(super) fn length(&self) -> u64 {
        self.length.load(Ordering::Relaxed)
    }

    pub(super) fn context(&self, doing: &'static str) -> Context<'_> {
        Context::new(doing, &self.path)
    }

    pub(super) fn open(&self) -> Result<OpenFile, StorageError> {
        match &self.opener {
            Some(opener) => self.build(Arc::from(opener().map_err(|e| self.context("open").io(e))?)),
            None => self.open_file(),
        }
    }

    fn open_file(&self) -> Result<OpenFile, StorageError> {
        let context = self.context("open");
        let (file, made) = self.existing_or_new()?;
        let opened = redb::backends::FileBackend::new(file)
            .map_err(|e| context.any(e))
            .and_then(|backend| self.build(Arc::new(backend)));
        match opened {
            Ok(file) => {
                if made {
                    sync_folder(&self.path);
                }
                *self.claim.lock() = Some(Claim::new(&self.path));
                Ok(file)
            }
            Err(error) => {
                if made && let Err(left) = std::fs::remove_file(&self.path) {
                    tracing::warn!(path = %self.path.display(), error = %left, "could not remove the unfinished file");
                }
                Err(error)
            }
        }
    }

    fn build(&self, disk: Arc<dyn StorageBackend>) -> Result<OpenFile, StorageError> {
        let context = self.context("open");
        head::examine(&*disk, context)?;
        let pages = Pages::new(Arc::clone(&disk), Arc::clone(&self.length)).map_err(|e| context.io(e))?;
        let path = self.path.clone();
        let database = Builder::new()
            .set_cache_size(self.cache_bytes)
            .set_repair_callback(move |session| {
                let percent = session.progress() * 100.0;
                tracing::info!(path = %path.display(), percent, "the file was not closed cleanly: checking it");
            })
            .create_with_backend(pages)
            .map_err(|e| context.any(e))?;
        OpenFile::recover(database, Log::new(disk), self.length(), context)
    }

    /// The open file, and whether it was made just now.
    fn existing_or_new(&self) -> Result<(File, bool), StorageError> {
        let path = &self.path;
        let context = self.context("open");
        match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => return Err(StorageError::NotAFile { path: path.clone() }),
            Ok(_) => {
                let file = OpenOptions::new().read(true).write(true).open(path).map_err(|e| self.refused(e))?;
                return Ok((file, false));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(StorageError::NoFolder { path: path.clone() });
            }
            Err(error) => return Err(context.io(error)),
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(StorageError::NoFolder { path: path.clone() });
        }
        match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
            Ok(file) => Ok((file, true)),
            // Another process was faster, or the name is a link that leads nowhere.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let file = OpenOptions::new().read(true).write(true).open(path).map_err(|e| self.refused(e))?;
                Ok((file, false))
            }
            Err(error) => Err(self.refused(error)),
        }
    }

    fn refused(&self, source: io::Error) -> StorageError {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                StorageError::ReadOnly { path: self.path.clone(), source }
            }
            io::ErrorKind::IsADirectory => StorageError::NotAFile { path: self.path.clone() },
            _ => self.context("open").io(source),
        }
    }
}

/// Makes the name of a new file survive power loss, where the system lets a folder be synced.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
            tracing::warn!(folder = %folder.display(), %error, "could not sync the folder of the new file");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}
