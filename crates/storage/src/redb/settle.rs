//! When a commit records the allocator state, so that opening after a kill need not read the whole file.
//!
//! Measured with redb 4.4 on a file of 2.1 GB (1.2 million rows of six values each; examples/open_after_kill.rs):
//!
//! | | plain commit | quick-repair commit |
//! |---|---|---|
//! | one value of 1.5 KB, p50 | 0.14 ms | 0.34 ms |
//! | six values in six keyspaces, p50 | 0.30 ms | 0.49 ms |
//! | open after kill -9 | 1,840 ms | 0.8 ms |
//!
//! The time to open after a plain commit grows with the file, by about 0.9 s for each GB. So:
//!
//! - Below 256 MiB every commit is plain: the worst case is a quarter of a second.
//! - Above, a commit of 32 KiB and more (an import, a group of many writers) records the state; it hardly notices.
//! - A small commit is plain, and when 20 ms have passed without another one a thread records the state. The thread starts with
//!   the first such commit and is joined when the engine is dropped.
//! - When small commits keep coming for more than a second without such a pause, each of them records the state.
//!
//! What is left: a kill less than 20 ms after a lone write, or within the first second of a burst of small ones, on a large
//! file, costs the long way at the next start. Nothing is lost by it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Core;

/// From this size on the allocator state is recorded.
const LARGE_FILE: u64 = 256 << 20;

/// A commit of so many bytes records the state at once.
const LARGE_COMMIT: usize = 32 << 10;

/// How long nothing must have been written before the state is recorded on the side.
const PAUSE: Duration = Duration::from_millis(20);

/// How long small commits may keep coming before each records the state.
const BURST: Duration = Duration::from_secs(1);

/// The small commits since the file was last at rest.
#[derive(Debug, Default)]
pub(super) struct Burst {
    began: Option<Instant>,
    /// Whether the last commit did not record the state.
    open: bool,
}

impl Burst {
    pub(super) fn wants_quick_repair(&mut self, file_bytes: u64, commit_bytes: usize, now: Instant) -> bool {
        if file_bytes < LARGE_FILE {
            return false;
        }
        let began = *self.began.get_or_insert(now);
        commit_bytes >= LARGE_COMMIT || now.duration_since(began) > BURST
    }

    pub(super) fn committed(&mut self, quick: bool) {
        self.open = !quick;
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether the thread has something to do: to record the state, or to notice the pause.
    pub(super) fn is_due(&self, file_bytes: u64) -> bool {
        file_bytes >= LARGE_FILE && self.began.is_some()
    }

    pub(super) fn settled(&mut self) {
        *self = Self::default();
    }
}

/// The thread that waits for a pause.
#[derive(Debug, Default)]
pub(super) struct Settler {
    bell: Arc<Bell>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Bell {
    state: Mutex<Ring>,
    rang: Condvar,
}

#[derive(Debug, Default)]
struct Ring {
    due: Option<Instant>,
    stop: bool,
}

impl Settler {
    /// There was a small commit just now.
    pub(super) fn wake(&self, core: &Arc<Core>) {
        let idle = {
            let mut ring = self.bell.state.lock();
            ring.due.replace(Instant::now() + PAUSE).is_none()
        };
        if !idle {
            return; // It looks again when its time is over.
        }
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let (bell, core) = (Arc::clone(&self.bell), Arc::clone(core));
            let started = std::thread::Builder::new().name("annals-settle".into()).spawn(move || bell.serve(&core));
            match started {
                Ok(handle) => *thread = Some(handle),
                Err(error) => tracing::warn!(%error, "cannot start the thread that settles the file"),
            }
        }
        self.bell.rang.notify_one();
    }
}

impl Bell {
    fn serve(&self, core: &Core) {
        let mut ring = self.state.lock();
        while !ring.stop {
            match ring.due {
                None => self.rang.wait(&mut ring),
                Some(due) if due > Instant::now() => {
                    self.rang.wait_until(&mut ring, due);
                }
                Some(_) => {
                    ring.due = None;
                    drop(ring);
                    if let Err(error) = core.settle() {
                        tracing::warn!(%error, "could not settle the file; a start after a crash will take longer");
                    }
                    ring = self.state.lock();
                }
            }
        }
    }
}

impl Drop for Settler {
    fn drop(&mut self) {
        self.bell.state.lock().stop = true;
        self.bell.rang.notify_one();
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::warn!("the thread that settles the file had panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: usize = 1500;

    #[test]
    fn a_small_file_pays_nothing() {
        let mut burst = Burst::default();
        let now = Instant::now();
        for seconds in 0..5 {
            assert!(!burst.wants_quick_repair(LARGE_FILE - 1, LARGE_COMMIT, now + Duration::from_secs(seconds)));
            burst.committed(false);
            assert!(!burst.is_due(LARGE_FILE - 1));
        }
    }

    #[test]
    fn a_large_file_pays_with_large_commits_and_after_a_second_of_small_ones() {
        let mut burst = Burst::default();
        let now = Instant::now();
        let after = |millis| now + Duration::from_millis(millis);
        assert!(!burst.wants_quick_repair(LARGE_FILE, SMALL, now));
        burst.committed(false);
        assert!(burst.is_open() && burst.is_due(LARGE_FILE));
        assert!(burst.wants_quick_repair(LARGE_FILE, LARGE_COMMIT, after(1)));
        burst.committed(true);
        assert!(!burst.is_open() && burst.is_due(LARGE_FILE));
        assert!(!burst.wants_quick_repair(LARGE_FILE, SMALL, after(1000)));
        assert!(burst.wants_quick_repair(LARGE_FILE, SMALL, after(1001)));
        burst.settled();
        assert!(!burst.is_due(LARGE_FILE));
        assert!(!burst.wants_quick_repair(LARGE_FILE, SMALL, after(1002)));
    }
}
