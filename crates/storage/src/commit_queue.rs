//! Where writers meet: the group being formed, and where its writers wait for its commit.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use annals_types::Commit;

use crate::StorageError;
use crate::layers::Layers;

/// The shared state of the writers, behind one lock.
pub(crate) struct CommitQueue {
    /// The state that the next job sees; `None` while nothing is being formed.
    pub(crate) layers: Option<Layers>,
    /// The commit of the last job that ran; what the store has committed, while nothing is formed
    /// or under way.
    pub(crate) last: Commit,
    /// The group being formed.
    pub(crate) members: Members,
    /// The changes being committed now.
    pub(crate) under_way: Option<Arc<crate::Batch>>,
    /// Whether a leader is committing.
    pub(crate) committing: bool,
    /// How many members a leader waits for; 0 while none does.
    pub(crate) wanted: usize,
    /// The statistics of the writers.
    pub(crate) crowd: Crowd,
}

impl CommitQueue {
    pub(crate) fn new(last: Commit) -> Self {
        Self {
            layers: None,
            last,
            members: Members::default(),
            under_way: None,
            committing: false,
            wanted: 0,
            crowd: Crowd::default(),
        }
    }
}

/// The writers of a group: what follows the commit of each, and where they wait.
#[derive(Default)]
pub(crate) struct Members {
    pub(crate) thens: Vec<(Commit, Then)>,
    pub(crate) round: Arc<Round>,
}

/// How many writers come back how soon: what decides for whom a leader waits.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// Writers at the last commit: so many are likely to be back soon.
    expected: usize,
    /// How long the last commit took; at most [`PATIENCE`], and nothing for a lone writer.
    commit: Duration,
    /// The time from one writer's coming back to the next one's.
    pace: Duration,
}

/// The longest that a leader waits for other writers.
const PATIENCE: Duration = Duration::from_millis(1);

impl Crowd {
    /// Takes note of a commit and of the writers there at its end: its own and those of the next
    /// group.
    pub(crate) fn committed(&mut self, writers: usize, took: Duration) {
        self.expected = writers;
        self.commit = if writers > 1 {
            took.min(PATIENCE)
        } else {
            Duration::ZERO
        };
    }

    /// Takes note of how long some writers took to come.
    pub(crate) fn came(&mut self, writers: usize, took: Duration) {
        if let Ok(writers) = u32::try_from(writers)
            && writers > 0
        {
            self.pace = (self.pace * 3 + took / writers) / 4;
        }
    }

    /// With how many writers a leader commits, and how long it waits for them.
    ///
    /// A commit costs much the same for one as for all, so all are worth waiting for while they
    /// prepare faster than a commit takes. Slower ones, which keep the processors busy meanwhile,
    /// go in two groups by turns: one prepares while the other is committed.
    pub(crate) fn wanted(&self) -> (usize, Duration) {
        let writers = u32::try_from(self.expected).unwrap_or(u32::MAX);
        let quick = self.pace.saturating_mul(writers) <= self.commit / 2;
        (
            if quick {
                self.expected
            } else {
                self.expected.div_ceil(2)
            },
            self.commit,
        )
    }
}

/// The function that runs after a commit once it is durable.
pub(crate) type Then = Box<dyn FnOnce(Commit) + Send>;

/// The result of a group, for its writers.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is durable.
    Done,
    /// The group below failed: the jobs run again.
    Rerun,
    /// It could not be committed.
    Failed(StorageError),
}

/// Where the writers of a group wait. One call wakes all: a call for each would cost as much as the
/// rest of the commit.
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
        let state = self
            .turn
            .wait_while(self.lock(), waits)
            .unwrap_or_else(PoisonError::into_inner);
        state.verdict.is_none()
    }

    /// Waits for the end. `false`: the job runs again.
    pub(crate) fn await_end(&self) -> Result<bool, StorageError> {
        let state = self
            .ended
            .wait_while(self.lock(), |state| state.verdict.is_none());
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

    fn crowd(writers: usize, commit: u64, pace: u64) -> Crowd {
        let mut crowd = Crowd {
            pace: Duration::from_micros(pace),
            ..Crowd::default()
        };
        crowd.committed(writers, Duration::from_micros(commit));
        crowd
    }

    #[test]
    fn a_lone_writer_waits_for_nobody() {
        assert_eq!(crowd(1, 200, 10).wanted(), (1, Duration::ZERO));
    }

    #[test]
    fn writers_that_are_quick_against_a_commit_share_one() {
        assert_eq!(crowd(4, 200, 20).wanted(), (4, Duration::from_micros(200)));
        assert_eq!(crowd(16, 4000, 20).wanted(), (16, PATIENCE));
    }

    #[test]
    fn many_writers_go_in_two_groups() {
        assert_eq!(crowd(16, 300, 20).wanted(), (8, Duration::from_micros(300)));
    }

    #[test]
    fn the_pace_follows_what_is_seen() {
        let mut crowd = crowd(8, 1000, 400);
        for _ in 0..20 {
            crowd.came(4, Duration::from_micros(40));
        }
        crowd.came(0, Duration::from_secs(1));
        assert!(
            (10..20).contains(&crowd.pace.as_micros()),
            "{:?}",
            crowd.pace
        );
    }

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
                assert!(
                    writer
                        .join()
                        .unwrap()
                        .unwrap_err()
                        .to_string()
                        .contains("refused")
                );
            }
        });
        assert!(!round.await_turn());
    }
}
