use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Timestamp;

/// Where the time comes from. Nothing in annals reads the system clock except through this trait.
pub trait Clock: Send + Sync + 'static {
    /// The current moment.
    fn now(&self) -> Timestamp;
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// A clock that moves only when told to. Clones share the same hands.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(start.as_millis())))
    }

    /// Moves the hands to `moment`, forwards or backwards.
    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_millis(), Ordering::SeqCst);
    }

    /// Moves the hands by `millis` milliseconds.
    pub fn advance_millis(&self, millis: i64) {
        self.set(self.now().plus_millis(millis));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}
