//! Group commit.
//!
//! Each writer runs its own job on its own thread, one at a time, on the group being formed: the
//! last state with the group's changes laid over it. Then one of the group's writers commits the
//! whole group while the next one is already being formed on top of it. There is no thread of its
//! own, a lone writer does not wait, and a job that fails takes back only its own changes.
//! Callbacks of a commit run on the thread that committed the group, in the order of commits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;
use std::time::Instant;

use annals_types::{Clock as _, Commit, SystemClock};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::commit_queue::{CommitQueue, Round, Then, Verdict};
use crate::error::panic_message;
use crate::layers::Layers;
use crate::{Batch, Engine, Expected, StorageError, Transaction, format};

/// How many jobs a group may have.
const GROUP_JOBS: usize = 256;

/// How often a group is offered to an engine that gives it up, and how often a job is run again for
/// other reasons.
pub(crate) const ATTEMPTS: u32 = 16;

pub(crate) struct Group {
    pub(crate) engine: Box<dyn Engine>,
    queue: Mutex<CommitQueue>,
    /// Signalled when a full group was taken.
    room: Condvar,
    /// Signalled when as many writers are there as a leader waits for.
    complete: Condvar,
    /// Held while what follows commits is run; taken before the next group may be committed, so
    /// that the order is theirs.
    order: Mutex<()>,
    durable: AtomicU64,
    pub(crate) groups: AtomicU64,
    pub(crate) jobs: AtomicU64,
    poisoned: OnceLock<String>,
    /// The key under which batches say who wrote them.
    writer: Vec<u8>,
    /// The number of the last batch.
    batches: AtomicU64,
    /// The keys of writers that are gone, removed with the next batch.
    old_writers: Mutex<Vec<Vec<u8>>>,
    /// Run when another writer has committed to the engine.
    pub(crate) overtaken: OnceLock<Box<dyn Fn(Commit) + Send + Sync>>,
    /// Run behind what follows the commits of each group.
    pub(crate) after: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// The thread that runs a job, and the one that runs what follows: to notice a write inside a
    /// write.
    running: Mutex<Option<ThreadId>>,
    following: Mutex<Option<ThreadId>>,
}

/// The result of running a job.
pub(crate) struct JobResult<T> {
    pub(crate) value: T,
    pub(crate) commit: Commit,
    pub(crate) wait: Wait,
}

/// The next step after a job.
pub(crate) enum Wait {
    /// Wait for the group.
    For(Ticket),
    /// Everything that the job read is durable, and it changed nothing.
    Nothing(Then),
}

/// A place in the group being formed.
pub(crate) struct Ticket {
    round: Arc<Round>,
    part: Part,
}

/// A writer's duty to its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Commit it at once: nothing is under way.
    Leads,
    /// Commit it when called: it was the first.
    LeadsNext,
    Follows,
}

/// The result of committing a group.
enum Outcome {
    /// It is kept.
    Durable,
    /// It is kept, and another writer has committed on top of it; the state is now at this commit.
    Buried(Commit),
    Failed(StorageError),
    /// It can be read, and may be lost with the power; the state is now at this commit.
    Unsettled(Commit, StorageError),
    /// Another writer has committed to the engine instead; the state is now at this commit.
    Overtaken(Commit),
}

impl Group {
    pub(crate) fn new(engine: Box<dyn Engine>, commit: Commit, old_writers: Vec<Vec<u8>>) -> Self {
        Self {
            engine,
            queue: Mutex::new(CommitQueue::new(commit)),
            room: Condvar::new(),
            complete: Condvar::new(),
            order: Mutex::new(()),
            durable: AtomicU64::new(commit.0),
            groups: AtomicU64::new(0),
            jobs: AtomicU64::new(0),
            poisoned: OnceLock::new(),
            writer: format::writer_key(uuid::Uuid::new_v4().into_bytes()),
            batches: AtomicU64::new(0),
            old_writers: Mutex::new(old_writers),
            overtaken: OnceLock::new(),
            after: OnceLock::new(),
            running: Mutex::new(None),
            following: Mutex::new(None),
        }
    }

    pub(crate) fn durable(&self) -> Commit {
        Commit(self.durable.load(Ordering::Acquire))
    }

    pub(crate) fn check(&self) -> Result<(), StorageError> {
        match self.poisoned.get() {
            Some(reason) => Err(StorageError::Poisoned {
                reason: reason.clone(),
            }),
            None => Ok(()),
        }
    }

    fn poison(&self, reason: String) {
        let _first_reason_stays = self.poisoned.set(reason);
    }

    /// The queue, once there is room in the group being formed.
    fn sit_down(&self, me: ThreadId) -> Result<MutexGuard<'_, CommitQueue>, StorageError> {
        if *self.running.lock() == Some(me) || *self.following.lock() == Some(me) {
            return Err(StorageError::misuse(
                "write: called from inside the job or the callback of a write, where it would wait for \
                 itself; write afterwards",
            ));
        }
        let mut queue = self.queue.lock();
        while queue.members.thens.len() >= GROUP_JOBS {
            self.room.wait(&mut queue);
        }
        self.check()?;
        Ok(queue)
    }

    /// Runs a job on the group being formed. `None`: the engine gave a read up, run it again.
    pub(crate) fn run<T, E: From<StorageError>>(
        &self,
        job: &mut impl FnMut(&mut Transaction<'_>) -> Result<(T, Then), E>,
    ) -> Result<Option<JobResult<T>>, E> {
        let me = std::thread::current().id();
        let mut guard = self.sit_down(me)?;
        let queue = &mut *guard;
        if queue.layers.is_none() {
            let base = match self.engine.snapshot() {
                Ok(snapshot) => Arc::from(snapshot),
                Err(StorageError::Aborted { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            queue.layers = Some(Layers {
                base,
                below: queue.under_way.clone(),
                batch: Batch::default(),
            });
        }
        let Some(layers) = queue.layers.as_mut() else {
            return Ok(None);
        };
        let mut transaction = Transaction::new(layers, queue.last);
        *self.running.lock() = Some(me);
        let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut transaction)));
        *self.running.lock() = None;
        let changed = transaction.has_changes();
        let failed = match outcome {
            _ if transaction.was_aborted() => None,
            Ok(Ok((value, then))) => match if changed { Ok(()) } else { self.settled() } {
                Ok(()) => {
                    let (commit, wait) = self.join(queue, changed, then);
                    return Ok(Some(JobResult {
                        value,
                        commit,
                        wait,
                    }));
                }
                // The state that was read is given up with the failed job.
                Err(error) => Some(error.into()),
            },
            Ok(Err(error)) => Some(error),
            Err(panic) => Some(
                StorageError::JobPanicked {
                    message: panic_message(&*panic),
                }
                .into(),
            ),
        };
        transaction.roll_back();
        if queue.members.thens.is_empty() {
            queue.layers = None;
        }
        failed.map_or(Ok(None), Err)
    }

    /// Refuses where what can be read is not durable: a job that changes nothing would acknowledge
    /// it.
    fn settled(&self) -> Result<(), StorageError> {
        if self.engine.is_settled() {
            return Ok(());
        }
        let source = std::io::Error::other("the last write could not be synced");
        let doing = format!("write {}", self.engine.place());
        Err(StorageError::Unsettled {
            source: Box::new(StorageError::Io { doing, source }),
        })
    }

    /// Makes the writer of a job that succeeded a member of the group.
    fn join(&self, queue: &mut CommitQueue, changed: bool, then: Then) -> (Commit, Wait) {
        let commit = if changed {
            queue.last.next()
        } else {
            queue.last
        };
        queue.last = commit;
        if !changed && queue.members.thens.is_empty() && !queue.committing {
            queue.layers = None;
            return (commit, Wait::Nothing(then));
        }
        let part = match (queue.committing, queue.members.thens.is_empty()) {
            (false, _) => Part::Leads,
            (true, true) => Part::LeadsNext,
            (true, false) => Part::Follows,
        };
        queue.members.thens.push((commit, then));
        queue.committing = true;
        if queue.members.thens.len() == queue.wanted {
            self.complete.notify_one();
        }
        (
            commit,
            Wait::For(Ticket {
                round: Arc::clone(&queue.members.round),
                part,
            }),
        )
    }

    /// Waits until the group of a ticket is durable, committing it when it is this writer's turn.
    /// `false`: run the job again.
    pub(crate) fn await_commit(&self, ticket: &Ticket) -> Result<bool, StorageError> {
        if ticket.part == Part::Leads || ticket.part == Part::LeadsNext && ticket.round.await_turn()
        {
            self.lead();
        }
        ticket.round.await_end()
    }

    /// Commits the group being formed on behalf of its members, and calls the next leader.
    fn lead(&self) {
        let before = self.durable();
        let (members, batch, last) = {
            let mut queue = self.queue.lock();
            self.gather(&mut queue);
            let mut batch = queue
                .layers
                .take()
                .map(|layers| layers.batch)
                .unwrap_or_default();
            if !batch.is_empty() {
                self.sign(&mut batch, before, queue.last);
            }
            let batch = Arc::new(batch);
            queue.under_way = Some(Arc::clone(&batch));
            self.room.notify_all();
            (std::mem::take(&mut queue.members), batch, queue.last)
        };
        let began = Instant::now();
        let outcome = match batch.is_empty() {
            true => self
                .settled()
                .map_or_else(Outcome::Failed, |()| Outcome::Durable),
            false => self.apply(&batch, before, last),
        };
        let mut queue = self.queue.lock();
        queue.under_way = None;
        let writers = members.thens.len() + queue.members.thens.len();
        queue.crowd.committed(writers, began.elapsed());
        // The group being formed stands on a state that is not kept, or no longer the last: its
        // jobs run again.
        let start_over = |queue: &mut CommitQueue, now: Commit| {
            self.durable.store(now.0, Ordering::Release);
            queue.layers = None;
            queue.last = now;
            Some(std::mem::take(&mut queue.members).round)
        };
        let above = match &outcome {
            Outcome::Durable => {
                self.durable.store(last.0, Ordering::Release);
                None
            }
            Outcome::Failed(_) => start_over(&mut queue, before),
            Outcome::Buried(now) | Outcome::Overtaken(now) | Outcome::Unsettled(now, _) => {
                start_over(&mut queue, *now)
            }
        };
        let order = self.order.lock();
        queue.committing = !queue.members.thens.is_empty();
        if queue.committing {
            queue.members.round.call();
        }
        drop(queue);
        let kept = matches!(outcome, Outcome::Durable | Outcome::Buried(_));
        if kept {
            self.groups
                .fetch_add(u64::from(!batch.is_empty()), Ordering::Relaxed);
            self.jobs.fetch_add(last.0 - before.0, Ordering::Relaxed);
            self.follow(&order, members.thens.into_iter());
        }
        if let Outcome::Buried(now) | Outcome::Overtaken(now) | Outcome::Unsettled(now, _) =
            &outcome
        {
            self.tell_overtaken(*now);
        }
        drop(order);
        members.round.end(match outcome {
            Outcome::Durable | Outcome::Buried(_) => Verdict::Done,
            Outcome::Failed(error) => Verdict::Failed(error),
            Outcome::Unsettled(_, source) => Verdict::Failed(StorageError::Unsettled {
                source: Box::new(source),
            }),
            Outcome::Overtaken(_) => Verdict::Rerun,
        });
        if let Some(above) = above {
            above.end(Verdict::Rerun);
        }
    }

    /// Adds to a batch which commit it is, on top of which, and who wrote it.
    fn sign(&self, batch: &mut Batch, before: Commit, last: Commit) {
        if let Some(record) = format::commit_record(last) {
            batch.put(format::META, format::COMMIT.to_vec(), record);
        }
        let value = format::commit_record(before);
        batch.expect(Expected {
            keyspace: format::META,
            key: format::COMMIT.to_vec(),
            value,
        });
        for key in self.old_writers.lock().iter() {
            batch.delete(format::META, key.clone());
        }
        let number = self.batches.fetch_add(1, Ordering::Relaxed) + 1;
        let record = format::writer_record(&self.writer, number, SystemClock.now());
        batch.put(format::META, self.writer.clone(), record);
    }

    /// Gives writers a moment to come back with their next job.
    fn gather(&self, queue: &mut MutexGuard<'_, CommitQueue>) {
        let (began, there) = (Instant::now(), queue.members.thens.len());
        let (wanted, patience) = queue.crowd.wanted();
        queue.wanted = wanted.min(GROUP_JOBS);
        while queue.members.thens.len() < queue.wanted {
            if self
                .complete
                .wait_until(queue, began + patience)
                .timed_out()
            {
                break;
            }
        }
        let came = queue.members.thens.len() - there;
        queue.crowd.came(came, began.elapsed());
        queue.wanted = 0;
    }

    fn apply(&self, batch: &Batch, before: Commit, last: Commit) -> Outcome {
        for _ in 0..ATTEMPTS {
            let applied = catch_unwind(AssertUnwindSafe(|| self.engine.apply(batch)))
                .unwrap_or_else(|panic| {
                    let reason = format!(
                        "the engine panicked during a commit: {}",
                        panic_message(&*panic)
                    );
                    self.poison(reason.clone());
                    Err(StorageError::Poisoned { reason })
                });
            let error = match applied {
                Ok(()) => {
                    self.old_writers.lock().clear();
                    return Outcome::Durable;
                }
                Err(error @ StorageError::Poisoned { .. }) => return Outcome::Failed(error),
                Err(error) => error,
            };
            // Each batch says who wrote it: what was kept can be seen.
            let state = self
                .engine
                .snapshot()
                .and_then(|found| format::read_state(&*found, &self.writer));
            let Ok((now, written)) = state else {
                if matches!(error, StorageError::Aborted { .. }) {
                    continue;
                }
                return Outcome::Failed(error);
            };
            let there = written == Some(self.batches.load(Ordering::Relaxed));
            let kept = there && self.engine.is_settled();
            match error {
                _ if kept && now == last => return Outcome::Durable,
                _ if kept => return Outcome::Buried(now),
                error if there => return Outcome::Unsettled(now, error),
                _ if now != before => return Outcome::Overtaken(now),
                StorageError::Aborted { .. } => {}
                error => return Outcome::Failed(error),
            }
        }
        Outcome::Failed(StorageError::Aborted { attempts: ATTEMPTS })
    }

    /// Says that another writer has committed: what was built on the state before is out of date.
    fn tell_overtaken(&self, now: Commit) {
        tracing::warn!(
            commit = now.0,
            "the file is at another commit; what is in memory is loaded again"
        );
        if let Some(overtaken) = self.overtaken.get()
            && let Err(panic) = catch_unwind(AssertUnwindSafe(|| overtaken(now)))
        {
            self.poison(format!(
                "what follows the commit of another writer panicked: {}",
                panic_message(&*panic)
            ));
        }
    }

    /// Runs what follows a commit that was durable already.
    pub(crate) fn follow_now(&self, commit: Commit, then: Then) {
        let order = self.order.lock();
        self.follow(&order, std::iter::once((commit, then)));
    }

    fn follow(&self, _order: &MutexGuard<'_, ()>, all: impl Iterator<Item = (Commit, Then)>) {
        *self.following.lock() = Some(std::thread::current().id());
        for (commit, then) in all {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| then(commit))) {
                self.poison(format!(
                    "what follows commit {} panicked: {}",
                    commit.0,
                    panic_message(&*panic)
                ));
            }
        }
        if let Some(after) = self.after.get()
            && let Err(panic) = catch_unwind(AssertUnwindSafe(after))
        {
            self.poison(format!(
                "what follows a group of commits panicked: {}",
                panic_message(&*panic)
            ));
        }
        *self.following.lock() = None;
    }
}
