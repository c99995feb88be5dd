use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::ThreadId;

use annals_types::Commit;
use parking_lot::{Condvar, Mutex};

use crate::desk::{Call, Desk, Seat};
use crate::error::panic_message;
use crate::layers::Layers;
use crate::turns::Turns;
use crate::{
    Batch, Engine, MemoryEngine, Options, Snapshot, StorageError, StoreStats, Transaction, ValidateReport, format,
};

/// How many jobs a group may have.
const GROUP_JOBS: usize = 256;

/// How often a group is offered to an engine that gives it up.
const ATTEMPTS: u32 = 16;

/// A file of keyspaces, or an engine of another kind. Clones share one handle.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Box<dyn Engine>,
    desk: Mutex<Desk>,
    /// Signalled when a full group was taken.
    room: Condvar,
    turns: Turns,
    durable: AtomicU64,
    groups: AtomicU64,
    jobs: AtomicU64,
    poisoned: OnceLock<String>,
    /// The thread whose job runs, and the thread whose callback runs: to notice a write inside a write.
    running: Mutex<Option<ThreadId>>,
    applying: Mutex<Option<ThreadId>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("commit", &self.commit()).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens or creates a file with the default [`Options`].
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StorageError> {
        Options::default().open(path)
    }

    /// An empty store in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::assemble(Box::new(MemoryEngine::new()), Commit::ZERO)
    }

    /// A store over an engine.
    ///
    /// # Errors
    /// When the engine cannot be read or holds a format that this program does not know.
    pub fn with_engine(engine: Box<dyn Engine>) -> Result<Self, StorageError> {
        let commit = format::read_commit(&*engine.snapshot()?)?;
        Ok(Self::assemble(engine, commit))
    }

    fn assemble(engine: Box<dyn Engine>, commit: Commit) -> Self {
        Self {
            shared: Arc::new(Shared {
                engine,
                desk: Mutex::new(Desk::new(commit)),
                room: Condvar::new(),
                turns: Turns::new(commit),
                durable: AtomicU64::new(commit.0),
                groups: AtomicU64::new(0),
                jobs: AtomicU64::new(0),
                poisoned: OnceLock::new(),
                running: Mutex::new(None),
                applying: Mutex::new(None),
            }),
        }
    }

    /// The state after the last durable commit.
    ///
    /// # Errors
    /// When the engine cannot read, or the handle is poisoned.
    pub fn snapshot(&self) -> Result<Snapshot, StorageError> {
        self.shared.check()?;
        let engine: Arc<dyn crate::EngineSnapshot> = Arc::from(self.shared.engine.snapshot()?);
        let commit = format::read_commit(&*engine)?;
        Ok(Snapshot::new(engine, commit))
    }

    /// The last durable commit.
    #[must_use]
    pub fn commit(&self) -> Commit {
        Commit(self.shared.durable.load(Ordering::Acquire))
    }

    /// Runs a job and makes its changes durable, together with those of other writers at the same moment.
    ///
    /// The job runs on this thread; other jobs wait for it, so it should compute beforehand and only read and write. It may
    /// run several times and must give the same result each time it sees the same state. When it fails or panics its changes
    /// are dropped and the others go on without it. A job that changes nothing waits for what it read to be durable and gets
    /// the number of that commit; any other job gets a number of its own.
    ///
    /// `applied` runs once, on this thread, when the changes are durable: after those of all earlier commits, before those of
    /// all later ones. If it panics the store is poisoned, because what it had to bring up to date is behind.
    ///
    /// # Errors
    /// The job's own error; [`StorageError::JobPanicked`]; or what kept the group from being committed.
    pub fn write<T, E>(
        &self,
        mut job: impl FnMut(&mut Transaction<'_>) -> Result<T, E> + Send,
        applied: impl FnOnce(&T, Commit) + Send,
    ) -> Result<(T, Commit), E>
    where
        T: Send,
        E: From<StorageError> + Send,
    {
        self.shared.check()?;
        let mut attempts = 0;
        loop {
            let Ran { value, commit, own, waits } = match self.shared.run(&mut job)? {
                Some(ran) => ran,
                None => {
                    attempts += 1;
                    if attempts >= ATTEMPTS {
                        return Err(StorageError::Aborted { attempts }.into());
                    }
                    continue;
                }
            };
            match waits {
                None => {}
                Some(seat) => match self.shared.await_commit(&seat) {
                    Call::Done | Call::Lead => {}
                    Call::Rerun => continue,
                    Call::Failed(error) => return Err(error.into()),
                },
            }
            self.shared.applied(own, commit, || applied(&value, commit))?;
            return Ok((value, commit));
        }
    }

    /// Sizes and counts. Walks the whole file: for a large one it takes seconds.
    ///
    /// # Errors
    /// When the engine cannot read.
    pub fn stats(&self) -> Result<StoreStats, StorageError> {
        self.shared.check()?;
        Ok(StoreStats {
            commit: self.commit().0,
            format: format::FORMAT,
            cache_bytes: 0,
            groups: self.shared.groups.load(Ordering::Relaxed),
            jobs: self.shared.jobs.load(Ordering::Relaxed),
            engine: self.shared.engine.stats()?,
        })
    }

    /// Gives unused space back; answers whether anything was gained.
    ///
    /// # Errors
    /// When the engine cannot write, or snapshots are still open.
    pub fn compact(&self) -> Result<bool, StorageError> {
        self.shared.check()?;
        self.shared.engine.compact()
    }

    /// Reads every value and checks it.
    ///
    /// # Errors
    /// When the engine cannot read.
    pub fn validate(&self) -> Result<ValidateReport, StorageError> {
        let _snapshot = self.snapshot()?;
        Ok(ValidateReport::default())
    }
}

/// What came of running a job.
struct Ran<T> {
    value: T,
    commit: Commit,
    /// Whether the commit is the job's own.
    own: bool,
    /// Where to wait for the commit; `None` when there is nothing to wait for.
    waits: Option<(Arc<Seat>, bool)>,
}

impl Shared {
    fn check(&self) -> Result<(), StorageError> {
        match self.poisoned.get() {
            Some(reason) => Err(StorageError::Poisoned { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    fn poison(&self, reason: impl Into<String>) {
        let _first_reason_stays = self.poisoned.set(reason.into());
    }

    /// Runs a job on the group being formed. `None`: the engine gave up, run it again.
    fn run<T, E: From<StorageError>>(
        &self,
        job: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<Option<Ran<T>>, E> {
        let me = std::thread::current().id();
        if *self.running.lock() == Some(me) || *self.applying.lock() == Some(me) {
            return Err(StorageError::misuse(
                "a write inside the job or the callback of a write would wait for itself; write afterwards",
            )
            .into());
        }
        let mut guard = self.desk.lock();
        while guard.members.len() >= GROUP_JOBS {
            self.room.wait(&mut guard);
        }
        self.check()?;
        let desk = &mut *guard;
        if desk.layers.is_none() {
            let base = Arc::from(self.engine.snapshot()?);
            desk.layers = Some(Layers { base, below: desk.under_way.clone(), batch: Batch::default() });
        }
        let Some(layers) = desk.layers.as_mut() else { return Ok(None) };
        let mut transaction = Transaction::new(layers, desk.last);
        *self.running.lock() = Some(me);
        let outcome = catch_unwind(AssertUnwindSafe(|| job(&mut transaction)));
        *self.running.lock() = None;
        let changed = transaction.has_changes();
        let aborted = transaction.was_aborted();
        let result = match outcome {
            Ok(Ok(value)) if !aborted => Ok(value),
            Ok(Ok(_)) => Err(None),
            Ok(Err(_)) if aborted => Err(None),
            Ok(Err(error)) => Err(Some(error)),
            Err(panic) => Err(Some(StorageError::JobPanicked { message: panic_message(&*panic) }.into())),
        };
        let value = match result {
            Ok(value) => value,
            Err(error) => {
                transaction.roll_back();
                if desk.members.is_empty() {
                    desk.layers = None;
                }
                return error.map_or(Ok(None), Err);
            }
        };
        let commit = if changed { desk.last.next() } else { desk.last };
        desk.last = commit;
        if !changed && desk.members.is_empty() && !desk.committing {
            desk.layers = None;
            return Ok(Some(Ran { value, commit, own: false, waits: None }));
        }
        let seat = Seat::new();
        desk.members.push(Arc::clone(&seat));
        let lead = !desk.committing;
        desk.committing = true;
        Ok(Some(Ran { value, commit, own: changed, waits: Some((seat, lead)) }))
    }

    fn await_commit(&self, (seat, lead): &(Arc<Seat>, bool)) -> Call {
        if *lead {
            self.lead();
        }
        loop {
            match seat.wait() {
                Call::Lead => self.lead(),
                call => return call,
            }
        }
    }

    /// Commits the group being formed, on behalf of all its members, and calls the next leader.
    fn lead(&self) {
        let (members, batch, last) = {
            let mut desk = self.desk.lock();
            let Some(layers) = desk.layers.take() else { return };
            let mut batch = layers.batch;
            if !batch.is_empty() {
                batch.put(format::META, format::COMMIT.to_vec(), format::commit_record(desk.last));
            }
            let batch = Arc::new(batch);
            desk.under_way = Some(Arc::clone(&batch));
            self.room.notify_all();
            (std::mem::take(&mut desk.members), batch, desk.last)
        };
        let result = self.commit_group(&batch, last);
        let mut desk = self.desk.lock();
        desk.under_way = None;
        match result {
            Ok(()) => {
                self.durable.store(last.0, Ordering::Release);
                self.groups.fetch_add(1, Ordering::Relaxed);
                self.jobs.fetch_add(u64::try_from(members.len()).unwrap_or(0), Ordering::Relaxed);
                members.iter().for_each(|seat| seat.call(Call::Done));
            }
            Err(error) => {
                members.iter().for_each(|seat| seat.call(Call::Failed(error.again())));
                desk.layers = None;
                desk.last = Commit(self.durable.load(Ordering::Acquire));
                desk.members.drain(..).for_each(|seat| seat.call(Call::Rerun));
            }
        }
        match desk.members.first() {
            Some(next) => next.call(Call::Lead),
            None => desk.committing = false,
        }
    }

    fn commit_group(&self, batch: &Batch, last: Commit) -> Result<(), StorageError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut attempts = 0;
        loop {
            let applied = catch_unwind(AssertUnwindSafe(|| self.engine.apply(batch))).unwrap_or_else(|panic| {
                let message = panic_message(&*panic);
                self.poison(format!("the engine panicked: {message}"));
                Err(StorageError::corruption("commit", format!("the engine panicked: {message}")))
            });
            match applied {
                Ok(()) => return Ok(()),
                Err(StorageError::Aborted { .. }) if attempts < ATTEMPTS => attempts += 1,
                Err(StorageError::Aborted { .. }) => return Err(StorageError::Aborted { attempts }),
                Err(error) => {
                    // Whether it was kept can be seen: the batch carries its own number.
                    let kept = self.engine.snapshot().and_then(|s| format::read_commit(&*s)).is_ok_and(|c| c == last);
                    return if kept { Ok(()) } else { Err(error) };
                }
            }
        }
    }

    /// Runs the callback of a commit in its turn.
    fn applied(&self, own: bool, commit: Commit, callback: impl FnOnce()) -> Result<(), StorageError> {
        if !own {
            self.turns.wait_for(commit);
            callback();
            return Ok(());
        }
        self.turns.wait_for(Commit(commit.0.saturating_sub(1)));
        *self.applying.lock() = Some(std::thread::current().id());
        let ran = catch_unwind(AssertUnwindSafe(callback));
        *self.applying.lock() = None;
        if let Err(panic) = &ran {
            self.poison(format!("the callback of commit {} panicked: {}", commit.0, panic_message(&**panic)));
        }
        self.turns.finish(commit);
        match ran {
            Ok(()) => Ok(()),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
