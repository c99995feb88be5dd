//! The thread that runs jobs when they are due.

use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use annals_lifecycle::{job, task};
use annals_storage::Reads;
use annals_types::{Timestamp, Watcher};
use parking_lot::{Condvar, Mutex};

use crate::Engine;
use crate::jobs::tasks::TaskKind;
use crate::{Error, Mode};

/// The longest sleep: the system's clock may be set while the thread waits, or stand still while
/// the machine sleeps.
const LONGEST: Duration = Duration::from_secs(60);
/// Milliseconds until the next attempt after the file could not be read or written.
const AFTER_FAILURE: i64 = 600_000;

/// Runs the jobs of all profiles when they are due, on a thread of its own.
#[derive(Default)]
pub struct Scheduler {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The watcher that the clock calls; it lives as long as this.
    watcher: OnceLock<Arc<Watcher>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How often something happened that may make jobs due.
    asked: u64,
    /// Up to which of these it has looked.
    seen: u64,
    busy: bool,
    stop: bool,
    runs: bool,
}

impl Shared {
    fn ask(&self) {
        self.state.lock().asked += 1;
        self.changed.notify_all();
    }
}

impl Scheduler {
    /// Begins to run jobs; those that are due at a start are due now.
    pub(crate) fn start(&self, engine: &Arc<Engine>) -> Result<(), Error> {
        let shared = Arc::clone(&self.shared);
        let watcher: &Arc<Watcher> = self.watcher.get_or_init(|| Arc::new(move || shared.ask()));
        engine.clock.watch(Arc::downgrade(watcher));
        {
            let mut state = self.shared.state.lock();
            (state.asked, state.runs) = (state.asked + 1, true);
        }
        let (shared, engine) = (Arc::clone(&self.shared), Arc::downgrade(engine));
        let spawned = std::thread::Builder::new()
            .name("annals-jobs".to_owned())
            .spawn(move || run(&shared, &engine));
        *self.thread.lock() =
            Some(spawned.map_err(|error| Error::io("starting the thread that runs jobs", error))?);
        Ok(())
    }

    /// Has it look again: a namespace got a profile, or work was queued.
    pub fn ask(&self) {
        if self.shared.state.lock().runs {
            self.shared.ask();
        }
    }

    /// Waits until all that was due when this was called is done.
    pub fn wait_idle(&self) {
        let mut state = self.shared.state.lock();
        while state.runs && !state.stop && (state.busy || state.seen != state.asked) {
            self.shared.changed.wait(&mut state);
        }
    }

    /// Ends the thread, after the batch that it is at; what is left of a job is gone on with at the
    /// next start.
    pub(crate) fn stop(&self) {
        self.shared.state.lock().stop = true;
        self.shared.changed.notify_all();
        let Some(thread) = self.thread.lock().take() else {
            return;
        };
        if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
            tracing::error!("the thread that runs jobs had panicked");
        }
    }
}

fn run(shared: &Shared, engine: &Weak<Engine>) {
    let mut start = true;
    let mut next: Option<Timestamp> = None;
    loop {
        let told = {
            let mut state = shared.state.lock();
            if state.stop {
                return;
            }
            let told = state.seen != state.asked;
            (state.seen, state.busy) = (state.asked, true);
            told
        };
        let Some(engine) = engine.upgrade() else {
            return;
        };
        let now = engine.now();
        if told || next.is_some_and(|next| next <= now) {
            let kept =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.keep_up(start)));
            next = match kept {
                Ok(Ok(next)) => next,
                Ok(Err(error)) => {
                    tracing::warn!(%error, "jobs could not be run; it is tried again later");
                    Some(now.plus_millis(AFTER_FAILURE))
                }
                Err(panic) => {
                    engine.worker.poison(&*panic);
                    let mut state = shared.state.lock();
                    (state.busy, state.runs) = (false, false);
                    shared.changed.notify_all();
                    return;
                }
            };
            start = false;
        }
        let wait = next.map_or(LONGEST, |next| until(next.millis_since(engine.now())));
        drop(engine);
        let mut state = shared.state.lock();
        state.busy = false;
        shared.changed.notify_all();
        if state.seen == state.asked && !state.stop {
            shared.changed.wait_for(&mut state, wait);
        }
    }
}

/// How long to sleep for so many milliseconds.
fn until(millis: i64) -> Duration {
    // Not at once again, whatever is due: what cannot be done now is not tried in a circle.
    Duration::from_millis(u64::try_from(millis).unwrap_or(0).max(50)).min(LONGEST)
}

impl Engine {
    /// Runs what is due; answers when to look again.
    fn keep_up(&self, start: bool) -> Result<Option<Timestamp>, Error> {
        for report in self.upkeep((false, start), Mode::Commit)? {
            let counts: Vec<_> = report
                .steps
                .iter()
                .map(|step| (step.step.as_str(), &step.counts))
                .collect();
            tracing::info!(
                profile = report.profile,
                job = report.job,
                why = &*report.why,
                ?counts,
                "a job ran"
            );
        }
        let snapshot = self.snapshot()?;
        let now = self.now();
        let mut next = super::ends::next(&snapshot)?;
        let mut sooner = |moment: Option<Timestamp>| next = next.into_iter().chain(moment).min();
        for (profile, _) in self.profiles_in_use(&snapshot)? {
            let jobs = (profile.settings.jobs.as_slice(), profile.policy.zone());
            let (_, later) = job::due_jobs(&snapshot, profile.lane(&snapshot)?, jobs, now, false)?;
            sooner(later);
            sooner(self.next_task(&snapshot, &profile)?);
        }
        Ok(next)
    }

    /// When the next piece of background work may be begun that somebody here can do.
    fn next_task(
        &self,
        reads: &dyn Reads,
        profile: &super::compiled::CompiledProfile,
    ) -> Result<Option<Timestamp>, Error> {
        let mut next = None;
        for kind in TaskKind::ALL
            .iter()
            .filter(|kind| self.can(**kind, profile))
        {
            if let Some(lane) = kind.lane(reads, profile)? {
                next = next.into_iter().chain(task::next_ready(reads, lane)?).min();
            }
        }
        Ok(next)
    }
}
