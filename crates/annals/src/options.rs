use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use annals_extraction::provider::Provider;
use annals_types::profile::Profile;
use annals_types::{
    Clock, Count, EmbedError, Embedder, Extractor, Interpreter, Judge, Redactor, SearchBackend,
    Summarizer,
};
use annals_vector::embed::MeasuredEmbedder;

use annals_share::{Difference, Welcome};
use xxhash_rust::xxh3::xxh3_64;

use crate::handle::Handle;
use crate::named_embedder::NamedEmbedder;
use crate::{Error, blocking, handles, shared};
use annals_curation::models::{Configured, Models};
use annals_curation::service::Curation;
use annals_engine::config::Config;
use annals_engine::extension::{Extension, Extensions, Service};
use annals_engine::{Engine, Home};
use annals_files::Files;
use annals_transfer::Imports;

/// The name of the embedder among the settings and the facts of an owner.
pub(crate) const EMBEDDER: &str = "embedder";

/// The least time that an owner of a shared file is waited for.
const LEAST_PATIENCE: Duration = Duration::from_secs(1);

/// How a memory is opened.
#[derive(Clone)]
#[must_use = "options do nothing until open()"]
pub struct Options {
    config: Config,
    named_embedder: Option<NamedEmbedder>,
    judge: Option<Arc<dyn Judge>>,
    model: Option<Arc<dyn Provider>>,
    extraction_model: Option<Arc<dyn Provider>>,
    count: Count,
    summarizer: Option<Arc<dyn Summarizer>>,
    mirrors: Option<String>,
    extractor: Option<Arc<dyn Extractor>>,
    interpreter: Option<Arc<dyn Interpreter>>,
    extensions: Vec<Arc<dyn Extension>>,
    shared: bool,
    kept: bool,
    start: Option<Arc<StartOwner>>,
    owner_log: Option<PathBuf>,
    /// Whether the clock is one of the caller's own.
    own_clock: bool,
}

/// Starts a process that owns a file.
type StartOwner = dyn Fn() -> std::io::Result<std::process::Child> + Send + Sync;

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults: system clock, random ids, the built-in embedder, the default profile, 32 MiB
    /// of file cache, 1 GiB for open namespaces, and a missing file is created.
    pub fn new() -> Self {
        Self {
            config: Config::default(),
            named_embedder: None,
            judge: None,
            model: None,
            extraction_model: None,
            count: Arc::new(annals_extraction::window::estimate),
            summarizer: None,
            mirrors: None,
            extractor: None,
            interpreter: None,
            extensions: Vec::new(),
            shared: false,
            kept: false,
            start: None,
            owner_log: None,
            own_clock: false,
        }
    }

    /// Where the time comes from.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.config.clock = clock;
        self.own_clock = true;
        self
    }

    /// Makes ids depend only on this seed and the clock.
    pub const fn id_seed(mut self, seed: u64) -> Self {
        self.config.id_seed = Some(seed);
        self
    }

    /// What turns texts into vectors; the built-in embedder by default.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.config.embedder = Some(embedder);
        self.named_embedder = None;
        self
    }

    /// The same, opened once this process needs it: one that goes through the owner of a
    /// [shared](Self::share) file leaves it to the owner. All processes of a file must have the
    /// same name for the same embedder, such as the folder of its model; one whose owner has
    /// another name for it opens its own to compare them.
    pub fn embedder_from(
        mut self,
        name: impl Into<String>,
        open: impl Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync + 'static,
    ) -> Self {
        self.config.embedder = None;
        self.named_embedder = Some(NamedEmbedder::new(name.into(), open));
        self
    }

    /// The profile of namespaces that were given none.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.config.profile = profile;
        self
    }

    /// The time zone of profiles that leave it to whoever opens the file (`time.zone = "local"`,
    /// which is what they do unless they name one): a name of the time zone database, such as
    /// `Europe/Berlin`; UTC by default. [`Zone::system`](crate::language::Zone::system) is that of
    /// the operating system.
    pub fn zone(mut self, name: impl Into<String>) -> Self {
        self.config.zone = name.into();
        self
    }

    /// Who decides what becomes of memories under review when a job asks; without one they wait for
    /// a person.
    pub fn judge(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    /// Who makes one text of the messages of a conversation that no longer fit; without one they
    /// stay at hand. It also makes summaries again that have lost one of their sources; without one
    /// they wait in the queue.
    pub fn summarizer(mut self, summarizer: Arc<dyn Summarizer>) -> Self {
        self.summarizer = Some(summarizer);
        self
    }

    /// The language model that looks through conversations, judges and summarizes, by the settings
    /// of the profiles, wherever nobody else is named for it; none by default: what waits for one
    /// stays in the queue. What it is asked and what that costs is
    /// [kept with the file](crate::blocking::Memory::spent).
    pub fn model(mut self, model: Arc<dyn Provider>) -> Self {
        self.model = Some(model);
        self
    }

    /// Another language model that looks through conversations in the place of
    /// [`model`](Self::model), such as a smaller one.
    pub fn extraction_model(mut self, model: Arc<dyn Provider>) -> Self {
        self.extraction_model = Some(model);
        self
    }

    /// Counts the tokens of texts, for windows and contexts with a limit: the tokenizer of the
    /// model, for instance. By default they are [estimated](crate::llm::window::estimate), because
    /// the tokenizer of a model behind an address is not known.
    pub fn count_tokens(mut self, count: Count) -> Self {
        self.count = count;
        self
    }

    /// Counts them with the tokenizer of the model, a file `tokenizer.json` in the form of Hugging
    /// Face, which is read at once.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the file is missing, another when
    /// it cannot be read, [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it holds something
    /// else; both name it.
    #[cfg(feature = "tokenizer")]
    pub fn tokenizer(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        use annals_extraction::window::{Tokenizer, TokenizerError};
        let tokenizer = Tokenizer::open(&path).map_err(|error| match error {
            TokenizerError::Unreadable { path, source } => Error::io(
                format!("cannot read the tokenizer {}", path.display()),
                source,
            ),
            broken => Error::bad_input(broken.to_string()),
        })?;
        Ok(self.count_tokens(tokenizer.counting()))
    }

    /// The folder in which jobs keep the files that mirror the memories of a namespace, as its
    /// profile says: `{name}` is the namespace, and `~/` the home folder. Without it jobs touch no
    /// files.
    pub fn mirrors(mut self, folder: impl Into<String>) -> Self {
        self.mirrors = Some(folder.into());
        self
    }

    /// A search engine of one's own in place of the built-in index of words or of vectors,
    /// whichever it [stands for](SearchBackend::part). Recall asks it for candidates and what they
    /// score; where it fails, the built-in index answers.
    pub fn search_backend(mut self, backend: Arc<dyn SearchBackend>) -> Self {
        self.config.backend = Some(backend);
        self
    }

    /// Finds secrets and personal data in place of the built-in table
    /// ([`BuiltInRedactor`](crate::BuiltInRedactor)), whatever namespace they come to. The privacy
    /// settings of each profile say what becomes of a kind, and its own rules still count.
    pub fn redactor(mut self, redactor: Arc<dyn Redactor>) -> Self {
        self.config.redactor = Some(redactor);
        self
    }

    /// Finds memories in conversations, and finds again what a memory says that lost one of its
    /// sources. Without one the model does. Without a model the turns are kept as they are, and
    /// what is to be looked through waits in the queue.
    pub fn extractor(mut self, extractor: Arc<dyn Extractor>) -> Self {
        self.extractor = Some(extractor);
        self
    }

    /// Who says what single memories say as triples, where the profile wants that
    /// (`extract.triples = "model"`); without one the model does.
    pub fn interpreter(mut self, interpreter: Arc<dyn Interpreter>) -> Self {
        self.interpreter = Some(interpreter);
        self
    }

    /// Memory for pages of the file, in bytes; 32 MiB by default.
    pub const fn cache_bytes(mut self, bytes: usize) -> Self {
        self.config.cache_bytes = bytes;
        self
    }

    /// Memory for open namespaces, in bytes, above which the least recently used are closed; 1 GiB
    /// by default. The namespace in use stays open whatever it takes.
    pub const fn memory_bytes(mut self, bytes: u64) -> Self {
        self.config.memory_bytes = bytes;
        self
    }

    /// Whether a missing file is created; true by default.
    pub const fn create(mut self, create: bool) -> Self {
        self.config.create = create;
        self
    }

    /// How long to wait for a file that another process or handle has open; not at all by default.
    pub const fn wait(mut self, wait: Duration) -> Self {
        self.config.wait = wait;
        self
    }

    /// Whether the file is only read; false by default. Then not a byte of it is written: what an
    /// unclean end left to repair is repaired in memory, background work rests, and every call that
    /// would change something is refused with [`ErrorKind::ReadOnly`](crate::ErrorKind::ReadOnly).
    /// Several readers may have a file open at once; a writer waits for them, and they wait for a
    /// writer. A writer that has waited in vain (`wait`) goes on with a copy of the file, which
    /// takes its place: readers keep what they have read. A missing file is not created. A file
    /// whose log is damaged is read as it was before the damage, which
    /// [`Memory::damage`](crate::Memory::damage) tells; it cannot be opened for writing.
    pub const fn read_only(mut self, read_only: bool) -> Self {
        self.config.read_only = read_only;
        self
    }

    /// Whether jobs of profiles run when they are due, on a thread of its own that ends with the
    /// last handle; false by default, because a program that opens a file for one call wants
    /// nothing written behind its back. Then [`maintain`](blocking::Memory::maintain) runs them.
    pub const fn scheduler(mut self, scheduler: bool) -> Self {
        self.config.scheduler = scheduler;
        self
    }

    /// Registers tables of your own that follow what happens to memories; see
    /// [`extension`](crate::extension).
    pub fn extension(mut self, extension: Arc<dyn Extension>) -> Self {
        self.extensions.push(extension);
        self
    }

    /// Whether the file is used together with other processes that share it; false by default. The
    /// first of them owns the file and answers the calls of the others through a socket beside it;
    /// when it ends, another one takes over. A process with parts of its own (a clock, a judge, an
    /// extension and the like) asks the owner for the file, and so does one with other settings
    /// (time zone, embedder, model and the like) than the owner's; where the owner has parts of its
    /// own as well, this fails with [`ErrorKind::NotShared`](crate::ErrorKind::NotShared).
    /// [`wait`](Self::wait) says how long to wait for an owner that starts, ends or takes over, at
    /// least a second. A file that is only read is read through its owner, where it has one.
    pub const fn share(mut self, share: bool) -> Self {
        self.shared = share;
        self
    }

    /// Whether this process keeps a shared file while it has it open, as one with parts of its own
    /// does; false by default. Its handles work on the file directly: snapshots, working memory and
    /// watches need that.
    pub const fn keep(mut self, keep: bool) -> Self {
        self.kept = keep;
        self
    }

    /// Has another process started that owns a shared file where it has no owner, instead of owning
    /// it in this one: for programs that end after a call or two.
    pub fn start_owner(
        mut self,
        start: impl Fn() -> std::io::Result<std::process::Child> + Send + Sync + 'static,
    ) -> Self {
        self.start = Some(Arc::new(start));
        self
    }

    /// Names the file in which an owner that is [started](Self::start_owner) says what goes wrong:
    /// errors of calls that it does not answer name it.
    pub fn owner_log(mut self, path: impl Into<PathBuf>) -> Self {
        self.owner_log = Some(path.into());
        self
    }

    /// Opens a file.
    ///
    /// # Errors
    /// When the file is in use for longer than the [wait](Self::wait), is something else, is
    /// damaged, too new or too old, cannot be read and written, or is missing and must not be
    /// created.
    pub fn open(self, path: impl AsRef<Path>) -> Result<blocking::Memory, Error> {
        if self.shared && !self.config.read_only {
            return shared::open(self, path.as_ref());
        }
        if self.shared
            && let Some(memory) = shared::join(&self, path.as_ref())?
        {
            return Ok(memory);
        }
        self.open_at(Home::File(path.as_ref()))
            .map(blocking::Memory::from)
    }

    /// Sets whether the file may belong to another user, who reads what is stored in it and says
    /// what is read from it; it is refused by default. A file of the administrator is not refused.
    pub fn foreign(mut self, foreign: bool) -> Self {
        self.config.foreign = foreign;
        self
    }

    /// Whether those that only read the file are not waited for.
    pub(crate) fn past_readers(mut self, past_readers: bool) -> Self {
        self.config.past_readers = past_readers;
        self
    }

    /// Opens a file in this process alone.
    pub(crate) fn open_alone(self, path: &Path) -> Result<handles::Memory, Error> {
        self.open_at(Home::File(path))
    }

    /// How files are opened.
    pub(crate) fn storage(&self) -> annals_storage::Options {
        let storage = annals_storage::Options::default()
            .cache_bytes(self.config.cache_bytes)
            .wait(self.config.wait);
        storage.foreign(self.config.foreign)
    }

    /// Lets the file be written, and not by jobs of its own.
    pub(crate) const fn for_repair(mut self) -> Self {
        (
            self.config.read_only,
            self.config.scheduler,
            self.config.create,
        ) = (false, false, true);
        self
    }

    /// Whether nothing is written.
    pub(crate) const fn only_reads(&self) -> bool {
        self.config.read_only
    }

    /// The parts that no other process has, by name.
    pub(crate) fn own_parts(&self) -> Vec<String> {
        let parts = [
            ("handles", self.kept),
            ("clock", self.own_clock),
            ("ids", self.config.id_seed.is_some()),
            ("redactor", self.config.redactor.is_some()),
            ("search backend", self.config.backend.is_some()),
            ("judge", self.judge.is_some()),
            ("summarizer", self.summarizer.is_some()),
            ("extractor", self.extractor.is_some()),
            ("interpreter", self.interpreter.is_some()),
            ("extension", !self.extensions.is_empty()),
        ];
        parts
            .into_iter()
            .filter(|(_, own)| *own)
            .map(|(name, _)| name.to_owned())
            .collect()
    }

    /// The settings that change answers, by name.
    pub(crate) fn settings(&self) -> Result<annals_share::Settings, Error> {
        let profile = &self.config.profile;
        let profile = format!(
            "{:016x}",
            xxh3_64(annals_engine::profiles::render(profile)?.as_bytes())
        );
        let mut settings = annals_share::Settings::new();
        settings.insert("time zone".to_owned(), self.config.zone.clone());
        settings.insert("default profile".to_owned(), profile);
        settings.insert(
            "mirrors".to_owned(),
            self.mirrors.clone().unwrap_or_default(),
        );
        if let Some(embedder) = &self.named_embedder {
            settings.insert(EMBEDDER.to_owned(), embedder.name().to_owned());
        }
        for (name, model) in [
            ("model", &self.model),
            ("model of extraction", &self.extraction_model),
        ] {
            if let Some(model) = model {
                settings.insert(name.to_owned(), model.name());
            }
        }
        Ok(settings)
    }

    /// The setting in which an owner differs from these, if any: its name, the owner's value and
    /// the one here. Without an embedder of its own a process takes that of the owner.
    pub(crate) fn difference(
        &self,
        settings: &annals_share::Settings,
        owner: &Welcome,
    ) -> Result<Option<Difference>, Error> {
        let theirs = |name: &String| owner.settings.get(name);
        let other = settings
            .iter()
            .find(|(name, value)| *name != EMBEDDER && theirs(name) != Some(value));
        if let Some((name, value)) = other {
            let theirs = theirs(name).map_or("another", String::as_str);
            return Ok(Some(Difference {
                name: name.clone(),
                theirs: theirs.to_owned(),
                ours: value.clone(),
            }));
        }
        let embedder = match &self.named_embedder {
            Some(named)
                if owner
                    .settings
                    .get(EMBEDDER)
                    .is_some_and(|name| name == named.name()) =>
            {
                return Ok(None);
            }
            Some(named) => Some(named.get()?),
            None => self.config.embedder.clone(),
        };
        let theirs = owner
            .facts
            .get(EMBEDDER)
            .and_then(|fingerprint| fingerprint.as_str())
            .unwrap_or("another");
        let fingerprint =
            |embedder: Arc<dyn Embedder>| MeasuredEmbedder::fingerprint_of(&*embedder).0;
        let ours = embedder.map(fingerprint).filter(|ours| ours != theirs);
        Ok(ours.map(|ours| Difference {
            name: EMBEDDER.to_owned(),
            theirs: theirs.to_owned(),
            ours,
        }))
    }

    /// How long another process is waited for.
    pub(crate) const fn waiting(&self) -> Duration {
        self.config.wait
    }

    /// How long an owner is waited for.
    pub(crate) fn patience(&self) -> Duration {
        self.config.wait.max(LEAST_PATIENCE)
    }

    /// The model of the options.
    pub(crate) fn own_model(&self) -> Option<Arc<dyn Provider>> {
        self.model.clone()
    }

    /// Starts an owner, where the options say how.
    pub(crate) fn starter(&self) -> Option<annals_share::Start> {
        let start = self.start.clone()?;
        Some(Box::new(move || start()))
    }

    /// Where an owner that is started says what goes wrong.
    pub(crate) fn log_of_owner(&self) -> Option<PathBuf> {
        self.owner_log.clone()
    }

    /// Opens what a storage engine of one's own keeps. Nobody else may write to it while it is
    /// open.
    ///
    /// # Errors
    /// When the engine cannot be read, or holds something else or another format.
    pub fn open_on(
        self,
        engine: Box<dyn crate::storage::Engine>,
    ) -> Result<blocking::Memory, Error> {
        self.open_at(Home::Engine(engine))
            .map(blocking::Memory::from)
    }

    /// A memory that is gone when its last handle is dropped.
    ///
    /// # Errors
    /// When the profile or the embedder cannot be used.
    pub fn in_memory(self) -> Result<blocking::Memory, Error> {
        self.open_at(Home::Memory).map(blocking::Memory::from)
    }

    fn open_at(self, home: Home<'_>) -> Result<handles::Memory, Error> {
        let Self {
            mut config,
            named_embedder,
            judge,
            model,
            extraction_model,
            count,
            summarizer,
            mirrors,
            extractor,
            interpreter,
            extensions,
            ..
        } = self;
        if let Some(named) = named_embedder {
            config.embedder = Some(named.get()?);
        }
        let models = Configured {
            judge,
            summarizer,
            extractor,
            interpreter,
            model,
            extraction_model,
            count,
        };
        let models = Arc::new(Models::new(models));
        let files = Arc::new(Files::new(mirrors));
        // Each follows deletions in this order.
        let services: [Arc<dyn Service>; 3] = [
            Arc::new(Curation::new(Arc::clone(&models))),
            files.clone(),
            Arc::new(Imports),
        ];
        let extensions = Extensions::new(services.into(), extensions)?;
        let engine = Engine::open(config, home, Arc::<Models>::clone(&models), extensions)?;
        Ok(handles::Memory::new(Handle::new(engine, models, files)?))
    }
}
