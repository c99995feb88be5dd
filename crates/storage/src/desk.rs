//! Where writers meet: the group being formed, and where its writers wait for its commit.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annals_types::Commit;

use crate::StorageError;
use crate::layers::Layers;

/// What the writers share, behind one lock.
pub(crate) struct Desk {
    /// The state that the next job sees; `None` while nothing is being formed.
    pub(crate) layers: Option<Layers>,
    /// The commit of the last job that ran; what the store has committed, while nothing is formed or under way.
    pub(crate) last: Commit,
    /// The group being formed.
    pub(crate) members: Members,
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
            members: Members::default(),
            under_way: None,
            committing: false,
            expected: 0,
            patience: Duration::ZERO,
        }
    }
}

/// The writers of a group: what follows the commit of each, and where they wait.
#[derive(Default)]
pub(crate) struct Members {
    pub(crate) thens: Vec<(Commit, Then)>,
    pub(crate) round: Arc<Round>,
}

/// What follows a commit once it is durable.
pub(crate) type Then = Box<dyn FnOnce(Commit) + Send>;

/// What came of a group, for its writers.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is durable.
    Done,
    /// The group below failed: the jobs run again.
    Rerun,
    /// It could not be committed.
    Failed(StorageError),
}

/// Where the writers of a group wait. One call wakes all: a call for each would cost as much as the rest of the commit.
#[derive(Debug, Default)]
pub(crate) struct Round {
    state: Mutex<State>,
    /// For the first of the group, who is called to commit it.
    turn: Condvar,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    led: bool,
    verdict: Option<Verdict>,
}

impl Round {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the first of the group to commit it.
    pub(crate) fn call(&self) {
        self.lock().led = true;
        self.turn.notify_one();
    }

    /// Tells all what came of it.
    pub(crate) fn end(&self, verdict: Verdict) {
        self.lock().verdict = Some(verdict);
        self.turn.notify_one();
        self.ended.notify_all();
    }

    /// The first of the group waits to be called; `false` when it has ended without.
    pub(crate) fn await_turn(&self) -> bool {
        let waits = |state: &mut State| !state.led && state.verdict.is_none();
        let state = self.turn.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        state.verdict.is_none()
    }

    /// Waits for the end. `false`: the job runs again.
    pub(crate) fn await_end(&self) -> Result<bool, StorageError> {
        let state = self.ended.wait_while(self.lock(), |state| state.verdict.is_none());
        match &state.unwrap_or_else(PoisonError::into_inner).verdict {
            Some(Verdict::Done) => Ok(true),
            Some(Verdict::Failed(error)) => Err(error.again()),
            Some(Verdict::Rerun) | None => Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_writer_of_a_group_hears_its_verdict() {
        let round = Round::default();
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| round.await_end())).collect();
            let first = scope.spawn(|| round.await_turn());
            round.call();
            assert!(first.join().unwrap());
            round.end(Verdict::Failed(StorageError::misuse("refused")));
            for writer in waiting {
                assert!(writer.join().unwrap().unwrap_err().to_string().contains("refused"));
            }
        });
        assert!(!round.await_turn());
    }
}
