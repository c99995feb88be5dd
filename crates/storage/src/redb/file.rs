//! An open file: redb's pages, and the log before them.

use parking_lot::{Mutex, RwLock};
use redb::{
    Database, Durability, ReadTransaction, ReadableDatabase as _, TableDefinition, TableError,
    WriteTransaction,
};

use super::failure::Context;
use super::head;
use super::log::{self, Log};
use super::pages::Fence;
use super::table;
use crate::batch::Changes;
use crate::{Batch, StorageError};

/// The random number of the log's generation, under the one key of this table.
const GENERATION: TableDefinition<'static, (), u64> = TableDefinition::new("annals.log");

/// Where what is written goes.
#[derive(Debug)]
pub(super) enum Backing {
    /// To the file.
    Disk,
    /// Nowhere: it stays in memory, because the file is only read, or for this reason.
    Memory(Option<StorageError>),
}

/// A file that redb has opened, with what its log held taken over.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// `None` once it was closed.
    database: RwLock<Option<Database>>,
    /// Locked after redb's write transaction was begun.
    log: Mutex<Log>,
    pub(super) backing: Backing,
    fence: Fence,
    /// What of the file is left out, because it cannot be read.
    pub(super) damage: Option<String>,
}

impl OpenFile {
    /// Takes over what the log holds: commits that were made durable there and did not reach the
    /// pages.
    pub(super) fn recover(
        database: Database,
        log: Log,
        length: u64,
        (backing, fence): (Backing, Fence),
        context: Context<'_>,
    ) -> Result<Self, StorageError> {
        let mut log = log;
        let first = head::generation(log.disk()).map_err(|e| context.io(e))?;
        let has_newer = head::has_newer(log.disk()).map_err(|e| context.io(e))?;
        log.restart(generation(&database, context)?.unwrap_or(first));
        let (left, damage) = log.read(length, context)?;
        // Who only reads gets the state before the damage, and is told; who writes would bury the
        // rest.
        if let (Some(damage), Backing::Disk | Backing::Memory(Some(_))) = (&damage, &backing) {
            return Err(StorageError::corruption(context.what(), damage.clone()));
        }
        let file = Self {
            database: RwLock::new(Some(database)),
            log: Mutex::new(log),
            backing,
            fence,
            damage,
        };
        if !left.is_empty() || has_newer {
            tracing::info!(
                what = context.what(),
                "the file was not closed cleanly: taking over its log"
            );
            let transaction = file.begin_write(context)?;
            left.iter()
                .try_for_each(|(name, changes)| change(&transaction, name, changes, context))?;
            file.settle(transaction, context)?;
        }
        Ok(file)
    }

    pub(super) fn begin_read(&self, context: Context<'_>) -> Result<ReadTransaction, StorageError> {
        let database = self.database.read();
        database
            .as_ref()
            .ok_or_else(|| context.closed())?
            .begin_read()
            .map_err(|e| context.any(e))
    }

    pub(super) fn begin_write(
        &self,
        context: Context<'_>,
    ) -> Result<WriteTransaction, StorageError> {
        let database = self.database.read();
        database
            .as_ref()
            .ok_or_else(|| context.closed())?
            .begin_write()
            .map_err(|e| context.any(e))
    }

    /// Moves pages to the front and gives what is free behind them back to the file system: redb
    /// lets a file grow by doubling it.
    pub(super) fn tighten(&self, context: Context<'_>) -> Result<(), StorageError> {
        let mut database = self.database.write();
        let database = database.as_mut().ok_or_else(|| context.closed())?;
        database.compact().map(drop).map_err(|e| context.any(e))
    }

    /// Closes the file as it should be: redb writes that it was.
    pub(super) fn close(&self) {
        drop(self.database.write().take());
        self.fence.close();
    }

    /// Closes the file without another byte written: another engine goes on with it.
    pub(super) fn abandon(&self) {
        self.fence.close();
        drop(self.database.write().take());
    }

    /// Makes a batch durable: through the log when it is small and there is room, else in the
    /// pages.
    pub(super) fn apply(&self, batch: &Batch, context: Context<'_>) -> Result<(), StorageError> {
        let mut transaction = self.begin_write(context)?;
        if let Some(expected) = batch.expected() {
            let open = transaction
                .open_table(table(expected.keyspace.name()))
                .map_err(|e| context.any(e))?;
            let found = redb::ReadableTable::get(&open, expected.key.as_slice())
                .map_err(|e| context.any(e))?;
            if found.as_ref().map(|v| v.value()) != expected.value.as_deref() {
                return Err(StorageError::Aborted { attempts: 1 });
            }
        }
        for (keyspace, changes) in batch.keyspaces() {
            change(&transaction, keyspace.name(), changes, context)?;
        }
        let mut log = self.log.lock();
        let Some(entry) = log.entry(batch) else {
            drop(log);
            return self.settle(transaction, context);
        };
        transaction
            .set_durability(Durability::None)
            .map_err(|e| context.any(e))?;
        log.append(&entry).map_err(|e| context.io(e))?;
        transaction.commit().map_err(|e| context.any(e))
    }

    /// Commits to the pages, with the allocator state, so that nothing before this needs the log
    /// any more.
    pub(super) fn settle(
        &self,
        mut transaction: WriteTransaction,
        context: Context<'_>,
    ) -> Result<(), StorageError> {
        let mut log = self.log.lock();
        let next = log::new_generation();
        transaction
            .open_table(GENERATION)
            .map_err(|e| context.any(e))?
            .insert((), next)
            .map_err(|e| context.any(e))?;
        transaction.set_quick_repair(true);
        transaction.commit().map_err(|e| context.any(e))?;
        log.restart(next);
        Ok(())
    }

    /// Writes to the pages what only the log has made durable.
    pub(super) fn empty_log(&self, context: Context<'_>) -> Result<(), StorageError> {
        if self.log.lock().is_empty() {
            return Ok(());
        }
        let transaction = self.begin_write(context)?;
        self.settle(transaction, context)
    }
}

/// Whether a table is not a keyspace but what this engine keeps for itself.
pub(super) fn is_own(name: &str) -> bool {
    name == redb::TableHandle::name(&GENERATION)
}

fn generation(database: &Database, context: Context<'_>) -> Result<Option<u64>, StorageError> {
    let transaction = database.begin_read().map_err(|e| context.any(e))?;
    match transaction.open_table(GENERATION) {
        Ok(open) => Ok(open
            .get(())
            .map_err(|e| context.any(e))?
            .map(|found| found.value())),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(context.any(error)),
    }
}

/// Carries changes of a keyspace out.
pub(super) fn change(
    transaction: &WriteTransaction,
    keyspace: &str,
    changes: &Changes,
    context: Context<'_>,
) -> Result<(), StorageError> {
    let mut open = transaction
        .open_table(table(keyspace))
        .map_err(|e| context.any(e))?;
    for (key, value) in changes {
        match value {
            Some(value) => drop(
                open.insert(key.as_slice(), value.as_slice())
                    .map_err(|e| context.any(e))?,
            ),
            None => drop(open.remove(key.as_slice()).map_err(|e| context.any(e))?),
        }
    }
    Ok(())
}
