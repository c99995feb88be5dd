//! One edit of a memory at a time, so that what `If-Match` names is still there when it is
//! replaced.

use annals::MemoryId;
use parking_lot::{Mutex, MutexGuard};

/// Memories share locks: more of them only make waiting rarer.
const LOCKS: usize = 64;

#[derive(Debug)]
pub(crate) struct EditLocks(Vec<Mutex<()>>);

impl EditLocks {
    pub(crate) fn new() -> Self {
        Self((0..LOCKS).map(|_| Mutex::new(())).collect())
    }

    /// Waits until nobody else edits the memory.
    pub(crate) fn lock(&self, id: MemoryId) -> Option<MutexGuard<'_, ()>> {
        let place = usize::from(id.as_bytes().last().copied().unwrap_or_default()) % LOCKS;
        self.0.get(place).map(Mutex::lock)
    }
}
