//! Counts calls in flight and connected processes, and closes once none is left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// A gate that calls pass while it is open.
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    open: bool,
    /// Since when nobody is let in any more.
    closed: Option<Instant>,
    inside: usize,
    /// The processes that are connected, whether they call or not.
    connected: usize,
    /// When the last call or connection ended.
    quiet: Instant,
}

/// A call inside the gate.
pub(crate) struct Inside(Arc<Gate>);

/// A connected process.
pub(crate) struct Guest(Arc<Gate>);

impl Gate {
    pub(crate) fn new() -> Arc<Self> {
        let state = State {
            open: true,
            closed: None,
            inside: 0,
            connected: 0,
            quiet: Instant::now(),
        };
        Arc::new(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// Lets a call in, unless the gate is closed.
    pub(crate) fn enter(self: &Arc<Self>) -> Option<Inside> {
        let mut state = self.state.lock();
        state.open.then(|| {
            state.inside += 1;
            Inside(Arc::clone(self))
        })
    }

    /// Counts a process as connected, until the answer is dropped.
    pub(crate) fn receive(self: &Arc<Self>) -> Guest {
        self.state.lock().connected += 1;
        Guest(Arc::clone(self))
    }

    /// Whether nobody is let in any more.
    pub(crate) fn is_closed(&self) -> bool {
        !self.state.lock().open
    }

    /// Lets nobody in any more.
    pub(crate) fn shut(&self) {
        self.state.lock().close();
        self.changed.notify_all();
    }

    /// Whether nobody was let in any more for so long.
    pub(crate) fn is_closed_for(&self, long: Duration) -> bool {
        self.state
            .lock()
            .closed
            .is_some_and(|since| since.elapsed() >= long)
    }

    /// Waits until somebody shuts it.
    pub(crate) fn wait_shut(&self) {
        self.changed
            .wait_while(&mut self.state.lock(), |state| state.open);
    }

    /// Waits for so long at most until all are out; answers whether they are.
    pub(crate) fn is_empty_within(&self, wait: Duration) -> bool {
        let mut state = self.state.lock();
        self.changed
            .wait_while_for(&mut state, |state| state.inside > 0, wait);
        state.inside == 0
    }

    /// Closes when no call was inside and no process connected for a while; at once where somebody
    /// else has closed it.
    pub(crate) fn close_when_idle(&self, idle: Duration) {
        let mut state = self.state.lock();
        while state.open {
            let since = state.quiet.elapsed();
            let unused = state.inside == 0 && state.connected == 0;
            if unused && since >= idle {
                state.close();
                break;
            }
            let left = if unused {
                idle.saturating_sub(since)
            } else {
                idle
            };
            self.changed.wait_for(&mut state, left);
        }
        self.changed.notify_all();
    }
}

impl State {
    fn close(&mut self) {
        self.open = false;
        self.closed.get_or_insert_with(Instant::now);
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.inside -= 1;
        state.quiet = Instant::now();
        self.0.changed.notify_all();
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.connected -= 1;
        state.quiet = Instant::now();
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::Gate;

    #[test]
    fn it_closes_when_the_last_call_has_ended() {
        let gate = Gate::new();
        let (inside, left) = (gate.enter().unwrap(), AtomicBool::new(false));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while gate.enter().is_some() {
                    std::thread::yield_now();
                }
                left.store(true, Ordering::SeqCst);
                drop(inside);
            });
            gate.shut();
            while !gate.is_empty_within(Duration::from_millis(5)) {}
            assert!(left.load(Ordering::SeqCst));
        });
        assert!(gate.enter().is_none());
    }

    #[test]
    fn it_closes_by_itself_when_nobody_comes() {
        let gate = Gate::new();
        drop(gate.enter());
        gate.close_when_idle(Duration::from_millis(20));
        assert!(gate.enter().is_none());
    }
}
