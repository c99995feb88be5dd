//! Durable background work: each task once under its key, tried until it is done or given up.

mod list;
mod store;
mod work;

use annals_types::{NamespaceId, Timestamp};

use crate::tables::TASKS;
use crate::{Lane, LifecycleError};

pub(crate) use self::list::{by_key, find_many};
pub use self::list::{counts, find, get, next_ready, queued, ready, tasks};
pub use self::store::changed;
pub(crate) use self::store::{Ready, ready_key};
pub use self::work::{
    claim, claim_now, claim_one, discard, enqueue, fail, finish, reclaim, release, retry,
};

/// A piece of background work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Its number within the namespace.
    pub number: u64,
    /// The queue that it is in.
    pub lane: Lane,
    /// The key that makes it the only one of its kind.
    pub key: Vec<u8>,
    /// Its content, in a form that its handler understands.
    pub payload: Vec<u8>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How often it was begun.
    pub attempts: u32,
    /// Where it stands.
    pub state: TaskState,
    /// Why the last attempt failed.
    pub error: String,
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It may be begun from a moment on.
    Waiting(Timestamp),
    /// It was begun, and is given to someone else after a moment.
    Claimed(Timestamp),
    /// It was tried too often.
    Dead,
}

impl Task {
    /// The error for a task whose payload its handler cannot read.
    #[must_use]
    pub fn damaged(&self, reason: impl Into<String>) -> LifecycleError {
        TASKS.damaged((self.namespace, self.number), reason).into()
    }
}

impl TaskState {
    /// When a task that waits may be begun.
    #[must_use]
    pub const fn waits_until(self) -> Option<Timestamp> {
        match self {
            Self::Waiting(at) => Some(at),
            Self::Claimed(_) | Self::Dead => None,
        }
    }
}

/// The result of queueing a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// It is queued under this number.
    New(u64),
    /// One with its key was there already, under this number.
    Already(u64),
}
