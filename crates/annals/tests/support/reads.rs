//! A store that counts what is read of it, lets writes wait, and fails where it is told to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use annals::storage::{
    Batch, Depth, Engine, EngineReads, EngineSnapshot, EngineStats, KeyRange, Keyspace,
    MemoryEngine, StorageError, Visit,
};

use super::gate::Gate;

/// How many values were read, by keyspace.
pub type Counts = Arc<Mutex<BTreeMap<&'static str, u64>>>;

/// The keyspace of which no value can be read.
type Unreadable = Arc<Mutex<Option<&'static str>>>;

#[derive(Clone, Default)]
pub struct Counted {
    kept: Arc<MemoryEngine>,
    counts: Counts,
    /// Writes that may still pass before the gate; all of them while it is 0.
    free: Arc<AtomicU64>,
    dead: Arc<AtomicBool>,
    refuses: Arc<AtomicBool>,
    unreadable: Unreadable,
    pub gate: Arc<Gate>,
}

impl Counted {
    /// The reads since the last call.
    pub fn take(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.counts.lock().unwrap())
    }

    /// From now on nothing is written any more, as when the process is killed; what waits at the
    /// gate is lost.
    pub fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
        self.gate.open();
    }

    /// Whether writes fail, as on a full disk.
    pub fn refuses(&self, refuses: bool) {
        self.refuses.store(refuses, Ordering::SeqCst);
    }

    /// Fails the reads of single values of a keyspace, or of none.
    pub fn unreadable(&self, keyspace: Option<&'static str>) {
        *self.unreadable.lock().unwrap() = keyspace;
    }

    /// The store as another process finds it.
    pub fn revived(&self) -> Self {
        Self {
            kept: Arc::clone(&self.kept),
            ..Self::default()
        }
    }

    /// Lets one more write pass; those after it wait at the gate.
    pub fn one_more(&self) {
        self.free.store(2, Ordering::SeqCst);
    }
}

struct Snapshot {
    inner: Box<dyn EngineSnapshot>,
    counts: Counts,
    unreadable: Unreadable,
}

fn count(counts: &Counts, keyspace: Keyspace) {
    *counts.lock().unwrap().entry(keyspace.name()).or_default() += 1;
}

impl EngineReads for Snapshot {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        keys.iter()
            .for_each(|(keyspace, _)| count(&self.counts, *keyspace));
        let unreadable = *self.unreadable.lock().unwrap();
        if keys
            .iter()
            .any(|(keyspace, _)| Some(keyspace.name()) == unreadable)
        {
            return Err(StorageError::Io {
                doing: "read".to_owned(),
                source: std::io::Error::other("told to fail"),
            });
        }
        self.inner.multi_get(keys)
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        self.inner.multi_range(ranges, &mut |index, key, value| {
            count(&self.counts, ranges[index].keyspace);
            visit(index, key, value)
        })
    }
}

impl EngineSnapshot for Snapshot {}

impl Engine for Counted {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        let (counts, unreadable) = (Arc::clone(&self.counts), Arc::clone(&self.unreadable));
        Ok(Box::new(Snapshot {
            inner: self.kept.snapshot()?,
            counts,
            unreadable,
        }))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        match self.free.load(Ordering::SeqCst) {
            0 => {}
            1 => self.gate.pass(),
            free => self.free.store(free - 1, Ordering::SeqCst),
        }
        if self.dead.load(Ordering::SeqCst) {
            let source = std::io::Error::other("the process is gone");
            return Err(StorageError::Io {
                doing: "write".to_owned(),
                source,
            });
        }
        if self.refuses.load(Ordering::SeqCst) {
            let source = std::io::Error::other("the disk is full");
            return Err(StorageError::Io {
                doing: "write".to_owned(),
                source,
            });
        }
        self.kept.apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.kept.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.kept.compact()
    }
}
