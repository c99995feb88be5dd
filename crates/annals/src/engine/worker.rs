//! The background thread that folds, merges and builds, outside the write path.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock, Weak};
use std::thread::JoinHandle;

use annals_types::NamespaceId;
use parking_lot::{Condvar, Mutex};

use super::Engine;
use crate::Error;

/// A queue of namespaces with something to do, and the thread that works on it. The thread starts with the first entry.
#[derive(Default)]
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    engine: OnceLock<Weak<Engine>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    poisoned: OnceLock<String>,
}

impl Shared {
    fn poison(&self, panic: &(dyn std::any::Any + Send)) {
        let message = panic.downcast_ref::<&str>().map(ToString::to_string);
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        let _first_stays = self.poisoned.set(format!("the background thread panicked: {message}"));
        self.changed.notify_all();
    }
}

#[derive(Default)]
struct State {
    queue: VecDeque<NamespaceId>,
    busy: bool,
    stop: bool,
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

    /// Waits until there is nothing left to do.
    pub(crate) fn wait_idle(&self) -> Result<(), Error> {
        let mut state = self.shared.state.lock();
        while (state.busy || !state.queue.is_empty()) && !state.stop && self.shared.poisoned.get().is_none() {
            self.shared.changed.wait(&mut state);
        }
        drop(state);
        self.check()
    }

    /// Ends the thread, after the step it is at.
    pub(crate) fn stop(&self) {
        self.shared.state.lock().stop = true;
        self.shared.changed.notify_all();
        let Some(thread) = self.thread.lock().take() else { return };
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
        let Some(engine) = self.engine.get().cloned() else { return };
        let shared = Arc::clone(&self.shared);
        let spawned = std::thread::Builder::new().name("annals-worker".to_owned()).spawn(move || run(&shared, &engine));
        match spawned {
            Ok(handle) => *thread = Some(handle),
            Err(error) => tracing::warn!(%error, "no thread for background work; indexes are not folded"),
        }
    }
}

fn run(shared: &Shared, engine: &Weak<Engine>) {
    loop {
        let namespace = {
            let mut state = shared.state.lock();
            state.busy = false;
            shared.changed.notify_all();
            loop {
                if state.stop {
                    return;
                }
                if let Some(next) = state.queue.pop_front() {
                    state.busy = true;
                    break next;
                }
                shared.changed.wait(&mut state);
            }
        };
        let Some(engine) = engine.upgrade() else { return };
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| engine.maintain(namespace)));
        match worked {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(namespace = namespace.0, %error, "background work failed; it is tried again later")
            }
            Err(panic) => return shared.poison(&*panic),
        }
    }
}
