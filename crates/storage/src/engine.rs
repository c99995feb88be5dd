//! What an engine must offer. Engines see bytes only; checksums, group commit and commit numbers are above them.

use std::ops::ControlFlow;

use crate::{EngineStats, Keyspace, StorageError};

/// A key range of one keyspace: from `start` (included) to `end` (excluded, open when `None`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// The first key inside.
    pub start: Vec<u8>,
    /// The first key after; `None` up to the last key.
    pub end: Option<Vec<u8>>,
    /// Whether to walk from the last key to the first.
    pub reverse: bool,
}

impl KeyRange {
    /// All keys that begin with `prefix`, upwards.
    #[must_use]
    pub fn prefix(keyspace: Keyspace, prefix: &[u8]) -> Self {
        Self { keyspace, start: prefix.to_vec(), end: crate::prefix_end(prefix), reverse: false }
    }

    /// From `start` up to and without `end`.
    #[must_use]
    pub fn between(keyspace: Keyspace, start: &[u8], end: &[u8]) -> Self {
        Self { keyspace, start: start.to_vec(), end: Some(end.to_vec()), reverse: false }
    }

    /// The same keys, from the last to the first.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.reverse = true;
        self
    }
}

/// Receives the index of the range, a key and a value; answers whether to go on with that range.
pub type Visit<'a> = dyn FnMut(usize, &[u8], &[u8]) -> Result<ControlFlow<()>, StorageError> + 'a;

/// Reading raw bytes. Each call is at most one round trip to wherever the data are.
pub trait EngineReads {
    /// The values of some keys, in the order asked; `None` for a key that is not there.
    ///
    /// # Errors
    /// When the engine cannot read.
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError>;

    /// Walks some ranges one after the other. [`ControlFlow::Break`] ends the range at hand, not the walk.
    ///
    /// # Errors
    /// When the engine cannot read, or `visit` fails.
    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError>;
}

/// A consistent state of all keyspaces at the moment it was taken; readers never wait for the writer.
pub trait EngineSnapshot: EngineReads + Send + Sync {}

/// A transaction with read-your-writes. Dropping it without [`commit`](Self::commit) leaves nothing behind.
pub trait EngineTransaction: EngineReads {
    /// Writes a value.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StorageError>;

    /// Removes a key; answers whether it was there.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<bool, StorageError>;

    /// Removes at most `limit` keys of a range (direction is ignored); answers how many it removed.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn delete_range(&mut self, range: &KeyRange, limit: usize) -> Result<usize, StorageError>;

    /// Makes everything durable at once.
    ///
    /// # Errors
    /// When it cannot be made durable; then nothing of it is kept.
    fn commit(self: Box<Self>) -> Result<(), StorageError>;
}

/// Somewhere to keep keyspaces. At most one transaction is open at a time; the store above sees to it.
pub trait Engine: Send + Sync {
    /// The state after the last commit.
    ///
    /// # Errors
    /// When the engine cannot read.
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError>;

    /// Opens the transaction.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn begin(&self) -> Result<Box<dyn EngineTransaction + '_>, StorageError>;

    /// Sizes and counts.
    ///
    /// # Errors
    /// When the engine cannot read.
    fn stats(&self) -> Result<EngineStats, StorageError>;

    /// Gives unused space back where the engine can. Answers whether anything was gained.
    ///
    /// # Errors
    /// When the engine cannot write, or snapshots are still open.
    fn compact(&mut self) -> Result<bool, StorageError>;

    /// Called when the store is idle: an engine may make a later start cheaper here.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn settle(&self) -> Result<(), StorageError> {
        Ok(())
    }
}
