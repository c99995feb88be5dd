use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use annals_types::{Clock as _, Commit, SystemClock};

use crate::commit_queue::Then;
use crate::group::{ATTEMPTS, Group, JobResult, Wait};
use crate::migration::{MIGRATIONS, Migration, migrate};
use crate::validate::validate;
use crate::{
    AnyTable, Depth, Engine, EngineSnapshot, MemoryEngine, Options, Snapshot, StorageError,
    StoreStats, Transaction, ValidateReport, format, private, request,
};

/// A file of keyspaces, or an engine of another kind. Clones share one handle; the file is closed
/// with the last of them.
#[derive(Clone)]
pub struct Store {
    group: Arc<Group>,
    /// The reason given when a handle that only reads is written to.
    only_read: Option<Arc<str>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("commit", &self.commit())
            .finish_non_exhaustive()
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
        // An empty engine in memory has nothing to refuse; the other branch has only no format
        // record.
        Self::with_engine(Box::new(MemoryEngine::new()))
            .unwrap_or_else(|_| Self::over(Box::new(MemoryEngine::new()), Commit::ZERO, Vec::new()))
    }

    fn over(engine: Box<dyn Engine>, commit: Commit, old_writers: Vec<Vec<u8>>) -> Self {
        Self {
            group: Arc::new(Group::new(engine, commit, old_writers)),
            only_read: None,
        }
    }

    /// The same for a file that was opened for reading only.
    pub(crate) fn for_reading(mut self, path: &Path) -> Self {
        self.only_read = Some(path.display().to_string().into());
        self
    }

    /// A store over an engine.
    ///
    /// # Errors
    /// When the engine cannot be read, holds something else, or a format that is too new or too
    /// old.
    pub fn with_engine(engine: Box<dyn Engine>) -> Result<Self, StorageError> {
        Self::with_migrations(engine, MIGRATIONS, format::FORMAT)
    }

    pub(crate) fn with_migrations(
        engine: Box<dyn Engine>,
        steps: &[Migration],
        newest: u32,
    ) -> Result<Self, StorageError> {
        let record = format::prepare(&*engine, newest)?;
        let snapshot = engine.snapshot()?;
        let commit = format::read_commit(&*snapshot)?;
        let old_writers = format::old_writers(&*snapshot, engine.exclusive(), SystemClock.now())?;
        drop(snapshot);
        let store = Self::over(engine, commit, old_writers);
        migrate(&store, record, steps)?;
        Ok(store)
    }

    #[cfg(test)]
    pub(crate) fn format_record(
        &self,
        newest: u32,
    ) -> Result<Option<format::FormatRecord>, StorageError> {
        format::FormatRecord::read(&*self.group.engine.snapshot()?, "test", newest)
    }

    /// The state after the last durable commit.
    ///
    /// # Errors
    /// When the engine cannot read, or the handle is poisoned.
    pub fn snapshot(&self) -> Result<Snapshot, StorageError> {
        self.group.check()?;
        let engine: Arc<dyn EngineSnapshot> = Arc::from(self.group.engine.snapshot()?);
        let commit = format::read_commit(&*engine)?;
        Ok(Snapshot::new(engine, commit))
    }

    /// The last durable commit.
    #[must_use]
    pub fn commit(&self) -> Commit {
        self.group.durable()
    }

    /// Runs a job and makes its changes durable, together with those of other writers at the same
    /// moment.
    ///
    /// The job runs on this thread; other jobs wait for it, so it should compute beforehand and
    /// only read and write. It may run several times and must give the same result each time it
    /// sees the same state. When it fails or panics its changes are dropped and the others go on
    /// without it. A job that changes nothing waits for what it read to be durable and gets the
    /// number of that commit; any other job gets a number of its own.
    ///
    /// # Errors
    /// The job's own error; [`StorageError::JobPanicked`]; or what kept the group from being
    /// committed.
    pub fn write<T, E>(
        &self,
        mut job: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<(T, Commit), E>
    where
        E: From<StorageError>,
    {
        self.write_then(|transaction| Ok((job(transaction)?, |_| {})))
    }

    /// The same for a job that also answers what follows: that runs once, when the changes are
    /// durable, after what follows all earlier commits and before what follows any later one; this
    /// call returns after it. It runs on one of the writers' threads and must be short: later
    /// commits wait for it. It may not write. If it panics the store is poisoned, because what it
    /// had to bring up to date is behind.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_then<T, E, A>(
        &self,
        job: impl FnMut(&mut Transaction<'_>) -> Result<(T, A), E>,
    ) -> Result<(T, Commit), E>
    where
        A: FnOnce(Commit) + Send + 'static,
        E: From<StorageError>,
    {
        self.writable()?;
        let Some(mark) = request::next_key() else {
            return self.run(job);
        };
        let mut job = job;
        self.run(|transaction| {
            transaction.look_for_mark(&mark)?;
            let done = match job(transaction) {
                // What it was to change is as it left it: it fails for its own earlier success.
                Err(_) if transaction.was_carried_out() && !transaction.was_aborted() => {
                    return Err(StorageError::Repeated.into());
                }
                done => done?,
            };
            transaction.leave_mark(&mark, SystemClock.now())?;
            Ok(done)
        })
    }

    /// The answer of the next write of the request that this thread carries out, where it was
    /// carried out before; no bytes where that kept none. A call that looks for what it is to write
    /// asks this first: after its own success there is nothing of it left to be found.
    ///
    /// # Errors
    /// When the engine cannot read.
    pub fn answered(&self) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(mark) = request::peek_key() else {
            return Ok(None);
        };
        let found = self
            .group
            .engine
            .snapshot()?
            .multi_get(&[(format::META, &mark)])?
            .pop()
            .flatten();
        found
            .map(|sealed| Ok(format::parse_request(&mark, &sealed)?.1.to_vec()))
            .transpose()
    }

    /// As [`write`](Self::write), for what can be derived from the rest of the data at any time. A
    /// handle that only reads may do this, too: it stays in its memory.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_derived<T, E>(
        &self,
        mut job: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<(T, Commit), E>
    where
        E: From<StorageError>,
    {
        self.run(|transaction| Ok((job(transaction)?, |_| {})))
    }

    /// Takes the rights of other users from the file, once.
    pub(crate) fn make_private(&self, path: &Path) -> Result<(), StorageError> {
        private::make_private(&*self.group.engine, path)
    }

    /// Whether the place of the data still leads to them. `false` for a file that was moved or
    /// replaced.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn is_in_place(&self) -> Result<bool, StorageError> {
        self.group.engine.is_in_place()
    }

    /// Whether this handle only reads.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.only_read.is_some()
    }

    fn writable(&self) -> Result<(), StorageError> {
        match &self.only_read {
            Some(path) => Err(StorageError::OpenedReadOnly {
                what: format!("write {path}"),
            }),
            None => Ok(()),
        }
    }

    fn run<T, E, A>(
        &self,
        mut job: impl FnMut(&mut Transaction<'_>) -> Result<(T, A), E>,
    ) -> Result<(T, Commit), E>
    where
        A: FnOnce(Commit) + Send + 'static,
        E: From<StorageError>,
    {
        let mut job = |transaction: &mut Transaction<'_>| {
            let (value, then) = job(transaction)?;
            Ok::<_, E>((value, Box::new(then) as Then))
        };
        for _ in 0..ATTEMPTS {
            let Some(JobResult {
                value,
                commit,
                wait,
            }) = self.group.run(&mut job)?
            else {
                continue;
            };
            match wait {
                Wait::Nothing(then) => self.group.follow_now(commit, then),
                Wait::For(ticket) if self.group.await_commit(&ticket)? => {}
                Wait::For(_) => continue,
            }
            return Ok((value, commit));
        }
        Err(StorageError::Aborted { attempts: ATTEMPTS }.into())
    }

    /// Has something run behind what follows the commits of each group, before their writers go
    /// on: for what need not be done for each commit. The same rules hold for it. Only the first
    /// call has an effect.
    pub fn after_each_group(&self, then: impl Fn() + Send + Sync + 'static) {
        let _first_stays = self.group.after.set(Box::new(then));
    }

    /// Has something run when another writer has committed to the same engine, with the commit
    /// that the state is at now: whatever was built in memory on an earlier state must be loaded
    /// again. It may not write. Only the first call has an effect.
    pub fn when_overtaken(&self, then: impl Fn(Commit) + Send + Sync + 'static) {
        let _first_stays = self.group.overtaken.set(Box::new(then));
    }

    /// Sizes and counts that are known without reading the data.
    ///
    /// # Errors
    /// When the engine cannot read.
    pub fn stats(&self) -> Result<StoreStats, StorageError> {
        self.measure(Depth::Counts)
    }

    /// Sizes and counts; [`Depth::Bytes`] walks all data.
    ///
    /// # Errors
    /// When the engine cannot read.
    pub fn measure(&self, depth: Depth) -> Result<StoreStats, StorageError> {
        self.group.check()?;
        Ok(StoreStats {
            commit: self.commit().0,
            format: format::FORMAT,
            groups: self.group.groups.load(Ordering::Relaxed),
            jobs: self.group.jobs.load(Ordering::Relaxed),
            engine: self.group.engine.stats(depth)?,
        })
    }

    /// Gives unused space back, and removes what deleted values left behind; answers whether
    /// anything was gained. Writers wait meanwhile, readers do not. A file is written anew beside
    /// its place for this, which takes as much space as its live data.
    ///
    /// # Errors
    /// When the engine cannot write.
    pub fn compact(&self) -> Result<bool, StorageError> {
        self.writable()?;
        self.group.check()?;
        self.group.engine.compact()
    }

    /// What is left out of every snapshot because it cannot be read; only a handle that
    /// [only reads](Options::read_only) opens such a file.
    #[must_use]
    pub fn damage(&self) -> Option<String> {
        self.group.engine.damage()
    }

    /// Writes the last state into a new file, or in the place of one, and reads that again; answers
    /// how many values it has. All keyspaces are as they were after one commit, and writers go on
    /// meanwhile. The file is seen once it is whole, and holds nothing that was deleted.
    ///
    /// # Errors
    /// When the file exists and is not to be replaced, or cannot be written; when something cannot
    /// be read. Then nothing is left of it.
    pub fn back_up(&self, path: impl AsRef<Path>, replace: bool) -> Result<u64, StorageError> {
        self.group.check()?;
        self.group.engine.back_up(path.as_ref(), replace)
    }

    /// Reads every value and checks it, that it is found by its key, and that there are as many as
    /// the engine counts.
    ///
    /// # Errors
    /// When the engine cannot read at all; damage is in the report.
    pub fn validate(&self) -> Result<ValidateReport, StorageError> {
        self.validate_tables(&[])
    }

    /// The same; a row that none of the listed tables of its keyspace can read is in the report as
    /// well. Keyspaces without a listed table are checked as by [`validate`](Self::validate).
    ///
    /// # Errors
    /// As [`validate`](Self::validate).
    pub fn validate_tables(
        &self,
        tables: &[&dyn AnyTable],
    ) -> Result<ValidateReport, StorageError> {
        self.group.check()?;
        validate(&*self.group.engine, tables)
    }
}
