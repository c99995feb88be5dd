//! The engine on one file, through redb: one table per keyspace.

mod failure;
mod snapshot;

use std::path::{Path, PathBuf};

use parking_lot::RwLock;
use redb::{Builder, Database, ReadableDatabase as _, ReadableTable as _, TableDefinition};

use crate::{Batch, Engine, EngineSnapshot, EngineStats, Keyspace, Options, StorageError};
use failure::Context;
use snapshot::RedbSnapshot;

type Table = TableDefinition<'static, &'static [u8], &'static [u8]>;

fn table(keyspace: Keyspace) -> Table {
    TableDefinition::new(keyspace.name())
}

/// Keyspaces in one file.
#[derive(Debug)]
pub struct RedbEngine {
    path: PathBuf,
    database: RwLock<Database>,
}

impl RedbEngine {
    /// Opens or creates a file.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        let database = Builder::new()
            .set_cache_size(options.cache_bytes)
            .create(path)
            .map_err(|e| Context::new("open", path).database(e))?;
        Ok(Self { path: path.to_owned(), database: RwLock::new(database) })
    }

    fn context(&self, doing: &'static str) -> Context<'_> {
        Context::new(doing, &self.path)
    }
}

impl Engine for RedbEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        let transaction = self.database.read().begin_read().map_err(|e| self.context("read").any(e))?;
        Ok(Box::new(RedbSnapshot::new(transaction, self.path.clone())))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let failed = self.context("write");
        let transaction = self.database.read().begin_write().map_err(|e| failed.any(e))?;
        if let Some(expected) = batch.expected() {
            let open = transaction.open_table(table(expected.keyspace)).map_err(|e| failed.any(e))?;
            let found = open.get(expected.key.as_slice()).map_err(|e| failed.any(e))?;
            if found.as_ref().map(|v| v.value()) != expected.value.as_deref() {
                return Err(StorageError::Aborted { attempts: 1 });
            }
        }
        for (keyspace, changes) in batch.keyspaces() {
            let mut open = transaction.open_table(table(keyspace)).map_err(|e| failed.any(e))?;
            for (key, value) in changes {
                match value {
                    Some(value) => open.insert(key.as_slice(), value.as_slice()).map_err(|e| failed.any(e))?,
                    None => open.remove(key.as_slice()).map_err(|e| failed.any(e))?,
                };
            }
        }
        transaction.commit().map_err(|e| failed.any(e))
    }

    fn stats(&self) -> Result<EngineStats, StorageError> {
        Ok(EngineStats::default())
    }

    fn compact(&self) -> Result<bool, StorageError> {
        let mut database = self.database.write();
        database.compact().map_err(|e| self.context("compact").any(e))
    }
}
