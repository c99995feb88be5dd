//! The engine on one file, through redb: one table per keyspace, and a log before them for small
//! commits (see [`log`]).

mod btree;
mod checksums;
mod compact;
mod entry;
mod failure;
mod file;
mod head;
mod holder;
mod lock;
mod log;
mod open;
mod overlay;
mod pages;
mod readers;
mod restore;
mod salvage;
mod snapshot;
mod survey;
#[cfg(any(test, feature = "conformance"))]
pub(crate) mod tape;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard, RwLock};
use redb::{ReadableTableMetadata as _, TableDefinition, TableHandle as _};

pub use self::restore::{Restored, restore};
pub use self::salvage::salvage;
use crate::error::panic_message;
use crate::{
    Batch, Depth, Engine, EngineSnapshot, EngineStats, KeyspaceStats, Lost, Options, StorageError,
};
use failure::Context;
use file::{Backing, OpenFile};
use open::Source;
use snapshot::RedbSnapshot;

type Table<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

fn table(keyspace: &str) -> Table<'_> {
    TableDefinition::new(keyspace)
}

/// How many reads in a row may fail before a batch is no longer tried again.
const FAILED_READS: u32 = 3;

/// Keyspaces in one file.
///
/// Calls into redb run guarded: a panic in there becomes [`StorageError::Corruption`], and so does
/// every later call of this engine. After a failed read or write the file is opened again, under
/// the lock that is kept all the while, and used on.
#[derive(Debug)]
pub struct RedbEngine {
    shared: Arc<Shared>,
}

/// The shared state of the engine and its snapshots.
#[derive(Debug)]
struct Shared {
    /// The open file; `None` once the engine is gone.
    slot: RwLock<Option<Arc<OpenFile>>>,
    /// Held while the file is written, opened again or written anew.
    writing: Mutex<()>,
    source: Source,
    /// A read or a write failed: open the file again first.
    stale: AtomicBool,
    /// Batches in a row that a failed read kept from being applied.
    unread: AtomicU32,
    /// redb panicked: nothing it holds can be trusted.
    panicked: OnceLock<String>,
}

impl Shared {
    /// Runs a call into redb.
    fn guard<T>(
        &self,
        context: Context<'_>,
        call: impl FnOnce() -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        if let Some(reason) = self.panicked.get() {
            return Err(StorageError::corruption(
                context.what(),
                format!("{reason}; nothing more is read through it"),
            ));
        }
        catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
            let message = panic_message(&*panic);
            let _first_reason_stays = self
                .panicked
                .set(format!("{} met damaged data: {message}", context.what()));
            Err(StorageError::corruption(context.what(), message))
        })
    }

    /// The open file.
    fn file(&self) -> Result<Arc<OpenFile>, StorageError> {
        if self.stale.load(Ordering::Acquire) {
            return self.healthy(&self.writing.lock());
        }
        self.slot
            .read()
            .clone()
            .ok_or_else(|| self.source.context("read").closed())
    }

    /// The open file, opened again first when a read or a write failed before.
    fn healthy(&self, _writing: &MutexGuard<'_, ()>) -> Result<Arc<OpenFile>, StorageError> {
        if self.stale.load(Ordering::Acquire) {
            let mut slot = self.slot.write();
            let context = self.source.context("open again");
            let old = slot.as_ref().ok_or_else(|| context.closed())?;
            self.guard(context, || {
                old.abandon();
                Ok(())
            })?;
            *slot = Some(Arc::new(self.guard(context, || self.source.open())?));
            self.stale.store(false, Ordering::Release);
            tracing::warn!(path = %self.source.path().display(), "opened the file again after a failed read or write");
        }
        self.slot
            .read()
            .clone()
            .ok_or_else(|| self.source.context("write").closed())
    }

    /// A file that can be read in the place of one that could not; the same where it was opened
    /// again meanwhile.
    fn instead_of(&self, failed: &Arc<OpenFile>) -> Result<Arc<OpenFile>, StorageError> {
        self.distrust(failed);
        self.file()
    }

    /// Has the file opened again before it is used next, unless it was meanwhile.
    fn distrust(&self, failed: &Arc<OpenFile>) {
        if self
            .slot
            .read()
            .as_ref()
            .is_some_and(|file| Arc::ptr_eq(file, failed))
        {
            self.stale.store(true, Ordering::Release);
        }
    }

    /// Applies a batch to the file, and notes that it must be opened again when that fails.
    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let context = self.source.context("write");
        let writing = self.writing.lock();
        let mut file = self.healthy(&writing)?;
        if matches!(file.backing, Backing::Memory(Some(_))) {
            // There may be space by now.
            self.stale.store(true, Ordering::Release);
            file = self.healthy(&writing)?;
        }
        if let Backing::Memory(Some(reason)) = &file.backing {
            return Err(reason.again());
        }
        let failed = self.source.failed_reads();
        let applied = self.guard(context, || file.apply(batch, context));
        match &applied {
            Ok(()) => self.unread.store(0, Ordering::Relaxed),
            Err(StorageError::Aborted { .. } | StorageError::Misuse { .. }) => {}
            Err(error) => {
                self.stale.store(true, Ordering::Release);
                let io = matches!(error, StorageError::Io { .. });
                if io
                    && self.source.failed_reads() > failed
                    && self.unread.fetch_add(1, Ordering::Relaxed) < FAILED_READS
                {
                    tracing::warn!(%error, "a read failed; the file is opened again and the write goes on");
                    return Err(StorageError::Aborted { attempts: 1 });
                }
            }
        }
        applied
    }
}

/// Gives a finished file its name, which no other file has.
///
/// # Errors
/// When there is a file of that name, or it cannot be given.
pub fn publish(unfinished: &Path, path: &Path) -> Result<(), StorageError> {
    compact::publish(unfinished, path, false).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => StorageError::FileExists {
            path: path.to_owned(),
        },
        _ => Context::new("name", path).io(error),
    })
}

impl RedbEngine {
    /// Opens or creates a file.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        Self::from_source(Source::file(path, options)?)
    }

    /// The engine on a disk that fails.
    ///
    /// # Errors
    /// As [`Options::open`].
    #[cfg(any(test, feature = "conformance"))]
    pub fn on_tape(tape: &tape::Tape, options: &Options) -> Result<Self, StorageError> {
        let tape = tape.clone();
        Self::from_source(Source::other(Box::new(move || Ok(tape.backend())), options))
    }

    fn from_source(source: Source) -> Result<Self, StorageError> {
        let shared = Shared {
            slot: RwLock::new(None),
            writing: Mutex::new(()),
            source,
            stale: AtomicBool::new(false),
            unread: AtomicU32::new(0),
            panicked: OnceLock::new(),
        };
        let file = shared.guard(shared.source.context("open"), || shared.source.open())?;
        *shared.slot.write() = Some(Arc::new(file));
        Ok(Self {
            shared: Arc::new(shared),
        })
    }
}

impl Drop for RedbEngine {
    fn drop(&mut self) {
        let shared = &self.shared;
        if let Some(file) = shared.slot.write().take() {
            let context = shared.source.context("close");
            let whole = !shared.stale.load(Ordering::Acquire) && shared.panicked.get().is_none();
            let closed = catch_unwind(AssertUnwindSafe(|| {
                let emptied = match file.backing {
                    Backing::Disk if whole => file.empty_log(context),
                    Backing::Disk | Backing::Memory(_) => Ok(()),
                };
                if whole && emptied.is_ok() {
                    file.close()
                } else {
                    file.abandon()
                }
                emptied
            }));
            match closed {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the file is left with its log; the next start takes it over")
                }
                Err(_) => tracing::error!(
                    what = context.what(),
                    "redb panicked when it closed the file"
                ),
            }
        }
        shared.source.release();
    }
}

impl Engine for RedbEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        Ok(Box::new(RedbSnapshot::take(&self.shared)?))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        self.shared.apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        let (source, context) = (&self.shared.source, self.shared.source.context("measure"));
        let file = self.shared.file()?;
        self.shared.guard(context, || {
            let reading = file.begin_read(context)?;
            let mut stats = EngineStats {
                file_bytes: source.length(),
                ..EngineStats::default()
            };
            stats.cache_bytes = source.cache_bytes();
            let tables = reading.list_tables().map_err(|e| context.any(e))?;
            for handle in tables.filter(|handle| !file::is_own(handle.name())) {
                let open = reading
                    .open_table(table(handle.name()))
                    .map_err(|e| context.any(e))?;
                let entries = open.len().map_err(|e| context.any(e))?;
                let bytes = match depth {
                    Depth::Counts => None,
                    Depth::Bytes => Some(open.stats().map_err(|e| context.any(e))?.stored_bytes()),
                };
                stats.keyspaces.push(KeyspaceStats {
                    name: handle.name().to_owned(),
                    entries,
                    bytes,
                });
            }
            stats.live_bytes = stats.keyspaces.iter().map(|k| k.bytes).sum();
            Ok(stats)
        })
    }

    fn compact(&self) -> Result<bool, StorageError> {
        let shared = &self.shared;
        let writing = shared.writing.lock();
        let file = shared.healthy(&writing)?;
        if let Backing::Memory(reason) = &file.backing {
            let context = shared.source.context("compact");
            return Err(reason
                .as_ref()
                .map_or_else(|| context.read_only(), StorageError::again));
        }
        let before = shared.source.length();
        let fresh = shared.guard(shared.source.context("compact"), || {
            shared.source.rewrite(&file)
        })?;
        // Snapshots of the old file keep it until they end.
        *shared.slot.write() = Some(Arc::new(fresh));
        Ok(shared.source.length() < before)
    }

    fn back_up(&self, path: &Path, replace: bool) -> Result<u64, StorageError> {
        let (shared, file) = (&self.shared, self.shared.file()?);
        shared.guard(shared.source.context("back up"), || {
            shared.source.back_up(&file, (path, replace))
        })
    }

    fn damage(&self) -> Option<String> {
        self.shared
            .slot
            .read()
            .as_ref()
            .and_then(|file| file.damage.clone())
    }

    fn inspect(&self) -> Result<Vec<Lost>, StorageError> {
        let _no_commit = self.shared.writing.lock();
        self.shared.source.inspect()
    }

    fn exclusive(&self) -> bool {
        true
    }

    fn is_settled(&self) -> bool {
        let shared = &self.shared;
        let opened = shared
            .slot
            .read()
            .as_ref()
            .is_some_and(|file| !matches!(file.backing, Backing::Memory(Some(_))));
        opened && !shared.stale.load(Ordering::Acquire)
    }

    fn is_in_place(&self) -> Result<bool, StorageError> {
        self.shared.source.is_in_place()
    }

    fn place(&self) -> String {
        self.shared.source.path().display().to_string()
    }
}
