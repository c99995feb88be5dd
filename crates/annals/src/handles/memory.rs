use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annals_recall::Query;
use annals_records::namespace as directory;
use annals_types::{Fingerprint, NamespaceName};

use crate::handle::Handle;
use crate::handles::{Jobs, Namespace, Profiles};
use crate::{
    Answer, BackupReport, CompactReport, Error, ErrorKind, FileStats, Hit, JobReport, Mode,
    NamespaceReceipt, NamespaceStats, Spent, SyncReport, Usage, ValidateReport,
};

/// How long a compaction waits for work in the background.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

handles! {
    /// A file of memories. Clones share one handle; the file is closed when the last handle is
    /// dropped.
    pub struct Memory;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.")?;
        /// assert_eq!(memory.namespaces()?[0].memories, 1);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// user.remember("My cat is called Momo.").await?;
        /// assert_eq!(memory.namespaces().await?[0].memories, 1);
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Clone)]
pub(crate) struct Memory {
    pub(crate) engine: Arc<Handle>,
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory")
            .field("path", &self.engine.path)
            .finish_non_exhaustive()
    }
}

calls! {
    for Memory;

    handles {
        /// The jobs of profiles.
        fn jobs() -> Jobs;

        /// The profiles of the file.
        fn profiles() -> Profiles;
    }

    calls {
        /// All namespaces, by name.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn namespaces() -> Vec<NamespaceStats>;

        /// Gives a namespace another name; its memories and their ids stay. Mirrored files whose
        /// path has the old name in it go, and are answered: those of the new one are written when
        /// files are brought into step. What a person wrote into them since they were written is
        /// taken over where edits come back, and kept beside them otherwise.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), or
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when the name is taken.
        fn rename_namespace(from: text, to: text) -> SyncReport;

        /// Deletes a namespace with all its bytes. From the first commit on nothing can reach its
        /// data; the bytes go in steps, and a crash in between is made up for when the file is
        /// opened again. The files that mirror it go as well, wherever they were written, with
        /// their backups; what a person wrote into them, and was never brought into step, is kept
        /// beside them. Those that are not there, perhaps on a disk that is away, are told: nothing
        /// knows of them any more.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound); when a mirrored file cannot be
        /// removed, once everything else is gone.
        fn delete_namespace(name: text, mode: own(Mode)) -> NamespaceReceipt;

        /// Asks several namespaces at once: each answers by itself, and the best of all answers are
        /// returned, each hit naming its own.
        ///
        /// # Errors
        /// As [`Namespace::recall`](crate::Namespace::recall).
        fn recall_across(names: texts, query: into(Query)) -> Vec<Hit>;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("My cat is called Momo.")?;
            /// memory.namespace("user:43")?.remember("My cat is called Felix.")?;
            /// let hits = memory.recall_across(&["user:42", "user:43"], "What is my cat called?")?;
            /// assert_eq!(hits.len(), 2);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// The same with what else there is to say of the search, but for why a memory is missing
        /// and for the graph: each namespace has its own. One that is named twice is asked once.
        ///
        /// # Errors
        /// As [`Namespace::recall`](crate::Namespace::recall).
        fn answer_across(names: texts, query: into(Query)) -> Answer;

        /// Sizes and counts of the whole file.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn stats() -> FileStats;

        /// Removes names that no memory uses any more, and writes the file anew beside its place:
        /// unused space goes back to the disk, and no byte of what was deleted is left. Background
        /// work that is queued is done first. Readers go on, writers wait.
        ///
        /// # Errors
        /// When the file cannot be written, or there is no space for what is alive;
        /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) when background work is not done within
        /// 30 s.
        fn compact() -> CompactReport;

        /// Writes a backup: another database that has everything of all namespaces, as it is after
        /// one commit, and nothing of what was deleted. Readers and writers go on. It is read again
        /// as a whole, and appears once it is right.
        ///
        /// # Errors
        /// When there is a file of that name that is not to be replaced; when it cannot be written,
        /// or the database not be read as a whole. Then nothing is left of it.
        fn back_up(path: path, replace: own(bool)) -> BackupReport;

        /// What every answer lacks because it cannot be read: a file whose log is damaged is read
        /// as it was before, where it [is only read](crate::Options::read_only). Save the rest with
        /// [`Options::repair`](crate::Options::repair).
        ///
        /// # Errors
        /// When the process that has the file open cannot be asked.
        fn damage() -> Option<String>;

        /// Checks every value of the file, and every index of every namespace against the others.
        ///
        /// # Errors
        /// When the file cannot be read at all; damage is reported, not an error.
        fn validate() -> ValidateReport;

        /// Waits until background work (folding, merging, building graphs, jobs that are due where
        /// they run by themselves) is done.
        ///
        /// # Errors
        /// When the background thread has failed.
        fn wait_idle() -> ();

        /// Runs the jobs of all profiles that are due, or all jobs when `force` says so; a dry run
        /// tells what rules would do now. Runs of one profile do not overlap: while another thread
        /// runs its jobs this waits for their end.
        ///
        /// # Errors
        /// When the file cannot be read or written;
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when a judge or another helper of a
        /// run calls it. A step that fails is in its report.
        fn maintain(force: own(bool), mode: own(Mode)) -> Vec<JobReport>;
        example {
            /// ```
            /// use annals::Mode;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.create_namespace("user:42", "agent")?;
            /// user.remember("My cat is called Momo.")?;
            /// assert!(!memory.maintain(true, Mode::Commit)?.is_empty());
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// What was done since this file was opened, and how many of its namespaces have their
        /// memory switched on. Counted in this process only.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn usage() -> Usage;

        /// What the language models of this file were asked and what it cost, the oldest day first:
        /// kept with the file, whoever opened it. Every call counts that is made through
        /// [`Options::model`](crate::Options::model) and
        /// [`Options::extraction_model`](crate::Options::extraction_model); those of a process that
        /// was killed may be missing.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn spent() -> Vec<Spent>;
    }

    wire {
        fn make_namespace(name: text, profile: text) -> ();
    }
}

impl Memory {
    pub(crate) fn jobs(&self) -> Jobs {
        Jobs {
            memory: self.clone(),
        }
    }

    pub(crate) fn profiles(&self) -> Profiles {
        Profiles {
            memory: self.clone(),
        }
    }

    pub(crate) const fn new(engine: Arc<Handle>) -> Self {
        Self { engine }
    }

    pub(crate) fn namespace(&self, name: impl AsRef<str>) -> Result<Namespace, Error> {
        Ok(Namespace::new(
            Arc::clone(&self.engine),
            NamespaceName::new(name.as_ref())?,
        ))
    }

    pub(crate) fn namespaces(&self) -> Result<Vec<NamespaceStats>, Error> {
        let snapshot = self.engine.snapshot()?;
        let queued = annals_lifecycle::task::counts(&snapshot)?;
        NamespaceStats::of(&snapshot, &directory::list(&snapshot)?, &queued)
    }

    pub(crate) fn rename_namespace(&self, from: &str, to: &str) -> Result<SyncReport, Error> {
        let (from, to) = (NamespaceName::new(from)?, NamespaceName::new(to)?);
        let engine = &self.engine;
        let id = engine.rename_namespace(&from, &to)?;
        Ok(engine.mirrors().tidy_mirrors(&to, id))
    }

    pub(crate) fn delete_namespace(
        &self,
        name: &str,
        mode: Mode,
    ) -> Result<NamespaceReceipt, Error> {
        let name = NamespaceName::new(name)?;
        let engine = &self.engine;
        let receipt = |(memories, text_bytes)| NamespaceReceipt {
            dry_run: mode == Mode::DryRun,
            namespace: name.as_str().to_owned(),
            memories,
            text_bytes,
            keys: 0,
            files: Vec::new(),
            kept: Vec::new(),
            missing: Vec::new(),
        };
        if mode == Mode::Commit
            && let Some(counts) = engine.answered()?
        {
            return Ok(receipt(counts));
        }
        // Who is writing files of it comes to an end before it is known which there are.
        let alone = (mode == Mode::Commit).then(|| engine.files.mirroring.lock());
        let snapshot = engine.snapshot()?;
        let found = directory::find(&snapshot, &name)?;
        let found =
            found.ok_or_else(|| annals_records::RecordError::NoNamespace { name: name.clone() })?;
        let head = annals_records::Head::read(&snapshot, found.id)?;
        let going = engine.mirrors().mirrors_of(&snapshot, found.id)?;
        let counts = (u64::from(head.total()), head.text_bytes);
        let mut receipt = receipt(counts);
        (receipt.files, receipt.kept, receipt.missing) =
            (going.files(), going.aside(), going.missing());
        if mode == Mode::Commit {
            engine.delete_namespace(&name, found.id, &counts)?;
            let removed = engine.mirrors().remove_mirrors(&going);
            drop(alone);
            receipt.keys = engine.purge(found.id)?;
            removed?;
        }
        Ok(receipt)
    }

    pub(crate) fn recall_across(
        &self,
        names: &[&str],
        query: impl Into<Query>,
    ) -> Result<Vec<Hit>, Error> {
        Ok(self.answer_across(names, query)?.hits)
    }

    pub(crate) fn answer_across(
        &self,
        names: &[&str],
        query: impl Into<Query>,
    ) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        let mut vectored = None;
        let mut all = Answer::nothing(&Query {
            why_not: None,
            ..query.clone()
        });
        let mut asked = std::collections::BTreeSet::new();
        for name in names.iter().filter(|name| asked.insert(**name)) {
            all.absorb(
                self.namespace(name)?
                    .answer_vectored(&query, &mut vectored)?,
            );
        }
        Answer::arrange(&mut all.hits, all.by_time);
        all.hits.truncate(
            query
                .top_k
                .unwrap_or(self.engine.profiles.default().settings.recall.top_k)
                as usize,
        );
        Ok(all)
    }

    pub(crate) fn stats(&self) -> Result<FileStats, Error> {
        let namespaces = self.namespaces()?;
        Ok(FileStats {
            path: self.engine.path.clone(),
            file_bytes: self.file_bytes()?,
            commit: self.engine.store.commit().0,
            namespaces: u64::try_from(namespaces.len()).unwrap_or(u64::MAX),
            memories: namespaces.iter().map(|n| n.memories).sum(),
            memory_bytes: self.engine.spaces.memory_bytes(),
            embedder: self.engine.fingerprint.0.clone(),
            dims: self.engine.shape.dims(),
        })
    }

    fn file_bytes(&self) -> Result<u64, Error> {
        let Some(path) = &self.engine.path else {
            return Ok(0);
        };
        let found = std::fs::metadata(path);
        found
            .map(|m| m.len())
            .map_err(|e| Error::io(format!("reading the size of {}", path.display()), e))
    }

    pub(crate) fn compact(&self) -> Result<CompactReport, Error> {
        if !self.engine.worker.wait_queued(LONGEST_WAIT)? {
            let reason = format!(
                "compact: work in the background, such as embedding or building indexes, is not done after {} s; \
                 nothing was changed, try again later",
                LONGEST_WAIT.as_secs()
            );
            return Err(Error::other(ErrorKind::Locked, reason));
        }
        self.engine.prune_labels()?;
        self.engine.finish_clearing()?;
        let before_bytes = self.file_bytes()?;
        self.engine.store.compact()?;
        Ok(CompactReport {
            before_bytes,
            after_bytes: self.file_bytes()?,
        })
    }

    pub(crate) fn back_up(
        &self,
        path: impl AsRef<Path>,
        replace: bool,
    ) -> Result<BackupReport, Error> {
        let path = path.as_ref();
        let values = self.engine.store.back_up(path, replace)?;
        let found = std::fs::metadata(path);
        let bytes = found
            .map_err(|e| Error::io(format!("reading the size of {}", path.display()), e))?
            .len();
        Ok(BackupReport { values, bytes })
    }

    pub(crate) fn validate(&self) -> Result<ValidateReport, Error> {
        self.engine.validate()
    }

    pub(crate) fn damage(&self) -> Result<Option<String>, Error> {
        Ok(self.engine.store.damage())
    }

    pub(crate) fn is_in_place(&self) -> Result<bool, Error> {
        Ok(self.engine.store.is_in_place()?)
    }

    pub(crate) fn embedder(&self) -> Fingerprint {
        self.engine.fingerprint.clone()
    }

    pub(crate) fn wait_idle(&self) -> Result<(), Error> {
        self.engine.scheduler.wait_idle();
        self.engine.worker.wait_idle()
    }
}
