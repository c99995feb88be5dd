//! The engine on one file, through redb: one table per keyspace.
//!
//! # When a commit records the allocator state
//!
//! After a kill redb must know which pages are free. Unless the last commit recorded it (redb's quick-repair commit: a second
//! sync and about 130 bytes for each MB of file), it reads the whole file to find out. See [`settle`] for what was measured
//! and when this engine pays which price.

mod disk;
mod failure;
mod holder;
mod open;
mod settle;
mod snapshot;
#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use redb::{
    Database, ReadableDatabase as _, ReadableTable as _, ReadableTableMetadata as _, TableDefinition, TableHandle as _,
};

use crate::error::panic_message;
use crate::{Batch, Depth, Engine, EngineSnapshot, EngineStats, Keyspace, KeyspaceStats, Options, StorageError};
use failure::Context;
use open::Source;
use settle::{Burst, Settler};
use snapshot::RedbSnapshot;

type Table<'a> = TableDefinition<'a, &'static [u8], &'static [u8]>;

fn table(keyspace: Keyspace) -> Table<'static> {
    TableDefinition::new(keyspace.name())
}

/// Keyspaces in one file.
///
/// Calls into redb run guarded: a panic in there becomes [`StorageError::Corruption`] and closes this engine to further use.
/// After a failed write the file is opened again before it is used next.
#[derive(Debug)]
pub struct RedbEngine {
    // Declared first: its thread is joined before the file is closed.
    settler: Settler,
    core: Arc<Core>,
}

/// What the engine shares with its snapshots and with the thread that settles.
#[derive(Debug)]
struct Core {
    // Before the source, whose claim on the file ends last.
    database: RwLock<Option<Database>>,
    source: Source,
    /// One commit at a time, and what the last ones left to do.
    burst: Mutex<Burst>,
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
        let database = health.guard(source.context("open"), || source.open())?;
        let core = Arc::new(Core {
            database: RwLock::new(Some(database)),
            source,
            burst: Mutex::new(Burst::default()),
            health,
        });
        Ok(Self { settler: Settler::default(), core })
    }
}

impl Core {
    /// The open file; opened again first when a write failed before.
    fn database(&self) -> Result<RwLockReadGuard<'_, Option<Database>>, StorageError> {
        if self.health.stale.load(Ordering::Acquire) {
            let mut database = self.database.write();
            if self.health.stale.load(Ordering::Acquire) {
                // Closed before it is opened: the file is locked by the old handle.
                drop(database.take());
                let opened = self.health.guard(self.source.context("open again"), || self.source.open())?;
                *database = Some(opened);
                self.health.stale.store(false, Ordering::Release);
                tracing::warn!(path = %self.source.path().display(), "opened the file again after a failed write");
            }
        }
        Ok(self.database.read())
    }

    fn commit(&self, batch: &Batch, burst: &mut Burst) -> Result<(), StorageError> {
        let failed = self.source.context("write");
        let guard = self.database()?;
        let Some(database) = guard.as_ref() else { return Err(failed.closed()) };
        let mut transaction = database.begin_write().map_err(|e| failed.any(e))?;
        if let Some(expected) = batch.expected() {
            let open = transaction.open_table(table(expected.keyspace)).map_err(|e| failed.any(e))?;
            let found = open.get(expected.key.as_slice()).map_err(|e| failed.any(e))?;
            if found.as_ref().map(|v| v.value()) != expected.value.as_deref() {
                return Err(StorageError::Aborted { attempts: 1 });
            }
        }
        let mut bytes = 0;
        for (keyspace, changes) in batch.keyspaces() {
            let mut open = transaction.open_table(table(keyspace)).map_err(|e| failed.any(e))?;
            for (key, value) in changes {
                match value {
                    Some(value) => {
                        bytes += value.len();
                        open.insert(key.as_slice(), value.as_slice()).map_err(|e| failed.any(e))?;
                    }
                    None => {
                        open.remove(key.as_slice()).map_err(|e| failed.any(e))?;
                    }
                }
            }
        }
        let quick = burst.wants_quick_repair(self.source.length(), bytes, Instant::now());
        transaction.set_quick_repair(quick);
        transaction.commit().map_err(|e| failed.any(e))?;
        burst.committed(quick);
        Ok(())
    }

    /// Records the allocator state, when the last commit did not.
    fn settle(&self) -> Result<(), StorageError> {
        let mut burst = self.burst.lock();
        if !burst.is_open() {
            burst.settled();
            return Ok(());
        }
        let failed = self.source.context("settle");
        let result = self.health.guard(failed, || {
            let guard = self.database()?;
            let Some(database) = guard.as_ref() else { return Err(failed.closed()) };
            let mut transaction = database.begin_write().map_err(|e| failed.any(e))?;
            transaction.set_quick_repair(true);
            transaction.commit().map_err(|e| failed.any(e))
        });
        match &result {
            Ok(()) => burst.settled(),
            Err(_) => self.health.stale.store(true, Ordering::Release),
        }
        result
    }
}

impl Engine for RedbEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        let failed = self.core.source.context("read");
        let transaction = self.core.health.guard(failed, || {
            let guard = self.core.database()?;
            let Some(database) = guard.as_ref() else { return Err(failed.closed()) };
            database.begin_read().map_err(|e| failed.any(e))
        })?;
        Ok(Box::new(RedbSnapshot::new(transaction, self.core.source.path(), Arc::clone(&self.core.health))))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let mut burst = self.core.burst.lock();
        let result = self.core.health.guard(self.core.source.context("write"), || self.core.commit(batch, &mut burst));
        match &result {
            Ok(()) if burst.is_due(self.core.source.length()) => self.settler.wake(&self.core),
            Ok(()) | Err(StorageError::Aborted { .. }) => {}
            Err(_) => self.core.health.stale.store(true, Ordering::Release),
        }
        result
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        let failed = self.core.source.context("measure");
        self.core.health.guard(failed, || {
            let guard = self.core.database()?;
            let Some(database) = guard.as_ref() else { return Err(failed.closed()) };
            let reading = database.begin_read().map_err(|e| failed.any(e))?;
            let mut stats = EngineStats { file_bytes: self.core.source.length(), ..EngineStats::default() };
            stats.cache_bytes = self.core.source.cache_bytes();
            for handle in reading.list_tables().map_err(|e| failed.any(e))? {
                let open = reading.open_table(Table::new(handle.name())).map_err(|e| failed.any(e))?;
                let entries = open.len().map_err(|e| failed.any(e))?;
                let bytes = match depth {
                    Depth::Counts => None,
                    Depth::Bytes => Some(open.stats().map_err(|e| failed.any(e))?.stored_bytes()),
                };
                stats.keyspaces.push(KeyspaceStats { name: handle.name().to_owned(), entries, bytes });
            }
            stats.live_bytes = stats.keyspaces.iter().map(|k| k.bytes).sum();
            Ok(stats)
        })
    }

    fn compact(&self) -> Result<bool, StorageError> {
        let failed = self.core.source.context("compact");
        let _no_commit = self.core.burst.lock();
        drop(self.core.database()?);
        let mut guard = self.core.database.write();
        let result = self.core.health.guard(failed, || {
            let Some(database) = guard.as_mut() else { return Err(failed.closed()) };
            database.compact().map_err(|e| failed.any(e))
        });
        if matches!(&result, Err(error) if !matches!(error, StorageError::Misuse { .. })) {
            self.core.health.stale.store(true, Ordering::Release);
        }
        result
    }

    fn place(&self) -> String {
        self.core.source.path().display().to_string()
    }
}
