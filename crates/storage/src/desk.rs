//! Group commit: who forms the next group, who commits it, and how the others learn of it.
//!
//! Each writer runs its own job on its own thread, one at a time, on the group being formed. Then one of the group's writers
//! commits the whole group while the next one is already being formed on top of it; there is no thread of its own.

use std::sync::Arc;
use std::thread::Thread;

use annals_types::Commit;
use parking_lot::Mutex;

use crate::StorageError;
use crate::layers::Layers;

/// What the writers share, behind one lock.
pub(crate) struct Desk {
    /// The state that the next job sees; `None` while nothing is being formed.
    pub(crate) layers: Option<Layers>,
    /// The commit of the last job that ran; what the store has committed, while nothing is formed or under way.
    pub(crate) last: Commit,
    /// The writers of the group being formed.
    pub(crate) members: Vec<Arc<Seat>>,
    /// The changes being committed now.
    pub(crate) under_way: Option<Arc<crate::Batch>>,
    /// Whether somebody is committing.
    pub(crate) committing: bool,
}

impl Desk {
    pub(crate) fn new(last: Commit) -> Self {
        Self { layers: None, last, members: Vec::new(), under_way: None, committing: false }
    }
}

/// What a waiting writer is told.
#[derive(Debug)]
pub(crate) enum Call {
    /// Commit the group.
    Lead,
    /// The group is durable.
    Done,
    /// The group below failed: run the job again.
    Rerun,
    /// The group could not be committed.
    Failed(StorageError),
}

/// Where a writer waits.
#[derive(Debug)]
pub(crate) struct Seat {
    thread: Thread,
    call: Mutex<Option<Call>>,
}

impl Seat {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { thread: std::thread::current(), call: Mutex::new(None) })
    }

    pub(crate) fn call(&self, call: Call) {
        *self.call.lock() = Some(call);
        self.thread.unpark();
    }

    pub(crate) fn wait(&self) -> Call {
        loop {
            if let Some(call) = self.call.lock().take() {
                return call;
            }
            std::thread::park();
        }
    }
}
