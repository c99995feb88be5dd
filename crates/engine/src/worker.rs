//! The background thread that folds, merges and builds, outside the write path.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_types::{NamespaceId, Timestamp, Watcher};
use parking_lot::{Condvar, Mutex};

use crate::Engine;
use crate::Error;

/// Milliseconds until work that failed is tried again; they double with each further failure.
const FIRST_PAUSE: i64 = 1_000;
/// The longest of these pauses.
const LONGEST_PAUSE: i64 = 600_000;
/// The longest sleep: the system's clock may be set while the thread waits, or stand still while
/// the machine sleeps.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// A queue of namespaces with something to do, and the thread that works on it. The thread starts
/// with the first entry.
#[derive(Default)]
pub struct Worker {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    engine: OnceLock<Weak<Engine>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    poisoned: OnceLock<String>,
    /// The watcher that the clock calls, once a namespace's work has failed; it lives as long as
    /// this.
    watcher: OnceLock<Arc<Watcher>>,
}

impl Shared {
    /// Lets a namespace whose work failed be tried again after a pause.
    fn put_off(self: &Arc<Self>, namespace: NamespaceId, engine: &Arc<Engine>) {
        self.watcher.get_or_init(|| {
            let (shared, owner) = (Arc::downgrade(self), Arc::downgrade(engine));
            let watcher: Arc<Watcher> = Arc::new(move || {
                if let (Some(shared), Some(engine)) = (shared.upgrade(), owner.upgrade()) {
                    shared.state.lock().bring_due(engine.now());
                    shared.changed.notify_all();
                }
            });
            engine.clock.watch(Arc::downgrade(&watcher));
            watcher
        });
        let now = engine.now();
        let mut state = self.state.lock();
        let failed = state.failed.entry(namespace).or_default();
        failed.at = Some(now.plus_millis((FIRST_PAUSE << failed.times.min(16)).min(LONGEST_PAUSE)));
        failed.times += 1;
    }

    fn poison(&self, panic: &(dyn std::any::Any + Send)) {
        let message = panic.downcast_ref::<&str>().map(ToString::to_string);
        let message = message
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let _first_stays = self
            .poisoned
            .set(format!("the background thread panicked: {message}"));
        self.changed.notify_all();
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<NamespaceId>,
    /// Namespaces whose work failed the last time.
    failed: BTreeMap<NamespaceId, Failed>,
    busy: bool,
    stop: bool,
    /// How many entries of the queue were worked on.
    worked: u64,
}

/// Work that failed.
#[derive(Default)]
struct Failed {
    /// When it is tried again; nothing while it is in the queue.
    at: Option<Timestamp>,
    /// How often it failed in a row.
    times: u32,
}

impl State {
    /// Puts what is due again into the queue.
    fn bring_due(&mut self, now: Timestamp) {
        for (namespace, failed) in &mut self.failed {
            if failed.at.is_some_and(|at| at <= now) {
                failed.at = None;
                if !self.queue.contains(namespace) {
                    self.queue.push_back(*namespace);
                }
            }
        }
    }

    /// Whether what failed in a namespace is not to be tried again yet.
    fn rests(&self, namespace: NamespaceId) -> bool {
        self.failed
            .get(&namespace)
            .is_some_and(|failed| failed.at.is_some())
    }

    /// When the next of what failed is tried again.
    fn next(&self) -> Option<Timestamp> {
        self.failed.values().filter_map(|failed| failed.at).min()
    }
}

impl Worker {
    /// Tells the worker whose work it does.
    pub(crate) fn attach(&self, engine: &Arc<Engine>) {
        let _once = self.engine.set(Arc::downgrade(engine));
    }

    /// Fails when the thread has panicked: what it left half-done in memory is not to be trusted.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.shared.poisoned.get() {
            None => Ok(()),
            Some(reason) => Err(Error::poisoned(reason)),
        }
    }

    /// Closes the handle because a background thread panicked.
    pub(crate) fn poison(&self, panic: &(dyn std::any::Any + Send)) {
        self.shared.poison(panic);
    }

    /// Has a namespace looked at.
    pub(crate) fn wake(&self, namespace: NamespaceId) {
        {
            let mut state = self.shared.state.lock();
            if state.stop || state.queue.contains(&namespace) {
                return;
            }
            state.queue.push_back(namespace);
        }
        self.start();
        self.shared.changed.notify_all();
    }

    /// Whether what failed in a namespace is not to be tried again yet, whatever else is to be done
    /// there.
    pub(crate) fn rests(&self, namespace: NamespaceId) -> bool {
        self.shared.state.lock().rests(namespace)
    }

    /// Waits until there is nothing left to do.
    pub fn wait_idle(&self) -> Result<(), Error> {
        let mut state = self.shared.state.lock();
        while (state.busy || !state.queue.is_empty())
            && !state.stop
            && self.shared.poisoned.get().is_none()
        {
            self.shared.changed.wait(&mut state);
        }
        drop(state);
        self.check()
    }

    /// Waits until what is queued now was worked on, whatever is queued meanwhile; answers `false`
    /// where that takes longer than `limit`.
    pub fn wait_queued(&self, limit: Duration) -> Result<bool, Error> {
        let began = Instant::now();
        let mut state = self.shared.state.lock();
        let queued = u64::try_from(state.queue.len()).unwrap_or(u64::MAX);
        let until = state
            .worked
            .saturating_add(queued)
            .saturating_add(u64::from(state.busy));
        while state.worked < until && !state.stop && self.shared.poisoned.get().is_none() {
            let Some(left) = limit
                .checked_sub(began.elapsed())
                .filter(|left| !left.is_zero())
            else {
                return Ok(false);
            };
            self.shared.changed.wait_for(&mut state, left);
        }
        drop(state);
        self.check()?;
        Ok(true)
    }

    /// Ends the thread, after the step it is at.
    pub(crate) fn stop(&self) {
        self.shared.state.lock().stop = true;
        self.shared.changed.notify_all();
        let Some(thread) = self.thread.lock().take() else {
            return;
        };
        if thread.join().is_err() {
            tracing::error!("the background thread had panicked");
        }
    }

    /// Whether the worker has been asked to stop: long work should end.
    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.state.lock().stop
    }

    fn start(&self) {
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return;
        }
        let Some(engine) = self.engine.get().cloned() else {
            return;
        };
        let shared = Arc::clone(&self.shared);
        let spawned = std::thread::Builder::new()
            .name("annals-worker".to_owned())
            .spawn(move || run(&shared, &engine));
        match spawned {
            Ok(handle) => *thread = Some(handle),
            Err(error) => {
                tracing::warn!(%error, "no thread for background work; indexes are not folded")
            }
        }
    }
}

/// Waits for the next namespace; nothing when the thread is to end.
fn next(shared: &Shared, engine: &Weak<Engine>) -> Option<NamespaceId> {
    let mut state = shared.state.lock();
    state.worked += u64::from(state.busy);
    state.busy = false;
    shared.changed.notify_all();
    loop {
        if state.stop {
            return None;
        }
        if let Some(next) = state.queue.pop_front() {
            state.busy = true;
            return Some(next);
        }
        // The time is asked for only where something waits for it.
        let Some(at) = state.next() else {
            shared.changed.wait(&mut state);
            continue;
        };
        drop(state);
        let now = engine.upgrade()?.now();
        state = shared.state.lock();
        state.bring_due(now);
        if state.queue.is_empty() && !state.stop {
            let left =
                Duration::from_millis(u64::try_from(at.millis_since(now)).unwrap_or(0).max(1));
            shared.changed.wait_for(&mut state, left.min(LONGEST_SLEEP));
        }
    }
}

fn run(shared: &Arc<Shared>, engine: &Weak<Engine>) {
    while let Some(namespace) = next(shared, engine) {
        let Some(engine) = engine.upgrade() else {
            return;
        };
        let worked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.maintain(namespace)));
        match worked {
            Ok(Ok(())) => {
                let mut state = shared.state.lock();
                if !state.rests(namespace) {
                    state.failed.remove(&namespace);
                }
            }
            Ok(Err(error)) => {
                tracing::warn!(namespace = namespace.0, %error, "background work failed; it is tried again later");
                shared.put_off(namespace, &engine);
            }
            Err(panic) => return shared.poison(&*panic),
        }
    }
}
