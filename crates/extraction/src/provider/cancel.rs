use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
#[cfg(feature = "http")]
use std::time::Instant;

/// Tells a call that its answer is not wanted any more. Copies share one state.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<(Mutex<bool>, Condvar)>);

impl Cancel {
    /// One that has not been used.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels every call that holds a copy, at once and for good.
    pub fn cancel(&self) {
        let (done, bell) = &*self.0;
        *done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
    }

    /// Whether it was used.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until it is used; answers whether it was.
    #[must_use]
    pub fn wait(&self, time: Duration) -> bool {
        let (done, bell) = &*self.0;
        let guard = done.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = bell.wait_timeout_while(guard, time, |done| !*done);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for what another thread makes, or until it is used. `ready` is asked whenever [`ring`](Self::ring) rings.
    #[cfg(feature = "http")]
    pub(crate) fn wait_for<T>(&self, until: Instant, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
        let (done, bell) = &*self.0;
        let mut guard = done.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(value) = ready() {
                return Some(value);
            }
            let left = until.saturating_duration_since(Instant::now());
            if *guard || left.is_zero() {
                return None;
            }
            guard = bell.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Wakes whoever waits in [`wait_for`](Self::wait_for).
    #[cfg(feature = "http")]
    pub(crate) fn ring(&self) {
        // The lock orders this after the waiter's look and before its sleep.
        drop(self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }
}
