//! Chunks kept in memory, up to a budget of bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use annals_types::NamespaceId;
use parking_lot::Mutex;

use crate::segment::SegmentId;

/// A chunk: which opening of which namespace, segment, number, and how often it was rewritten since
/// that opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChunkKey {
    pub(crate) opening: u64,
    pub(crate) namespace: NamespaceId,
    pub(crate) segment: SegmentId,
    pub(crate) chunk: u32,
    pub(crate) version: u32,
}

/// Chunks of stored segments, shared by all namespaces. Keeps at most the bytes it was given, those
/// used lately first.
#[derive(Debug)]
pub struct ChunkCache {
    budget: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    chunks: HashMap<ChunkKey, Slot>,
    /// Keys in the order of the clock hand (second chance, Corbató 1968).
    clock: VecDeque<ChunkKey>,
    bytes: usize,
}

#[derive(Debug)]
struct Slot {
    bytes: Arc<[u8]>,
    used: bool,
}

/// The cost of a cached chunk beside its bytes.
const OVERHEAD: usize = 160;

impl ChunkCache {
    /// A cache of at most `budget` bytes; with 0 nothing is kept.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            inner: Mutex::new(Inner::default()),
        }
    }

    /// Bytes in use.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.inner.lock().bytes
    }

    /// Gives everything back.
    pub fn clear(&self) {
        *self.inner.lock() = Inner::default();
    }

    /// The chunks of some keys, in the order asked.
    pub(crate) fn get_all(&self, keys: &[ChunkKey]) -> Vec<Option<Arc<[u8]>>> {
        let mut inner = self.inner.lock();
        let mut get = |key| {
            let slot = inner.chunks.get_mut(key)?;
            slot.used = true;
            Some(Arc::clone(&slot.bytes))
        };
        keys.iter().map(&mut get).collect()
    }

    pub(crate) fn put(&self, key: ChunkKey, bytes: Arc<[u8]>) {
        let size = bytes.len() + OVERHEAD;
        if size > self.budget {
            return;
        }
        let mut inner = self.inner.lock();
        if inner
            .chunks
            .insert(key, Slot { bytes, used: false })
            .is_none()
        {
            inner.bytes += size;
            inner.clock.push_back(key);
        }
        while inner.bytes > self.budget {
            inner.evict();
        }
    }
}

impl Inner {
    /// Drops the next chunk that was not used since the hand last passed.
    fn evict(&mut self) {
        while let Some(key) = self.clock.pop_front() {
            match self.chunks.get_mut(&key) {
                Some(slot) if slot.used => {
                    slot.used = false;
                    self.clock.push_back(key);
                }
                Some(slot) => {
                    self.bytes = self.bytes.saturating_sub(slot.bytes.len() + OVERHEAD);
                    self.chunks.remove(&key);
                    return;
                }
                None => {}
            }
        }
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(chunk: u32) -> ChunkKey {
        ChunkKey {
            opening: 1,
            namespace: NamespaceId(1),
            segment: 1,
            chunk,
            version: 0,
        }
    }

    fn get(cache: &ChunkCache, chunk: u32) -> Option<Arc<[u8]>> {
        cache.get_all(&[key(chunk)]).pop().flatten()
    }

    #[test]
    fn the_budget_holds_and_used_chunks_stay() {
        let cache = ChunkCache::new(10 * (100 + OVERHEAD));
        for chunk in 0..100 {
            cache.put(key(chunk), Arc::from(vec![0; 100]));
            assert!(get(&cache, 0).is_some(), "used all the time, {chunk}");
            assert!(cache.bytes() <= 10 * (100 + OVERHEAD));
        }
        assert!(get(&cache, 50).is_none());
        assert!(get(&cache, 99).is_some());
        cache.clear();
        assert_eq!(cache.bytes(), 0);
    }

    #[test]
    fn nothing_larger_than_the_budget_is_kept() {
        let cache = ChunkCache::new(0);
        cache.put(key(1), Arc::from([1]));
        assert!(get(&cache, 1).is_none());
    }
}
