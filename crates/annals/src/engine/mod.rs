//! What all handles of one memory share.

mod adjust;
mod admit;
mod adopt;
mod advisers;
pub(crate) mod bulk;
pub(crate) mod changed;
mod claims;
pub(crate) mod compiled;
pub(crate) mod conversations;
mod counts;
pub(crate) mod cursors;
pub(crate) mod decisions;
pub(crate) mod deletion;
pub(crate) mod effect;
mod embed;
mod ends;
pub(crate) mod episodes;
pub(crate) mod evidence;
pub(crate) mod extension;
pub(crate) mod graph;
mod heard;
pub(crate) mod histories;
mod jobs;
mod json;
pub(crate) mod keyed_locks;
mod late;
pub(crate) mod lessons;
mod life;
mod load;
mod names;
mod nodes;
pub(crate) mod parted;
mod precheck;
pub(crate) mod privacy;
pub(crate) mod proposals;
mod recall;
mod reembed;
pub(crate) mod remarks;
pub(crate) mod resolve;
mod retold;
mod reviews;
pub(crate) mod revise;
mod scheduler;
mod sessions;
mod spaces;
pub(crate) mod spending;
pub(crate) mod stale;
pub(crate) mod suspicions;
pub(crate) mod tables;
mod takeback;
mod timed;
mod travel;
mod undo;
mod validate;
pub(crate) mod view;
#[cfg(feature = "witness")]
mod witness;
mod worker;
mod write;
mod write_cx;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_extraction::Count;
use annals_extraction::provider::{Cancel, Provider};
use annals_lifecycle::Lane;
use annals_storage::{Snapshot, Store};
use annals_text::ChunkCache;
use annals_types::{
    Clock, Embedder, Extractor, Fingerprint, IdGenerator, Interpreter, Judge, NamespaceId, NamespaceName,
    SearchBackend, Summarizer, Timestamp,
};
use annals_vector::Shape;
use annals_vector::embed::BuiltinEmbedder;
use parking_lot::Mutex;

use crate::{Error, Options};
use compiled::CompiledProfiles;
pub(crate) use compiled::support;
pub(crate) use embed::Prepared;
pub(crate) use episodes::Left;
pub(crate) use jobs::tasks;
use keyed_locks::KeyedLocks;
pub(crate) use life::as_importance;
pub(crate) use names::{Entry, Names};
pub(crate) use recall::Vectored;
use scheduler::Scheduler;
use spaces::Spaces;
pub(crate) use view::{Change, Changes, View};
use worker::Worker;
pub(crate) use write::{Arrival, set_status_in};
pub(crate) use write_cx::WriteCx;

/// The shared part of [`Memory`](crate::blocking::Memory): composition of layers, and nothing that a layer could do by itself.
pub(crate) struct Engine {
    pub(crate) store: Store,
    pub(crate) path: Option<PathBuf>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: IdGenerator,
    /// What new memories are embedded with.
    pub(crate) embedder: Arc<dyn Embedder>,
    /// All embedders whose vectors can be searched.
    embedders: Vec<Arc<dyn Embedder>>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) shape: Shape,
    pub(crate) profiles: Arc<CompiledProfiles>,
    /// Who is named to decide reviews.
    judge: Option<Arc<dyn Judge>>,
    /// Who is named to make one text of many messages.
    summarizer: Option<Arc<dyn Summarizer>>,
    /// The folder of the files that mirror a namespace; jobs write none without it.
    pub(crate) mirrors: Option<String>,
    pub(crate) spaces: Arc<Spaces>,
    pub(crate) chunks: Arc<ChunkCache>,
    pub(crate) worker: Worker,
    pub(crate) scheduler: Scheduler,
    /// Runs of jobs of one profile do not overlap.
    job_locks: KeyedLocks<String>,
    /// Queues whose work of a process that is gone was taken back.
    reclaimed: Mutex<BTreeSet<Lane>>,
    columns_due: load::ColumnsDue,
    /// Namespaces of which more rows than vectors were loaded: the worker looks for those that have none.
    lacking: Mutex<BTreeSet<NamespaceId>>,
    pub(crate) names: Arc<Names>,
    admission_locks: KeyedLocks<NamespaceId>,
    /// An import compares what a file brings with what is there, and stores it, one at a time for a namespace.
    pub(crate) import_locks: KeyedLocks<NamespaceId>,
    /// Held by whoever brings files into step.
    pub(crate) mirroring: parking_lot::ReentrantMutex<()>,
    /// The deletions that are being carried out, by their numbers in the queues.
    pub(crate) deleting: parking_lot::Mutex<std::collections::BTreeSet<(annals_types::NamespaceId, u64)>>,
    /// How many tokens a text has.
    pub(crate) count: Count,
    /// Used when the last handle goes: nobody waits for a model then.
    pub(crate) closing: Cancel,
    extractor: Option<Arc<dyn Extractor>>,
    interpreter: Option<Arc<dyn Interpreter>>,
    /// Who is asked where nobody else is named.
    pub(crate) model: Option<Arc<dyn Provider>>,
    /// Who searches in place of a built-in index.
    backend: Option<Arc<dyn SearchBackend>>,
    /// Who looks through conversations, where it is another one.
    pub(crate) extraction_model: Option<Arc<dyn Provider>>,
    /// What was done since the file was opened.
    pub(crate) counts: counts::Counts,
    /// What the models were asked.
    accounts: spending::Accounts,
    extensions: extension::Extensions,
}

/// Where memories are kept.
pub(crate) enum Home<'a> {
    /// In a file.
    File(&'a Path),
    /// In memory.
    Memory,
    /// Wherever an engine keeps them.
    Engine(Box<dyn annals_storage::Engine>),
}

/// What became of something that another file knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept<T = ()> {
    /// It is kept.
    New(T),
    /// It was there.
    There,
    /// Something that it names is not here, or the profile keeps none.
    LeftOut,
}

impl<T> Kept<T> {
    /// Without what it is kept as.
    pub(crate) fn done(self) -> Kept {
        match self {
            Self::New(_) => Kept::New(()),
            Self::There => Kept::There,
            Self::LeftOut => Kept::LeftOut,
        }
    }
}

/// What handles hold: the engine, whose background thread ends with the last of them, so that the file is closed then.
pub(crate) struct Handle(Arc<Engine>);

impl std::ops::Deref for Handle {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.closing.cancel();
        self.0.worker.stop();
        self.0.scheduler.stop();
        if !self.0.store.is_read_only() {
            self.0.try_write_accounts();
        }
        #[cfg(feature = "witness")]
        self.0.testify();
    }
}

impl Engine {
    pub(crate) fn open(
        options: Options,
        home: Home<'_>,
        extensions: extension::Extensions,
    ) -> Result<Arc<Handle>, Error> {
        let scheduled = options.scheduler && !options.read_only;
        let cache = usize::try_from(options.profile.text.cache_bytes).unwrap_or(usize::MAX);
        let profiles =
            Arc::new(CompiledProfiles::new(options.profile.clone(), &options.zone, options.redactor.clone())?);
        let path = if let Home::File(path) = home { Some(path.to_owned()) } else { None };
        let store = match home {
            Home::File(path) => open_file(&options, path)?,
            Home::Memory => Store::in_memory(),
            Home::Engine(engine) => Store::with_engine(engine)?,
        };
        let builtin: Arc<dyn Embedder> = Arc::new(BuiltinEmbedder::new());
        let embedder = options.embedder.unwrap_or_else(|| Arc::clone(&builtin));
        let shape = Shape::new(embedder.dims())?;
        let mut accounts = spending::Accounts::default();
        let model = options.model.map(|model| accounts.of(model));
        let extraction_model = options.extraction_model.map(|model| accounts.of(model));
        let engine = Arc::new(Self {
            store,
            path,
            clock: options.clock,
            ids: options.id_seed.map_or_else(IdGenerator::new, IdGenerator::seeded),
            fingerprint: embedder.fingerprint(),
            embedders: vec![Arc::clone(&embedder), builtin],
            embedder,
            shape,
            spaces: Arc::new(Spaces::new(options.memory_bytes)),
            chunks: Arc::new(ChunkCache::new(cache)),
            profiles,
            judge: options.judge,
            mirrors: options.mirrors,
            worker: Worker::default(),
            scheduler: Scheduler::default(),
            job_locks: KeyedLocks::default(),
            reclaimed: Mutex::default(),
            columns_due: load::ColumnsDue::default(),
            lacking: Mutex::default(),
            names: Arc::default(),
            admission_locks: KeyedLocks::default(),
            import_locks: KeyedLocks::default(),
            mirroring: parking_lot::ReentrantMutex::default(),
            deleting: parking_lot::Mutex::default(),
            closing: Cancel::new(),
            count: options.count,
            summarizer: options.summarizer,
            extractor: options.extractor,
            interpreter: options.interpreter,
            model,
            backend: options.backend,
            extraction_model,
            counts: counts::Counts::default(),
            accounts,
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
        engine.worker.attach(&engine);
        if engine.store.is_read_only() {
            engine.worker.stop();
        } else {
            engine.resume_deletions()?;
            engine.resume_orders()?;
            engine.resume_clearing()?;
        }
        let handle = Arc::new(Handle(engine));
        if scheduled {
            handle.scheduler.start(&handle.0)?;
        }
        Ok(handle)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn snapshot(&self) -> Result<Snapshot, Error> {
        self.worker.check()?;
        Ok(self.store.snapshot()?)
    }

    /// The number of a namespace; `None` when there is none of that name. A call asks once, at its door.
    pub(crate) fn find(&self, name: &NamespaceName) -> Result<Option<NamespaceId>, Error> {
        if let Some(id) = self.names.get(name) {
            return Ok(Some(id));
        }
        let snapshot = self.snapshot()?;
        let found = annals_records::namespace::find(&snapshot, name)?.filter(|n| !n.doomed).map(|n| n.id);
        Ok(found)
    }

    /// Whether a namespace has not been deleted.
    pub(crate) fn is_there(&self, ns: NamespaceId) -> Result<bool, Error> {
        Ok(annals_records::namespace::by_number(&self.snapshot()?, ns)?.is_some_and(|found| !found.doomed))
    }
}

fn open_file(options: &Options, path: &Path) -> Result<Store, Error> {
    if !path.exists() && (options.read_only || !options.create) {
        let reason = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(Error::io(format!("{}: there is no such file; check the path", path.display()), reason));
    }
    let storage = annals_storage::Options::default().cache_bytes(options.cache_bytes).wait(options.wait);
    Ok(storage.read_only(options.read_only).open(path)?)
}
