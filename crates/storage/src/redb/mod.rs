//! The engine on one file, through redb: one table per keyspace, and a log before them for small commits (see [`log`]).

mod entry;
mod failure;
mod file;
mod head;
mod holder;
mod log;
mod open;
mod pages;
mod snapshot;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{RwLock, RwLockReadGuard};
use redb::{ReadableDatabase as _, ReadableTableMetadata as _, TableDefinition, TableHandle as _};

use crate::error::panic_message;
use crate::{Batch, Depth, Engine, EngineSnapshot, EngineStats, KeyspaceStats, Options, StorageError};
use failure::Context;
use file::OpenFile;
use open::Source;
use snapshot::RedbSnapshot;

type Table<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

fn table(keyspace: &str) -> Table<'_> {
    TableDefinition::new(keyspace)
}

/// Keyspaces in one file.
///
/// Calls into redb run guarded: a panic in there becomes [`StorageError::Corruption`] and closes this engine to further use.
/// After a failed write the file is opened again before it is used next.
#[derive(Debug)]
pub struct RedbEngine {
    // Before the source, whose claim on the file ends last.
    file: RwLock<Option<OpenFile>>,
    source: Source,
    health: Arc<Health>,
}

/// Whether the engine can still be used.
#[derive(Debug, Default)]
struct Health {
    /// A write failed: open the file again first.
    stale: AtomicBool,
    /// redb panicked: nothing it holds can be trusted.
    panicked: OnceLock<String>,
}

impl Health {
    /// Runs a call into redb.
    fn guard<T>(
        &self,
        context: Context<'_>,
        call: impl FnOnce() -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        if let Some(reason) = self.panicked.get() {
            return Err(StorageError::Poisoned { reason: reason.clone() });
        }
        catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
            let message = panic_message(&*panic);
            let _first_reason_stays = self.panicked.set(format!("{} met damaged data: {message}", context.what()));
            Err(StorageError::corruption(context.what(), message))
        })
    }
}

impl RedbEngine {
    /// Opens or creates a file.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        Self::from_source(Source::file(path, options)?)
    }

    fn from_source(source: Source) -> Result<Self, StorageError> {
        let health = Arc::new(Health::default());
        let file = health.guard(source.context("open"), || source.open())?;
        Ok(Self { file: RwLock::new(Some(file)), source, health })
    }

    /// The open file; opened again first when a write failed before.
    fn file(&self) -> Result<RwLockReadGuard<'_, Option<OpenFile>>, StorageError> {
        if self.health.stale.load(Ordering::Acquire) {
            let mut file = self.file.write();
            if self.health.stale.load(Ordering::Acquire) {
                // Closed before it is opened: the file is locked by the old handle.
                drop(file.take());
                let opened = self.health.guard(self.source.context("open again"), || self.source.open())?;
                *file = Some(opened);
                self.health.stale.store(false, Ordering::Release);
                tracing::warn!(path = %self.source.path().display(), "opened the file again after a failed write");
            }
        }
        Ok(self.file.read())
    }

    /// Runs a call on the open file.
    fn with<T>(
        &self,
        doing: &'static str,
        call: impl FnOnce(&OpenFile, Context<'_>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let context = self.source.context(doing);
        self.health.guard(context, || {
            let guard = self.file()?;
            guard.as_ref().map_or_else(|| Err(context.closed()), |file| call(file, context))
        })
    }

    /// Notes that the file must be opened again after a failed write.
    fn noticed<T>(&self, result: Result<T, StorageError>) -> Result<T, StorageError> {
        let harmless =
            |error: &StorageError| matches!(error, StorageError::Aborted { .. } | StorageError::Misuse { .. });
        if result.as_ref().is_err_and(|error| !harmless(error)) {
            self.health.stale.store(true, Ordering::Release);
        }
        result
    }
}

impl Drop for RedbEngine {
    fn drop(&mut self) {
        if self.health.stale.load(Ordering::Acquire) || self.health.panicked.get().is_some() {
            return;
        }
        if let Err(error) = self.with("close", |file, context| file.empty_log(context)) {
            tracing::warn!(%error, "the file is left with its log; the next start takes it over");
        }
    }
}

impl Engine for RedbEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        let transaction = self.with("read", |file, context| file.database.begin_read().map_err(|e| context.any(e)))?;
        Ok(Box::new(RedbSnapshot::new(transaction, self.source.path(), Arc::clone(&self.health))))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        self.noticed(self.with("write", |file, context| file.apply(batch, context)))
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.with("measure", |file, context| {
            let reading = file.database.begin_read().map_err(|e| context.any(e))?;
            let mut stats = EngineStats { file_bytes: self.source.length(), ..EngineStats::default() };
            stats.cache_bytes = self.source.cache_bytes();
            let tables = reading.list_tables().map_err(|e| context.any(e))?;
            for handle in tables.filter(|handle| !file::is_own(handle.name())) {
                let open = reading.open_table(table(handle.name())).map_err(|e| context.any(e))?;
                let entries = open.len().map_err(|e| context.any(e))?;
                let bytes = match depth {
                    Depth::Counts => None,
                    Depth::Bytes => Some(open.stats().map_err(|e| context.any(e))?.stored_bytes()),
                };
                stats.keyspaces.push(KeyspaceStats { name: handle.name().to_owned(), entries, bytes });
            }
            stats.live_bytes = stats.keyspaces.iter().map(|k| k.bytes).sum();
            Ok(stats)
        })
    }

    fn compact(&self) -> Result<bool, StorageError> {
        drop(self.file()?);
        let context = self.source.context("compact");
        let mut guard = self.file.write();
        self.noticed(self.health.guard(context, || {
            let Some(file) = guard.as_mut() else { return Err(context.closed()) };
            file.compact(context)
        }))
    }

    fn place(&self) -> String {
        self.source.path().display().to_string()
    }
}
