//! Lets the callbacks of commits run one after the other, in commit order, each on its writer's own thread.

use std::collections::BTreeMap;
use std::thread::Thread;

use annals_types::Commit;
use parking_lot::Mutex;

#[derive(Debug, Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// All callbacks up to this commit have run.
    done: Commit,
    waiting: BTreeMap<Commit, Vec<Thread>>,
}

impl Turns {
    pub(crate) fn new(done: Commit) -> Self {
        Self { state: Mutex::new(State { done, waiting: BTreeMap::new() }) }
    }

    /// Waits until the callbacks of all commits up to `commit` have run.
    pub(crate) fn wait_for(&self, commit: Commit) {
        let mut registered = false;
        loop {
            {
                let mut state = self.state.lock();
                if state.done >= commit {
                    return;
                }
                if !registered {
                    state.waiting.entry(commit).or_default().push(std::thread::current());
                    registered = true;
                }
            }
            std::thread::park();
        }
    }

    /// The callback of `commit` has run.
    pub(crate) fn finish(&self, commit: Commit) {
        let mut state = self.state.lock();
        state.done = commit;
        while let Some(entry) = state.waiting.first_entry()
            && *entry.key() <= commit
        {
            entry.remove().iter().for_each(Thread::unpark);
        }
    }
}
