//! Opening what is under the lock of a handle, also a second time.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use redb::{Builder, StorageBackend};

use super::compact;
use super::failure::Context;
use super::file::{Backing, OpenFile};
use super::head::{self, FileKind};
use super::lock::{self, LockedFile};
use super::log::Log;
use super::overlay::Overlay;
use super::pages::{Fence, Gauge, Pages};
use super::survey::{Found, Survey};
use crate::{Lost, Options, StorageError};

/// Opens what redb reads and writes; used by tests to put something between redb and the disk.
pub(super) type Opener = Box<dyn Fn() -> io::Result<Box<dyn StorageBackend>> + Send + Sync>;

/// Where the data are, and how to open them. The lock of the file is kept from the first opening to
/// the end.
pub(super) struct Source {
    path: PathBuf,
    cache_bytes: usize,
    read_only: bool,
    gauge: Gauge,
    home: Home,
}

enum Home {
    File(Mutex<LockedFile>),
    #[cfg_attr(
        not(any(test, feature = "conformance")),
        expect(dead_code, reason = "only tests put something else below")
    )]
    Other(Opener),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Locks a file, which is made where there is none and it may be written.
    pub(super) fn file(path: &Path, options: &Options) -> Result<Self, StorageError> {
        if path.as_os_str().is_empty() {
            return Err(StorageError::misuse(
                "open a file: the path is empty; name a file",
            ));
        }
        if compact::is_draft(path) {
            return Err(StorageError::misuse(format!(
                "open {}: this name is kept for a file that is being compacted; rename it, or choose another name",
                path.display()
            )));
        }
        let locked = LockedFile::open(path, options)?;
        // A file in the place of which this one stands may have been left unfinished; with the
        // lock, no other process uses it.
        if !options.read_only {
            let draft = compact::draft_of(path).map_err(|e| Context::new("open", path).io(e))?;
            remove_leftover(&draft)?;
        }
        Ok(Self {
            path: path.to_owned(),
            cache_bytes: options.cache_bytes,
            read_only: options.read_only,
            gauge: Gauge::default(),
            home: Home::File(Mutex::new(locked)),
        })
    }

    #[cfg(any(test, feature = "conformance"))]
    pub(super) fn other(opener: Opener, options: &Options) -> Self {
        Self {
            path: PathBuf::from("test"),
            cache_bytes: options.cache_bytes,
            read_only: options.read_only,
            gauge: Gauge::default(),
            home: Home::Other(opener),
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
        self.gauge.length.load(Ordering::Relaxed)
    }

    /// Reads of the file that failed so far.
    pub(super) fn failed_reads(&self) -> u64 {
        self.gauge.failed_reads.load(Ordering::SeqCst)
    }

    pub(super) fn context(&self, doing: &'static str) -> Context<'_> {
        Context::new(doing, &self.path)
    }

    /// Opens what is there. A file that cannot be written, because no space is left or the disk
    /// fails, is opened all the same, with what had to be repaired in memory: so it can be read.
    pub(super) fn open(&self) -> Result<OpenFile, StorageError> {
        let context = self.context("open");
        let disk = self.disk()?;
        if self.read_only {
            if head::examine(&*disk, context)? == FileKind::Nothing {
                return Err(context.not_a_database("it holds nothing yet"));
            }
            let overlay = Overlay::new(disk).map_err(|e| context.io(e))?;
            return self.build(Arc::new(overlay), Backing::Memory(None));
        }
        let found = head::examine(&*disk, context)?;
        match self.build(Arc::clone(&disk), Backing::Disk) {
            Ok(file) => {
                if let Home::File(locked) = &self.home {
                    locked.lock().keep();
                }
                Ok(file)
            }
            Err(error @ (StorageError::DiskFull { .. } | StorageError::Io { .. }))
                if found == FileKind::Database =>
            {
                let reason = error.again();
                let overlay = Overlay::new(disk).map_err(|_| error.again())?;
                let file = self
                    .build(Arc::new(overlay), Backing::Memory(Some(reason)))
                    .map_err(|_| error.again())?;
                tracing::warn!(%error, "the file can be read, and not be written");
                Ok(file)
            }
            Err(error) => Err(error),
        }
    }

    /// Walks the pages of the last state that was written, and lists the damaged ones.
    pub(super) fn inspect(&self) -> Result<Vec<Lost>, StorageError> {
        let disk = self.disk()?;
        let mut lost = Vec::new();
        let mut visit = |found: Found<'_>| {
            if let Found::Lost(one) = found {
                lost.push(one);
            }
            Ok(())
        };
        Survey::of(&*disk, &mut visit).walk(None)?;
        Ok(lost)
    }

    fn disk(&self) -> Result<Arc<dyn StorageBackend>, StorageError> {
        let context = self.context("open");
        match &self.home {
            Home::File(locked) => file_disk(
                locked.lock().descriptor().map_err(|e| context.io(e))?,
                context,
            ),
            Home::Other(opener) => Ok(Arc::from(opener().map_err(|e| context.io(e))?)),
        }
    }

    fn build(
        &self,
        disk: Arc<dyn StorageBackend>,
        backing: Backing,
    ) -> Result<OpenFile, StorageError> {
        build(
            disk,
            backing,
            (&self.gauge, self.cache_bytes),
            self.context("open"),
        )
    }

    /// Writes the state of a file anew into one that takes its place, and opens that.
    pub(super) fn rewrite(&self, file: &OpenFile) -> Result<OpenFile, StorageError> {
        let context = self.context("compact");
        let Home::File(locked) = &self.home else {
            return Err(StorageError::misuse(
                "compact: only a file can be written anew",
            ));
        };
        let mut locked = locked.lock();
        let fresh = compact::rewrite(file, locked.file(), self.cache_bytes, context)?;
        locked.replace(fresh);
        let disk = file_disk(locked.descriptor().map_err(|e| context.io(e))?, context)?;
        self.build(disk, Backing::Disk)
    }

    /// Copies the last state of a file into a new one.
    pub(super) fn back_up(&self, file: &OpenFile, to: (&Path, bool)) -> Result<u64, StorageError> {
        compact::back_up(
            file,
            to,
            self.cache_bytes,
            Context::new("write the backup", to.0),
        )
    }

    /// Whether the path still leads to the file that is open. A file that is being written anew
    /// looks itself.
    pub(super) fn is_in_place(&self) -> Result<bool, StorageError> {
        let Home::File(locked) = &self.home else {
            return Ok(true);
        };
        let Some(locked) = locked.try_lock() else {
            return Ok(true);
        };
        lock::leads_to(&self.path, locked.file()).map_err(|e| self.context("look for").io(e))
    }

    /// Gives the lock up: the handle is at its end.
    pub(super) fn release(&self) {
        if let Home::File(locked) = &self.home {
            locked.lock().release();
        }
    }
}

/// Removes what is in the place of an unfinished file. What another user has put there stays: only
/// whoever writes the file anew needs the place, and is told then.
fn remove_leftover(draft: &Path) -> Result<(), StorageError> {
    match lock::remove_own(draft) {
        Err(error) if annals_private::Refusal::of(&error).is_some() => {
            tracing::warn!(%error, "the file cannot be compacted");
            Ok(())
        }
        removed => removed.map_err(|e| Context::new("remove", draft).io(e)),
    }
}

pub(super) fn file_disk(
    file: std::fs::File,
    context: Context<'_>,
) -> Result<Arc<dyn StorageBackend>, StorageError> {
    Ok(Arc::new(
        redb::backends::FileBackend::new(file).map_err(|e| context.any(e))?,
    ))
}

/// Opens the pages and the log of a disk that holds a database, or nothing yet.
pub(super) fn build(
    disk: Arc<dyn StorageBackend>,
    backing: Backing,
    (gauge, cache_bytes): (&Gauge, usize),
    context: Context<'_>,
) -> Result<OpenFile, StorageError> {
    if head::examine(&*disk, context)? == FileKind::Nothing {
        head::begin(&*disk).map_err(|e| context.io(e))?;
    }
    let fence = Fence::default();
    let pages =
        Pages::new(Arc::clone(&disk), gauge.clone(), fence.clone()).map_err(|e| context.io(e))?;
    let what = context.what();
    let database = Builder::new()
        .set_cache_size(cache_bytes)
        .set_repair_callback(move |session| {
            let percent = session.progress() * 100.0;
            tracing::info!(
                what,
                percent,
                "the file was not closed cleanly: checking it"
            );
        })
        .create_with_backend(pages)
        .map_err(|e| context.any(e))?;
    OpenFile::recover(
        database,
        Log::new(disk),
        gauge.length.load(Ordering::Relaxed),
        (backing, fence),
        context,
    )
}
