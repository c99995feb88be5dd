//! The interface of engines. Engines see bytes only; checksums, group commit and commit numbers
//! are above them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::{Batch, Depth, EngineStats, Keyspace, Lost, StorageError};

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
        Self {
            keyspace,
            start: prefix.to_vec(),
            end: crate::prefix_end(prefix),
            reverse: false,
        }
    }

    /// From `start` up to and without `end`.
    #[must_use]
    pub fn between(keyspace: Keyspace, start: &[u8], end: &[u8]) -> Self {
        Self {
            keyspace,
            start: start.to_vec(),
            end: Some(end.to_vec()),
            reverse: false,
        }
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

    /// Walks some ranges one after the other. [`ControlFlow::Break`] ends the range at hand, not
    /// the walk.
    ///
    /// # Errors
    /// When the engine cannot read, or `visit` fails.
    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError>;
}

/// A consistent state of all keyspaces at the moment it was taken; readers never wait for the
/// writer.
pub trait EngineSnapshot: EngineReads + Send + Sync {}

/// Somewhere to keep keyspaces. At most one [`apply`](Self::apply) runs at a time; the store above
/// sees to it.
///
/// There is no transaction object: a writing job reads a snapshot with its own changes laid over
/// it, and the finished changes arrive here as one batch. So an engine across a network needs one
/// round trip for a commit, however many keys it touches.
pub trait Engine: Send + Sync {
    /// The state after the last commit.
    ///
    /// # Errors
    /// When the engine cannot read.
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError>;

    /// Makes all changes of a batch durable at once.
    ///
    /// # Errors
    /// [`StorageError::Aborted`] when the batch's expectation does not hold or another transaction
    /// was in the way: nothing was changed, and the store tries again. Any other error when it
    /// cannot be made durable; then all of it or nothing is kept, which a snapshot taken
    /// afterwards shows once the engine [is settled](Self::is_settled).
    fn apply(&self, batch: &Batch) -> Result<(), StorageError>;

    /// Sizes and counts.
    ///
    /// # Errors
    /// When the engine cannot read.
    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError>;

    /// Gives unused space back where the engine can, and removes what deleted values left behind.
    /// Answers whether anything was gained. Snapshots stay readable.
    ///
    /// # Errors
    /// When the engine cannot write.
    fn compact(&self) -> Result<bool, StorageError>;

    /// Writes the last state into a new file, or in the place of one, and reads that again. Commits
    /// go on meanwhile. The file is seen once it is whole. Answers how many values it has.
    ///
    /// # Errors
    /// [`StorageError::Misuse`] for an engine that keeps no file; when it cannot be read or the new
    /// file not be written, and nothing is left of that.
    fn back_up(&self, path: &Path, replace: bool) -> Result<u64, StorageError> {
        let (place, path) = (self.place(), path.display());
        let _ = replace;
        Err(StorageError::misuse(format!(
            "back up {place} to {path}: it is no file; export what it holds"
        )))
    }

    /// What snapshots lack because it cannot be read: an engine that only reads may go on with the
    /// state before some damage.
    fn damage(&self) -> Option<String> {
        None
    }

    /// Looks at everything that leads to the data and is none itself, such as pages of an index,
    /// for damage that keeps data from being found. No commit happens meanwhile.
    ///
    /// # Errors
    /// When the engine cannot read at all; damage is in the answer.
    fn inspect(&self) -> Result<Vec<Lost>, StorageError> {
        Ok(Vec::new())
    }

    /// Whether no other process can commit while this engine is open.
    fn exclusive(&self) -> bool {
        false
    }

    /// Whether what a snapshot shows is durable. `false` while a failed commit may be seen and yet
    /// be lost with the power.
    fn is_settled(&self) -> bool {
        true
    }

    /// Whether the place of the data still leads to them. `false` for a file that was moved or
    /// replaced.
    ///
    /// # Errors
    /// When the system does not tell.
    fn is_in_place(&self) -> Result<bool, StorageError> {
        Ok(true)
    }

    /// Where the data are, for messages.
    fn place(&self) -> String {
        "the store".to_owned()
    }
}

/// One engine under several stores, as several machines have it.
impl<E: Engine + ?Sized> Engine for Arc<E> {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        (**self).snapshot()
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        (**self).apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        (**self).stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        (**self).compact()
    }

    fn back_up(&self, path: &Path, replace: bool) -> Result<u64, StorageError> {
        (**self).back_up(path, replace)
    }

    fn damage(&self) -> Option<String> {
        (**self).damage()
    }

    fn inspect(&self) -> Result<Vec<Lost>, StorageError> {
        (**self).inspect()
    }

    fn exclusive(&self) -> bool {
        (**self).exclusive()
    }

    fn is_settled(&self) -> bool {
        (**self).is_settled()
    }

    fn is_in_place(&self) -> Result<bool, StorageError> {
        (**self).is_in_place()
    }

    fn place(&self) -> String {
        (**self).place()
    }
}
