//! Where writers meet: the group being formed, and the seats on which they wait for its commit.

use std::sync::Arc;
use std::thread::Thread;
use std::time::Duration;

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
    /// How many writers were there at the last commit: so many are likely to be back soon.
    pub(crate) expected: usize,
    /// How long a leader waits for them: as long as the last commit took, and not at all for a lone writer.
    pub(crate) patience: Duration,
}

impl Desk {
    pub(crate) fn new(last: Commit) -> Self {
        Self {
            layers: None,
            last,
            members: Vec::new(),
            under_way: None,
            committing: false,
            expected: 0,
            patience: Duration::ZERO,
        }
    }
}

/// What follows a commit once it is durable.
pub(crate) type Then = Box<dyn FnOnce(Commit) + Send>;

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
pub(crate) struct Seat {
    thread: Thread,
    call: Mutex<Option<Call>>,
    commit: Commit,
    then: Mutex<Option<Then>>,
}

impl Seat {
    pub(crate) fn new(commit: Commit, then: Then) -> Arc<Self> {
        Arc::new(Self { thread: std::thread::current(), call: Mutex::new(None), commit, then: Mutex::new(Some(then)) })
    }

    /// What follows the commit of this writer, once.
    pub(crate) fn then(&self) -> Option<(Commit, Then)> {
        Some((self.commit, self.then.lock().take()?))
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
