use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::{
    Batch, Depth, Engine, EngineReads, EngineSnapshot, EngineStats, KeyRange, Keyspace,
    StorageError, Visit,
};

/// An engine as if it were across a network.
pub struct Remote {
    inner: Box<dyn Engine>,
    trips: RoundTrips,
    abort_every: u64,
}

/// Counts round trips: one for each call on a snapshot, and one for each commit.
#[derive(Debug, Clone, Default)]
pub struct RoundTrips {
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    reads: AtomicU64,
    commits: AtomicU64,
    aborted: AtomicU64,
    delay_micros: AtomicU64,
}

impl RoundTrips {
    /// Reads so far.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.counts.reads.load(Ordering::SeqCst)
    }

    /// Commits so far, also those given up.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.counts.commits.load(Ordering::SeqCst)
    }

    /// Commits given up so far.
    #[must_use]
    pub fn aborted(&self) -> u64 {
        self.counts.aborted.load(Ordering::SeqCst)
    }

    /// The round trips that `work` makes, reads and commits, with what it returned.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        let before = self.reads() + self.commits();
        let result = work();
        (result, self.reads() + self.commits() - before)
    }

    /// Makes each round trip from now on really take so long; nothing by default.
    pub fn delay(&self, each: Duration) {
        let micros = u64::try_from(each.as_micros()).unwrap_or(u64::MAX);
        self.counts.delay_micros.store(micros, Ordering::SeqCst);
    }

    fn travel(&self, counter: &AtomicU64) -> u64 {
        let micros = self.counts.delay_micros.load(Ordering::SeqCst);
        if micros > 0 {
            std::thread::sleep(Duration::from_micros(micros));
        }
        counter.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn read(&self) {
        self.travel(&self.counts.reads);
    }
}

impl Remote {
    /// Wraps an engine. Every `abort_every`-th commit is given up, and half of those after it was
    /// really kept, as when an answer is lost; 0 never.
    #[must_use]
    pub fn new(inner: Box<dyn Engine>, abort_every: u64) -> Self {
        Self {
            inner,
            trips: RoundTrips::default(),
            abort_every,
        }
    }

    /// Where to read the counts once the engine is inside a store.
    #[must_use]
    pub fn round_trips(&self) -> RoundTrips {
        self.trips.clone()
    }
}

impl Engine for Remote {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        // A snapshot is taken with its first read; it is not a trip of its own.
        Ok(Box::new(Far {
            inner: self.inner.snapshot()?,
            trips: self.trips.clone(),
        }))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let number = self.trips.travel(&self.trips.counts.commits);
        if self.abort_every > 0 && number.is_multiple_of(self.abort_every) {
            let aborted = self.trips.counts.aborted.fetch_add(1, Ordering::SeqCst);
            if !aborted.is_multiple_of(2) {
                self.inner.apply(batch)?;
            }
            return Err(StorageError::Aborted { attempts: 1 });
        }
        self.inner.apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.trips.read();
        self.inner.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.inner.compact()
    }

    fn place(&self) -> String {
        format!("{}, far away", self.inner.place())
    }
}

struct Far {
    inner: Box<dyn EngineSnapshot>,
    trips: RoundTrips,
}

impl EngineReads for Far {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        self.trips.read();
        self.inner.multi_get(keys)
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        self.trips.read();
        self.inner.multi_range(ranges, visit)
    }
}

impl EngineSnapshot for Far {}
