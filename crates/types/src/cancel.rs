use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

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

    /// Waits until `ready` answers a value, the moment `until` is reached or it is used. `ready` is
    /// asked at once and whenever [`ring`](Self::ring) is called. It must not use the same
    /// `Cancel`.
    pub fn wait_for<T>(&self, until: Instant, mut ready: impl FnMut() -> Option<T>) -> Option<T> {
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
            guard = bell
                .wait_timeout(guard, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Wakes the threads that wait in [`wait_for`](Self::wait_for), so that they ask `ready` again.
    pub fn ring(&self) {
        // The lock orders this after the waiter's look and before its sleep.
        drop(self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_wait_ends_when_it_is_used_or_its_time_is_over() {
        let cancel = Cancel::new();
        assert!(!cancel.wait(Duration::from_millis(1)) && !cancel.is_cancelled());
        let copy = cancel.clone();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.wait(LONG));
            copy.cancel();
            assert!(waiting.join().unwrap());
        });
        assert!(cancel.is_cancelled() && cancel.wait(LONG), "for good");
    }

    #[test]
    fn a_value_of_another_thread_is_waited_for() {
        let (cancel, slot) = (Cancel::new(), Mutex::new(None));
        let take = || slot.lock().unwrap().take();
        assert_eq!(
            cancel.wait_for(Instant::now(), take),
            None,
            "its time is over"
        );
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cancel.wait_for(Instant::now() + LONG, take));
            *slot.lock().unwrap() = Some(7);
            cancel.ring();
            assert_eq!(waiting.join().unwrap(), Some(7));
        });
        cancel.cancel();
        assert_eq!(cancel.wait_for(Instant::now() + LONG, take), None);
        *slot.lock().unwrap() = Some(8);
        assert_eq!(
            cancel.wait_for(Instant::now() + LONG, take),
            Some(8),
            "a value that is there counts"
        );
    }
}
