//! Background work.

use std::collections::BTreeMap;

use annals_lifecycle::task::{self, Task, TaskState};
use annals_storage::Reads;
use annals_types::{Cancel, Filter, NamespaceId};
use tracing::instrument;

use crate::handles::{Far as _, Namespace, Target};
use crate::{Error, QueueState, QueuedTask, Remark};
use annals_curation::{cursors, remarks};
use annals_engine::Refusal;
use annals_engine::bulk;
use annals_engine::compiled::CompiledProfile;
use annals_engine::jobs::tasks::{TaskKind, subject};

handles! {
    /// Background work of a namespace.
    pub struct Queue;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "companion")?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?])?;
        /// user.session("monday").extract()?;
        /// let task = user.queue().list(10)?.remove(0);
        /// user.queue().drop(task.number)?;
        /// assert!(user.queue().list(10)?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "companion").await?;
        /// user.sessions().append(vec![annals::NewTurn::builder("monday", "My cat is called Momo.").build()?]).await?;
        /// user.session("monday").extract().await?;
        /// assert_eq!(user.queue().list(10).await?.len(), 1);
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Queue {
    pub(super) space: Namespace,
}

calls! {
    for Queue;

    here {
        /// Does the background work of this namespace as [`work_off`](Self::work_off) until it is
        /// cancelled: then what a model is being asked is given up, its work is put back as if it
        /// had not been begun, and counted as `cancelled`; the rest is not begun.
        ///
        /// # Errors
        /// As [`work_off`](Self::work_off); [`ErrorKind::NotShared`](crate::ErrorKind::NotShared)
        /// through the owner of a file.
        fn work_off_until(cancel: lend(Cancel)) -> BTreeMap<String, u64>;
    }

    calls {
        /// Queues every turn of the namespace that has not been looked through, in pieces of ten
        /// turns, or of whole sessions where the profile looks through these. Answers how many
        /// pieces that were.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn extract_all() -> u64;

        /// At most `limit` pieces of background work of this namespace, in the order in which they
        /// were queued: conversations to be looked through, and memories to be derived again
        /// because one of several sources is gone, which jobs do by whoever the options name and
        /// which wait without one; and deletions that go on in the background.
        ///
        /// # Errors
        /// When they cannot be read.
        fn list(limit: own(usize)) -> Vec<QueuedTask>;

        /// What models answered about conversations of this namespace that was not done, the latest
        /// answer first, at most so many answers. It goes with the turns that were asked about.
        ///
        /// # Errors
        /// When it cannot be read.
        fn remarks(limit: own(usize)) -> Vec<Remark>;

        /// Lets a piece of background work be begun now, with its attempts counted anew; also one
        /// that was given up.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) while it is being worked on.
        fn retry(number: own(u64)) -> ();

        /// The same for all that failed and waits for its next attempt; answers how many that were.
        /// What was given up stays so.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn retry_waiting() -> u64;

        /// The same with what was given up.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn retry_all() -> u64;

        /// Takes a piece of background work out of the queue.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn drop(number: own(u64)) -> ();

        /// Has all memories deleted for good that pass a filter now, as
        /// [`delete_where`](crate::Bulk::delete_where) does; answers the number of the work in
        /// [`list`](Self::list) at once. A thread of the memory deletes them in batches, one
        /// transaction each, and goes on with the next opening where it was cut off; so does
        /// [`maintain`](crate::Memory::maintain). [`drop`](Self::drop) stops it: what is not
        /// deleted by then stays. Memories that are stored or changed after this call stay.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace;
        /// otherwise when the file cannot be read or written.
        fn delete(filter: lend(Filter)) -> u64;
        example {
            /// ```
            /// use annals::Filter;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("I live in Berlin.")?;
            /// user.queue().delete(&Filter::default())?;
            /// memory.wait_idle()?;
            /// assert_eq!(user.admin().stats()?.memories, 0);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }
    }

    wire {
        fn work_off() -> BTreeMap<String, u64>;
    }
}

impl Queue {
    pub(crate) fn list(&self, limit: usize) -> Result<Vec<QueuedTask>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        let snapshot = self.space.engine.snapshot()?;
        let profile = self.space.engine.profiles.of(&snapshot, namespace)?;
        let mut found = Vec::new();
        for task in task::tasks(&snapshot, namespace, 0, usize::MAX)? {
            if found.len() == limit {
                break;
            }
            let Some(word) = word(&snapshot, &profile, &task)? else {
                continue;
            };
            let deleting = self
                .space
                .engine
                .deleting
                .lock()
                .contains(&(namespace, task.number));
            let task = queued(word, task);
            found.push(match deleting {
                true => QueuedTask {
                    state: QueueState::Running,
                    next: None,
                    ..task
                },
                false => task,
            });
        }
        Ok(found)
    }

    pub(crate) fn remarks(&self, limit: usize) -> Result<Vec<Remark>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(Vec::new());
        };
        remarks::latest(&self.space.engine.snapshot()?, namespace, limit)
    }

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn retry(&self, number: u64) -> Result<(), Error> {
        let now = self.space.engine.now();
        let ns = self.space.id()?.ok_or_else(|| unknown(number))?;
        self.space.engine.write(ns, |cx| {
            known(cx.txn, cx.ns, cx.profile, number)?;
            Ok(task::retry(cx.txn, cx.ns, number, now)?)
        })
    }

    pub(crate) fn retry_waiting(&self) -> Result<u64, Error> {
        self.retry_each(|task| matches!(task.state, TaskState::Waiting(_)))
    }

    pub(crate) fn retry_all(&self) -> Result<u64, Error> {
        self.retry_each(|task| !matches!(task.state, TaskState::Claimed(_)))
    }

    fn retry_each(&self, wanted: impl Fn(&Task) -> bool + Send + Sync) -> Result<u64, Error> {
        let Some(ns) = self.space.id()? else {
            return Ok(0);
        };
        let now = self.space.engine.now();
        let mut count = 0;
        self.space.engine.write(ns, |cx| {
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

    #[instrument(level = "debug", skip(self), fields(namespace = %self.space.name))]
    pub(crate) fn drop(&self, number: u64) -> Result<(), Error> {
        let ns = self.space.id()?.ok_or_else(|| unknown(number))?;
        self.space.engine.write_kept(ns, |cx| {
            known(cx.txn, cx.ns, cx.profile, number)?;
            Ok(task::discard(cx.txn, cx.ns, number)?)
        })
    }

    pub(crate) fn extract_all(&self) -> Result<u64, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(0);
        };
        self.space.engine.write(namespace, cursors::queue_all)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn work_off_until(&self, cancel: &Cancel) -> Result<BTreeMap<String, u64>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(BTreeMap::new());
        };
        let profile = self
            .space
            .engine
            .profiles
            .of(&self.space.engine.snapshot()?, namespace)?;
        self.space
            .engine
            .work_off_all(&profile, &[(namespace, self.space.name.clone())], cancel)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn delete(&self, filter: &Filter) -> Result<u64, Error> {
        self.space
            .engine
            .order_deletion(self.space.existing()?, filter)
    }
}

fn unknown(number: u64) -> Error {
    Refusal::NoTask { number }.into()
}

/// Refuses a number that is no piece of background work: reviews are decided, not dropped.
fn known(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &CompiledProfile,
    number: u64,
) -> Result<(), Error> {
    let task = task::get(reads, ns, number)?;
    let word = task
        .map(|task| word(reads, profile, &task))
        .transpose()?
        .flatten();
    match word {
        Some(_) => Ok(()),
        None => Err(unknown(number)),
    }
}

/// The word for a piece of background work; `None` for what nobody needs to do anything about, and
/// for a review.
fn word(
    reads: &dyn Reads,
    profile: &CompiledProfile,
    task: &Task,
) -> Result<Option<&'static str>, Error> {
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

impl Queue {
    fn work_off(&self) -> Result<BTreeMap<String, u64>, Error> {
        self.work_off_until(&Cancel::new())
    }
}

impl blocking::Queue {
    /// Does the background work of this namespace that may be begun now, each piece once, without
    /// waiting for a job. Answers what came of it, counted by word: `extracted`, `interpreted`,
    /// `compared` ...; `failed` counts conversations, `interpret failed` and the like other work,
    /// `waiting` what nobody is there for.
    ///
    /// # Errors
    /// When the file cannot be read or written. A model that fails is no error: its work is tried
    /// again later.
    pub fn work_off(&self) -> Result<BTreeMap<String, u64>, Error> {
        match &self.0 {
            Target::Here(queue) => queue.work_off(),
            Target::Far(far) => far.call("work_off", &(), annals_share::Lent::default()),
        }
    }
}

impl asynchronous::Queue {
    /// Does the background work of this namespace that may be begun now, each piece once, without
    /// waiting for a job. Answers what came of it, counted by word: `extracted`, `interpreted`,
    /// `compared` ...; `failed` counts conversations, `interpret failed` and the like other work,
    /// `waiting` what nobody is there for. When the future is dropped, what a model is being asked
    /// is given up: that work is put back as if it had not been begun.
    ///
    /// # Errors
    /// When the file cannot be read or written. A model that fails is no error: its work is tried
    /// again later.
    pub async fn work_off(&self) -> Result<BTreeMap<String, u64>, Error> {
        if matches!(self.0.0, Target::Far(_)) {
            return self.run(blocking::Queue::work_off).await;
        }
        let cancel = Cancel::new();
        let _abandoned = Abandoned(cancel.clone());
        self.work_off_until(cancel).await
    }
}

/// Cancels the work of a future that is dropped.
struct Abandoned(Cancel);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
