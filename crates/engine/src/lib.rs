#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    reason = "annals is the interface that programs depend on; this one serves the crates between"
)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

pub mod adjust;
mod adjustment;
pub mod admit;
pub mod adopt;
pub mod advisers;
pub mod apart;
pub mod bulk;
pub mod by_entity;
pub mod changed;
pub mod claims;
pub mod compiled;
pub mod config;
pub mod counts;
mod decision;
pub mod decisions;
pub mod deletion;
mod digest;
pub mod door;
pub mod effect;
pub mod embed;
pub mod ends;
mod error;
mod error_report;
mod error_wording;
pub mod evidence;
pub mod extension;
pub mod graph;
pub mod histories;
mod hit;
pub mod interpretation;
pub mod jobs;
pub mod json;
pub mod keyed_locks;
pub mod late;
pub mod lessons;
pub mod life;
pub mod list;
pub mod load;
mod maintain;
mod measurement;
mod mode;
pub mod names;
mod namespaces;
pub mod nodes;
mod noted;
pub mod pair_answer;
pub mod parted;
pub mod precheck;
pub mod privacy;
pub mod profiles;
mod prototypes;
pub mod recall;
pub mod reembed;
mod refusal;
pub mod resolve;
pub mod retold;
pub mod reviews;
pub mod revise;
pub mod scheduler;
pub mod seen;
pub mod spaces;
pub mod stale;
mod suspicion;
pub mod suspicions;
pub mod tables;
pub mod takeback;
#[cfg(test)]
mod testing;
pub mod timed;
pub mod travel;
pub mod undo;
mod undone;
pub mod validate;
pub mod view;
#[cfg(feature = "witness")]
mod witness;
mod wordings;
pub mod words;
pub mod worker;
pub mod write;
pub mod write_cx;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_lifecycle::Lane;
use annals_storage::{Snapshot, Store};
use annals_text::ChunkCache;
use annals_types::{
    Cancel, Clock, Embedder, Fingerprint, IdGenerator, NamespaceId, NamespaceName, SearchBackend,
    Timestamp,
};
use annals_vector::Shape;
use annals_vector::embed::{BuiltinEmbedder, MeasuredEmbedder};
use parking_lot::Mutex;

pub use adjustment::Adjustment;
pub use admit::{Admission, Admitted};
use advisers::Advisers;
use compiled::CompiledProfiles;
pub use compiled::support;
use config::Config;
pub use decision::{Decision, DecisionQuestion};
pub use digest::Digest;
pub use door::Door;
pub use embed::Prepared;
pub use error::{Error, ErrorKind, Missing};
pub use error_report::ErrorReport;
pub use hit::{Answer, Hit};
use keyed_locks::KeyedLocks;
pub use life::as_importance;
pub use list::{ListQuery, Page};
pub use maintain::{
    JobInfo, JobReport, LastRun, PlannedAction, QueueState, QueuedTask, StepOutcome,
};
pub use mode::Mode;
pub use names::{Entry, Names};
pub use recall::{Vectored, calibration};
pub use reembed::{ReembedProgress, ReembedReport};
#[doc(hidden)]
pub use refusal::Refusal;
use scheduler::Scheduler;
pub use seen::ClockJump;
use spaces::Spaces;
pub use suspicion::Suspicion;
pub use undone::{Undone, UndoneChange, UndoneMemory};
pub use validate::ValidateReport;
pub use view::{Change, Changes, View};
use worker::Worker;
pub use write::{Arrival, set_status_in};
pub use write_cx::WriteCx;

/// An open file of memories: the composition of the layers.
pub struct Engine {
    pub store: Store,
    pub path: Option<PathBuf>,
    pub clock: Arc<dyn Clock>,
    pub ids: IdGenerator,
    /// The embedder of new memories.
    pub embedder: Arc<dyn Embedder>,
    /// The embedder of new memories, where it brings no calibration of its own.
    measured: Option<Arc<MeasuredEmbedder>>,
    /// All embedders whose vectors can be searched.
    embedders: Vec<Arc<dyn Embedder>>,
    prototypes: prototypes::PrototypesCache,
    pub fingerprint: Fingerprint,
    pub shape: Shape,
    pub profiles: Arc<CompiledProfiles>,
    /// The judges and models that may be asked.
    pub advisers: Arc<dyn Advisers>,
    pub spaces: Arc<Spaces>,
    pub(crate) chunks: Arc<ChunkCache>,
    pub worker: Worker,
    pub scheduler: Scheduler,
    /// Whether jobs run when they are due.
    scheduled: bool,
    /// Runs of jobs of one profile do not overlap.
    job_locks: KeyedLocks<String>,
    /// Queues whose work of a process that is gone was taken back.
    pub reclaimed: Mutex<BTreeSet<Lane>>,
    columns_due: load::ColumnsDue,
    /// Namespaces of which more rows than vectors were loaded: the worker looks for those that have
    /// none.
    lacking: Mutex<BTreeSet<NamespaceId>>,
    pub names: Arc<Names>,
    pub admission_locks: KeyedLocks<NamespaceId>,
    /// An import compares what a file brings with what is there, and stores it, one at a time for a
    /// namespace.
    pub import_locks: KeyedLocks<NamespaceId>,
    /// The deletions that are being carried out, by their numbers in the queues.
    pub deleting: parking_lot::Mutex<std::collections::BTreeSet<(annals_types::NamespaceId, u64)>>,
    /// Used when the last handle goes: nobody waits for a model then.
    pub closing: Cancel,
    /// Searches in place of a built-in index.
    backend: Option<Arc<dyn SearchBackend>>,
    /// The counters since the file was opened.
    pub counts: counts::Counts,
    pub extensions: extension::Extensions,
}

/// Where memories are kept.
pub enum Home<'a> {
    /// In a file.
    File(&'a Path),
    /// In memory.
    Memory,
    /// Wherever an engine keeps them.
    Engine(Box<dyn annals_storage::Engine>),
}

/// The result of taking over something that another file knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept<T = ()> {
    /// It is kept.
    New(T),
    /// It was there.
    There,
    /// Something that it names is not here, or the profile keeps none.
    LeftOut,
}

impl<T> Kept<T> {
    /// Without what it is kept as.
    pub fn done(self) -> Kept {
        match self {
            Self::New(_) => Kept::New(()),
            Self::There => Kept::There,
            Self::LeftOut => Kept::LeftOut,
        }
    }
}

impl Engine {
    pub fn open(
        options: Config,
        home: Home<'_>,
        advisers: Arc<dyn Advisers>,
        extensions: extension::Extensions,
    ) -> Result<Arc<Self>, Error> {
        let scheduled = options.scheduler && !options.read_only;
        let cache = usize::try_from(options.profile.text.cache_bytes).unwrap_or(usize::MAX);
        let profiles = Arc::new(CompiledProfiles::new(
            options.profile.clone(),
            &options.zone,
            options.redactor.clone(),
        )?);
        let path = if let Home::File(path) = home {
            Some(path.to_owned())
        } else {
            None
        };
        let store = match home {
            Home::File(path) => open_file(&options, path)?,
            Home::Memory => Store::in_memory(),
            Home::Engine(engine) => Store::with_engine(engine)?,
        };
        let builtin: Arc<dyn Embedder> = Arc::new(BuiltinEmbedder::new());
        let embedder = options.embedder.unwrap_or_else(|| Arc::clone(&builtin));
        let (embedder, measured) = MeasuredEmbedder::wrap(embedder);
        let shape = Shape::new(embedder.dims())?;
        let engine = Arc::new(Self {
            store,
            path,
            clock: options.clock,
            ids: options
                .id_seed
                .map_or_else(IdGenerator::new, IdGenerator::seeded),
            fingerprint: embedder.fingerprint(),
            embedders: vec![Arc::clone(&embedder), builtin],
            embedder,
            measured,
            prototypes: prototypes::PrototypesCache::default(),
            shape,
            spaces: Arc::new(Spaces::new(options.memory_bytes)),
            chunks: Arc::new(ChunkCache::new(cache)),
            profiles,
            advisers,
            worker: Worker::default(),
            scheduler: Scheduler::default(),
            job_locks: KeyedLocks::default(),
            reclaimed: Mutex::default(),
            columns_due: load::ColumnsDue::default(),
            lacking: Mutex::default(),
            names: Arc::default(),
            admission_locks: KeyedLocks::default(),
            import_locks: KeyedLocks::default(),
            deleting: parking_lot::Mutex::default(),
            closing: Cancel::new(),
            backend: options.backend,
            scheduled,
            counts: counts::Counts::default(),
            extensions,
        });
        let spaces = Arc::clone(&engine.spaces);
        engine.store.after_each_group(move || spaces.publish());
        let (spaces, names) = (Arc::clone(&engine.spaces), Arc::clone(&engine.names));
        let profiles = Arc::clone(&engine.profiles);
        engine.store.when_overtaken(move |_| {
            names.forget();
            profiles.forget();
            spaces.close_all();
        });
        words::load(&engine.snapshot()?, engine.profiles.catalogue())?;
        engine.load_measurement()?;
        engine.worker.attach(&engine);
        if engine.store.is_read_only() {
            engine.worker.stop();
        } else {
            engine.resume_deletions()?;
            engine.resume_orders()?;
            engine.resume_clearing()?;
        }
        Ok(engine)
    }

    /// Starts the thread that runs jobs, where the settings want one.
    pub fn start(self: &Arc<Self>) -> Result<(), Error> {
        if self.scheduled {
            self.scheduler.start(self)
        } else {
            Ok(())
        }
    }

    /// Ends all background work, and writes what was counted in memory.
    pub fn stop(&self) {
        self.closing.cancel();
        self.worker.stop();
        self.scheduler.stop();
        if !self.store.is_read_only() {
            self.extensions.flush(self);
        }
        #[cfg(feature = "witness")]
        self.testify();
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        self.worker.check()?;
        Ok(self.store.snapshot()?)
    }

    /// The number of a namespace; `None` when there is none of that name. A call asks once, at its
    /// door.
    pub fn find(&self, name: &NamespaceName) -> Result<Option<NamespaceId>, Error> {
        if let Some(id) = self.names.get(name) {
            return Ok(Some(id));
        }
        let snapshot = self.snapshot()?;
        let found = annals_records::namespace::find(&snapshot, name)?
            .filter(|n| !n.doomed)
            .map(|n| n.id);
        Ok(found)
    }

    /// Whether a namespace has not been deleted.
    pub fn is_there(&self, ns: NamespaceId) -> Result<bool, Error> {
        Ok(annals_records::namespace::by_number(&self.snapshot()?, ns)?
            .is_some_and(|found| !found.doomed))
    }
}

fn open_file(options: &Config, path: &Path) -> Result<Store, Error> {
    if options.read_only || !options.create {
        // Not even an error says that nothing is there.
        let there = path
            .try_exists()
            .map_err(|error| Error::io(format!("looking for {}", path.display()), error))?;
        if !there {
            let reason = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(Error::io(
                format!("{}: there is no such file; check the path", path.display()),
                reason,
            ));
        }
    }
    let storage = annals_storage::Options::default()
        .cache_bytes(options.cache_bytes)
        .wait(options.wait);
    let storage = storage
        .read_only(options.read_only)
        .past_readers(options.past_readers)
        .foreign(options.foreign);
    Ok(storage.open(path)?)
}
