//! Lets the callbacks of commits run one after the other, in commit order, each on its writer's own thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Thread;

use annals_types::Commit;
use parking_lot::Mutex;

/// How often a writer looks again before it sleeps: the one before it is about to finish.
const LOOKS: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The callbacks of all commits up to this one have run.
    done: AtomicU64,
    waiting: Mutex<BTreeMap<Commit, Vec<Thread>>>,
}

impl Turns {
    pub(crate) fn new(done: Commit) -> Self {
        Self { done: AtomicU64::new(done.0), waiting: Mutex::default() }
    }

    fn reached(&self, commit: Commit) -> bool {
        self.done.load(Ordering::SeqCst) >= commit.0
    }

    /// Waits until the callbacks of all commits up to `commit` have run.
    pub(crate) fn wait_for(&self, commit: Commit) {
        for _ in 0..LOOKS {
            if self.reached(commit) {
                return;
            }
            std::thread::yield_now();
        }
        self.waiting.lock().entry(commit).or_default().push(std::thread::current());
        while !self.reached(commit) {
            std::thread::park();
        }
    }

    /// The callback of `commit` has run.
    pub(crate) fn finish(&self, commit: Commit) {
        self.done.fetch_max(commit.0, Ordering::SeqCst);
        let mut waiting = self.waiting.lock();
        while let Some(entry) = waiting.first_entry()
            && *entry.key() <= commit
        {
            entry.remove().iter().for_each(Thread::unpark);
        }
    }
}
