//! Background work.

use annals_lifecycle::task::{self, Task, TaskState};
use annals_storage::Reads;
use annals_types::NamespaceId;
use tracing::instrument;

use super::Namespace;
use crate::engine::compiled::CompiledProfile;
use crate::engine::tasks::{TaskKind, subject};
use crate::engine::{bulk, remarks};
use crate::{Error, Missing, QueueState, QueuedTask, Remark};

impl Namespace {
    /// At most `limit` pieces of background work of this namespace, in the order in which they were queued: conversations to be
    /// looked through, and memories to be derived again because one of several sources is gone, which jobs do by whoever the options name and
    /// which wait without one; and deletions that go on in the background.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn queue(&self, limit: usize) -> Result<Vec<QueuedTask>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let profile = self.engine.profiles.of(&snapshot, namespace)?;
        let mut found = Vec::new();
        for task in task::tasks(&snapshot, namespace, 0, usize::MAX)? {
            if found.len() == limit {
                break;
            }
            let Some(word) = word(&snapshot, &profile, &task)? else { continue };
            let deleting = self.engine.deleting.lock().contains(&(namespace, task.number));
            let task = queued(word, task);
            found.push(match deleting {
                true => QueuedTask { state: QueueState::Running, next: None, ..task },
                false => task,
            });
        }
        Ok(found)
    }

    /// What models answered about conversations of this namespace that was not done, the latest answer first, at most so many answers. It goes
    /// with the turns that were asked about.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn remarks(&self, limit: usize) -> Result<Vec<Remark>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        remarks::latest(&self.engine.snapshot()?, namespace, limit)
    }

    /// Lets a piece of background work be begun now, with its attempts counted anew; also one that was given up.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) while it is being worked on.
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn retry_task(&self, number: u64) -> Result<(), Error> {
        let now = self.engine.now();
        let ns = self.id()?.ok_or_else(|| unknown(number))?;
        self.engine.write(ns, |cx| {
            known(cx.txn, cx.ns, cx.profile, number)?;
            Ok(task::retry(cx.txn, cx.ns, number, now)?)
        })
    }

    /// The same for all that failed and waits for its next attempt; answers how many that were. What was given up stays so.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn retry_waiting(&self) -> Result<u64, Error> {
        self.retry_each(|task| matches!(task.state, TaskState::Waiting(_)))
    }

    /// The same with what was given up.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn retry_all(&self) -> Result<u64, Error> {
        self.retry_each(|task| !matches!(task.state, TaskState::Claimed(_)))
    }

    fn retry_each(&self, wanted: impl Fn(&Task) -> bool + Send + Sync) -> Result<u64, Error> {
        let Some(ns) = self.id()? else { return Ok(0) };
        let now = self.engine.now();
        let mut count = 0;
        self.engine.write(ns, |cx| {
            count = 0;
            for task in task::tasks(cx.txn, cx.ns, 0, usize::MAX)? {
                // What waits for its moment, and never failed, goes on waiting for it.
                let failed = task.attempts > 0 && wanted(&task);
                if failed && word(cx.txn, cx.profile, &task)?.is_some() {
                    task::retry(cx.txn, cx.ns, task.number, now)?;
                    count += 1;
                }
            }
            Ok(())
        })?;
        Ok(count)
    }

    /// Takes a piece of background work out of the queue.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn drop_task(&self, number: u64) -> Result<(), Error> {
        let ns = self.id()?.ok_or_else(|| unknown(number))?;
        self.engine.write(ns, |cx| {
            known(cx.txn, cx.ns, cx.profile, number)?;
            Ok(task::discard(cx.txn, cx.ns, number)?)
        })
    }
}

fn unknown(number: u64) -> Error {
    Error::not_found(Missing::Task, format!("there is no background work with number {number}"))
}

/// Refuses a number that is no piece of background work: reviews are decided, not dropped.
fn known(reads: &dyn Reads, ns: NamespaceId, profile: &CompiledProfile, number: u64) -> Result<(), Error> {
    let task = task::get(reads, ns, number)?;
    let word = task.map(|task| word(reads, profile, &task)).transpose()?.flatten();
    match word {
        Some(_) => Ok(()),
        None => Err(unknown(number)),
    }
}

/// The word for a piece of background work; `None` for what nobody needs to do anything about, and for a review.
fn word(reads: &dyn Reads, profile: &CompiledProfile, task: &Task) -> Result<Option<&'static str>, Error> {
    let kind = TaskKind::of(reads, profile, task.lane)?;
    Ok(match kind {
        Some(kind) if kind.is_a_look() => None,
        Some(kind) => Some(kind.as_str()),
        None => (bulk::lane(reads)? == Some(task.lane)).then_some(bulk::WORD),
    })
}

fn queued(word: &str, task: Task) -> QueuedTask {
    let (state, next) = match task.state {
        TaskState::Waiting(at) => (QueueState::Waiting, Some(at)),
        TaskState::Claimed(until) => (QueueState::Running, Some(until)),
        TaskState::Dead => (QueueState::Dead, None),
    };
    QueuedTask {
        number: task.number,
        kind: word.to_owned(),
        memory: subject(&task),
        state,
        next,
        queued_at: task.queued_at,
        attempts: task.attempts,
        last_error: task.error,
    }
}
