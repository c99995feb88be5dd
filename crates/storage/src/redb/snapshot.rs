use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use redb::{ReadOnlyTable, ReadTransaction, TableError};

use super::failure::Context;
use crate::{EngineReads, EngineSnapshot, KeyRange, Keyspace, StorageError, Visit};

type Opened = Option<Arc<ReadOnlyTable<&'static [u8], &'static [u8]>>>;

/// A read transaction and the tables opened in it so far.
pub(crate) struct RedbSnapshot {
    transaction: ReadTransaction,
    path: PathBuf,
    tables: RwLock<HashMap<Keyspace, Opened>>,
}

impl RedbSnapshot {
    pub(crate) fn new(transaction: ReadTransaction, path: PathBuf) -> Self {
        Self { transaction, path, tables: RwLock::new(HashMap::new()) }
    }

    fn table(&self, keyspace: Keyspace) -> Result<Opened, StorageError> {
        if let Some(opened) = self.tables.read().get(&keyspace) {
            return Ok(opened.clone());
        }
        let opened = match self.transaction.open_table(super::table(keyspace)) {
            Ok(table) => Some(Arc::new(table)),
            Err(TableError::TableDoesNotExist(_)) => None,
            Err(error) => return Err(self.context().any(error)),
        };
        self.tables.write().insert(keyspace, opened.clone());
        Ok(opened)
    }

    fn context(&self) -> Context<'_> {
        Context::new("read", &self.path)
    }
}

impl EngineReads for RedbSnapshot {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        keys.iter()
            .map(|&(keyspace, key)| {
                let Some(table) = self.table(keyspace)? else { return Ok(None) };
                let found = table.get(key).map_err(|e| self.context().any(e))?;
                Ok(found.map(|value| value.value().to_vec()))
            })
            .collect()
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        for (index, range) in ranges.iter().enumerate() {
            let start: &[u8] = &range.start;
            if range.end.as_deref().is_some_and(|end| end <= start) {
                continue;
            }
            let Some(table) = self.table(range.keyspace)? else { continue };
            let end = range.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let mut inside = table.range::<&[u8]>((Bound::Included(start), end)).map_err(|e| self.context().any(e))?;
            while let Some(entry) = if range.reverse { inside.next_back() } else { inside.next() } {
                let (key, value) = entry.map_err(|e| self.context().any(e))?;
                if let ControlFlow::Break(()) = visit(index, key.value(), value.value())? {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl EngineSnapshot for RedbSnapshot {}
