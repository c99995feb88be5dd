//! The engine in memory: for tests, and for stores that need not last.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::{
    Batch, Depth, Engine, EngineReads, EngineSnapshot, EngineStats, KeyRange, Keyspace,
    KeyspaceStats, StorageError, Visit,
};

type Map = BTreeMap<Vec<u8>, Arc<[u8]>>;

/// Keyspaces in memory. A snapshot shares the maps; a commit copies a map only while a snapshot
/// still holds it.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    state: Mutex<State>,
}

#[derive(Debug, Clone, Default)]
struct State {
    maps: BTreeMap<Keyspace, Arc<Map>>,
}

impl MemoryEngine {
    /// An empty engine.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl EngineReads for State {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        Ok(keys
            .iter()
            .map(|(ks, key)| self.maps.get(ks)?.get(*key).map(|v| v.to_vec()))
            .collect())
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        for (index, range) in ranges.iter().enumerate() {
            let start: &[u8] = &range.start;
            let Some(map) = self.maps.get(&range.keyspace) else {
                continue;
            };
            if range.end.as_deref().is_some_and(|end| end <= start) {
                continue;
            }
            let end = range
                .end
                .as_deref()
                .map_or(Bound::Unbounded, Bound::Excluded);
            let mut inside = map.range::<[u8], _>((Bound::Included(start), end));
            while let Some((key, value)) = if range.reverse {
                inside.next_back()
            } else {
                inside.next()
            } {
                if let ControlFlow::Break(()) = visit(index, key, value)? {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl EngineSnapshot for State {}

impl Engine for MemoryEngine {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        Ok(Box::new(self.state.lock().clone()))
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        let mut state = self.state.lock();
        if let Some(expected) = batch.expected() {
            let found = state
                .maps
                .get(&expected.keyspace)
                .and_then(|m| m.get(&expected.key))
                .map(|v| v.as_ref());
            if found != expected.value.as_deref() {
                return Err(StorageError::Aborted { attempts: 1 });
            }
        }
        for (keyspace, changes) in batch.keyspaces() {
            let map = Arc::make_mut(state.maps.entry(keyspace).or_default());
            for (key, value) in changes {
                match value {
                    Some(value) => map.insert(key.clone(), Arc::from(value.as_slice())),
                    None => map.remove(key),
                };
            }
        }
        Ok(())
    }

    fn stats(&self, _: Depth) -> Result<EngineStats, StorageError> {
        let state = self.state.lock().clone();
        let mut stats = EngineStats::default();
        for (keyspace, map) in &state.maps {
            let bytes: usize = map.iter().map(|(k, v)| k.len() + v.len()).sum();
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            let entries = u64::try_from(map.len()).unwrap_or(u64::MAX);
            stats.file_bytes += bytes;
            stats.keyspaces.push(KeyspaceStats {
                name: keyspace.name().to_owned(),
                entries,
                bytes: Some(bytes),
            });
        }
        stats.live_bytes = Some(stats.file_bytes);
        Ok(stats)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        Ok(false)
    }
}
