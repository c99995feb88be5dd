use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Timestamp;

/// A function that is called when a clock was moved.
pub type Watcher = dyn Fn() + Send + Sync;

/// Where the time comes from. Nothing in annals reads the system clock except through this trait.
pub trait Clock: Send + Sync + 'static {
    /// The current moment.
    fn now(&self) -> Timestamp;

    /// Has a watcher called, as long as it lives, each time that the clock is moved otherwise than
    /// by time that passes. A thread that waits for a moment needs it; a clock that only runs has
    /// nothing to tell.
    fn watch(&self, _watcher: Weak<Watcher>) {}
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A clock that moves only when told to. Clones share the same hands.
#[derive(Clone)]
pub struct ManualClock(Arc<ClockState>);

struct ClockState {
    at: AtomicI64,
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(ClockState {
            at: AtomicI64::new(start.as_millis()),
            watchers: Mutex::default(),
        }))
    }

    /// Moves the hands to `moment`, forwards or backwards.
    pub fn set(&self, moment: Timestamp) {
        self.0.at.store(moment.as_millis(), Ordering::SeqCst);
        let watchers: Vec<Arc<Watcher>> = {
            let mut watchers = self.watchers();
            watchers.retain(|watcher| watcher.strong_count() > 0);
            watchers.iter().filter_map(Weak::upgrade).collect()
        };
        watchers.iter().for_each(|watcher| watcher());
    }

    /// Moves the hands by `millis` milliseconds.
    pub fn advance_millis(&self, millis: i64) {
        self.set(self.now().plus_millis(millis));
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<Weak<Watcher>>> {
        self.0
            .watchers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ManualClock").field(&self.now()).finish()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.at.load(Ordering::SeqCst))
    }

    fn watch(&self, watcher: Weak<Watcher>) {
        self.watchers().push(watcher);
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn watch(&self, watcher: Weak<Watcher>) {
        (**self).watch(watcher);
    }
}
