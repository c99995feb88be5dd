use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use redb::{ReadOnlyTable, ReadTransaction, TableError};

use super::Health;
use super::failure::Context;
use crate::{EngineReads, EngineSnapshot, KeyRange, Keyspace, StorageError, Visit};

/// A table of a snapshot; `None` when the keyspace holds nothing yet.
type Opened = Option<Arc<ReadOnlyTable<&'static [u8], &'static [u8]>>>;

/// A read transaction and the tables opened in it so far.
pub(super) struct RedbSnapshot {
    transaction: ReadTransaction,
    path: PathBuf,
    health: Arc<Health>,
    tables: RwLock<HashMap<Keyspace, Opened>>,
}

impl RedbSnapshot {
    pub(super) fn new(transaction: ReadTransaction, path: &Path, health: Arc<Health>) -> Self {
        Self { transaction, path: path.to_owned(), health, tables: RwLock::new(HashMap::new()) }
    }

    fn table(&self, keyspace: Keyspace) -> Result<Opened, StorageError> {
        if let Some(opened) = self.tables.read().get(&keyspace) {
            return Ok(opened.clone());
        }
        let opened =
            self.health.guard(self.context(), || match self.transaction.open_table(super::table(keyspace.name())) {
                Ok(table) => Ok(Some(Arc::new(table))),
                Err(TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(self.context().any(error)),
            })?;
        self.tables.write().insert(keyspace, opened.clone());
        Ok(opened)
    }

    fn context(&self) -> Context<'_> {
        Context::new("read", &self.path)
    }

    fn walk(&self, index: usize, range: &KeyRange, visit: &mut Visit<'_>) -> Result<(), StorageError> {
        let start: &[u8] = &range.start;
        if range.end.as_deref().is_some_and(|end| end <= start) {
            return Ok(());
        }
        let Some(table) = self.table(range.keyspace)? else { return Ok(()) };
        let end = range.end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let context = self.context();
        let mut inside = self
            .health
            .guard(context, || table.range::<&[u8]>((Bound::Included(start), end)).map_err(|e| context.any(e)))?;
        loop {
            // Only redb's step is guarded: a panic of the visitor is the visitor's.
            let step = self.health.guard(context, || {
                let entry = if range.reverse { inside.next_back() } else { inside.next() };
                entry.transpose().map_err(|e| context.any(e))
            })?;
            let Some((key, value)) = step else { return Ok(()) };
            // Where a value lies inside its page is read here, and may be nonsense.
            let (key, value) = self.health.guard(context, || Ok((key.value(), value.value())))?;
            if let ControlFlow::Break(()) = visit(index, key, value)? {
                return Ok(());
            }
        }
    }
}

impl EngineReads for RedbSnapshot {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        keys.iter()
            .map(|&(keyspace, key)| {
                let Some(table) = self.table(keyspace)? else { return Ok(None) };
                let context = self.context();
                self.health.guard(context, || {
                    let found = table.get(key).map_err(|e| context.any(e))?;
                    Ok(found.map(|value| value.value().to_vec()))
                })
            })
            .collect()
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        ranges.iter().enumerate().try_for_each(|(index, range)| self.walk(index, range, visit))
    }
}

impl EngineSnapshot for RedbSnapshot {}
