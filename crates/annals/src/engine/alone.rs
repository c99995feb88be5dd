//! Runs of jobs that take turns: those of one profile, which treat the same namespaces.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Mutex, ReentrantMutex};

use super::rulebooks::Rulebook;
use crate::Error;

/// A lock for the jobs of each profile. A model that the jobs of one wait for keeps those of no other.
#[derive(Default)]
pub(super) struct Alone(Mutex<HashMap<String, Arc<ReentrantMutex<()>>>>);

impl Alone {
    /// Runs something when no other thread runs jobs of a profile.
    ///
    /// # Errors
    /// When this thread runs jobs itself: a judge or another helper of a run asked for one. What the work itself answers, otherwise.
    pub(super) fn run<T>(&self, rulebook: &Rulebook, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let own = {
            let mut locks = self.0.lock();
            if locks.values().any(|lock| lock.is_owned_by_current_thread()) {
                return Err(Error::name_taken(
                    "jobs are running on this very thread; let that run come to its end first",
                ));
            }
            Arc::clone(locks.entry(rulebook.name.as_str().to_owned()).or_default())
        };
        let _alone = own.lock();
        work()
    }
}
