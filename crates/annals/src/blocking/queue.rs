//! Background work.

use annals_lifecycle::task::{self, Task, TaskState};
use annals_storage::Reads;
use annals_types::NamespaceId;
use tracing::instrument;

use super::Namespace;
use crate::engine::chores::{Chore, subject};
use crate::engine::rulebooks::Rulebook;
use crate::{Error, QueueState, QueuedTask};

impl Namespace {
    /// At most `limit` pieces of background work of this namespace, in the order in which they were queued: conversations to be
    /// looked through, and memories to be derived again because one of several sources is gone. They are done by jobs, by whoever the options name; without one they wait.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn queue(&self, limit: usize) -> Result<Vec<QueuedTask>, Error> {
        let Some(namespace) = self.id()? else { return Ok(Vec::new()) };
        let snapshot = self.engine.snapshot()?;
        let rulebook = self.engine.rulebooks.of(&snapshot, namespace)?;
        let mut found = Vec::new();
        for task in task::tasks(&snapshot, namespace, 0, usize::MAX)? {
            if found.len() == limit {
                break;
            }
            found.extend(Chore::of(&snapshot, &rulebook, task.lane)?.map(|chore| queued(chore, task)));
        }
        Ok(found)
    }

    /// Lets a piece of background work be begun now, with its attempts counted anew; also one that was given up.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn retry_task(&self, number: u64) -> Result<(), Error> {
        let now = self.engine.now();
        self.change_task(|txn, namespace, rulebook| {
            known(&*txn, namespace, rulebook, number)?;
            Ok(task::retry(txn, namespace, number, now)?)
        })
    }

    /// Takes a piece of background work out of the queue.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub fn drop_task(&self, number: u64) -> Result<(), Error> {
        self.change_task(|txn, namespace, rulebook| {
            known(&*txn, namespace, rulebook, number)?;
            Ok(task::discard(txn, namespace, number)?)
        })
    }

    fn change_task(
        &self,
        mut change: impl FnMut(&mut annals_storage::Transaction<'_>, NamespaceId, &Rulebook) -> Result<(), Error> + Send,
    ) -> Result<(), Error> {
        self.engine.write(&self.name, false, |txn, namespace| {
            let rulebook = self.engine.rulebooks.of(&*txn, namespace)?;
            change(txn, namespace, &rulebook)?;
            Ok(((), crate::engine::Change::default()))
        })
    }
}

/// Refuses a number that is no piece of background work: reviews are decided, not dropped.
fn known(reads: &dyn Reads, ns: NamespaceId, rulebook: &Rulebook, number: u64) -> Result<(), Error> {
    let task = task::get(reads, ns, number)?;
    let chore = task.map(|task| Chore::of(reads, rulebook, task.lane)).transpose()?.flatten();
    match chore {
        Some(_) => Ok(()),
        None => Err(Error::not_found(format!("there is no background work with number {number}"))),
    }
}

fn queued(chore: Chore, task: Task) -> QueuedTask {
    let (state, next) = match task.state {
        TaskState::Waiting(at) => (QueueState::Waiting, Some(at)),
        TaskState::Claimed(until) => (QueueState::Running, Some(until)),
        TaskState::Dead => (QueueState::Dead, None),
    };
    QueuedTask {
        number: task.number,
        kind: chore.as_str().to_owned(),
        memory: subject(&task),
        state,
        next,
        queued_at: task.queued_at,
        attempts: task.attempts,
        last_error: task.error,
    }
}
