//! Locks by key: what must happen one at a time for one namespace, or for the jobs of one profile.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::{Mutex, ReentrantMutex};

/// A lock for each key; work under one key delays no other. A thread that holds a lock may take it
/// again: a judge that is asked about an arrival may store something of its own.
pub struct KeyedLocks<K>(Mutex<HashMap<K, Arc<ReentrantMutex<()>>>>);

impl<K> Default for KeyedLocks<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> KeyedLocks<K> {
    /// The lock of a key.
    pub fn of(&self, key: K) -> Arc<ReentrantMutex<()>> {
        Arc::clone(self.0.lock().entry(key).or_default())
    }

    /// The lock of a key; `None` when this thread holds one of any key.
    pub(crate) fn of_free_thread(&self, key: K) -> Option<Arc<ReentrantMutex<()>>> {
        let mut locks = self.0.lock();
        let held = locks.values().any(|lock| lock.is_owned_by_current_thread());
        (!held).then(|| Arc::clone(locks.entry(key).or_default()))
    }

    /// Drops the lock of a key that is gone.
    pub(crate) fn forget(&self, key: &K) {
        self.0.lock().remove(key);
    }
}
