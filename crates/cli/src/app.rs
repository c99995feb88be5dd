use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

/// A memory as it is stored; [`Memory`] is the handle.
pub(crate) use annals::StoredMemory as Record;
use annals::blocking::{Memory, Namespace};
use annals::profile::Profile;
use annals::{MemoryId, Missing, NamespaceName, Options, Timestamp};
use serde::Serialize;
use serde_json::json;

use crate::clones::Clones;
use crate::failure::{Exit, Failure};
use crate::paint::Paint;
use crate::settings::{DEFAULT_NAMESPACE, DEFAULT_PROFILE, Scope, Settings};
use crate::shared::Shared;
use crate::target::InUse;
use crate::texts::text;
use crate::visible;
use crate::world::World;
use crate::{embedder, folders, llm, share};

/// One run: the world, what was asked of it in general, and the ways to answer.
pub(crate) struct App<'r, 'w> {
    pub(crate) world: &'r mut World<'w>,
    pub(crate) settings: Settings,
    pub(crate) json: bool,
    pub(crate) paint: Paint,
    /// Whether a database was named on the command line.
    pub(crate) keeps: bool,
    quiet: bool,
    /// How long to wait for a database that is in use.
    wait: Duration,
    /// Whether the database is only read.
    pub(crate) reads_only: bool,
    /// Whether this run needs a shared database for itself.
    pub(crate) keeps_file: bool,
    /// Whether this run owns a shared database for others.
    pub(crate) owns: bool,
    /// Whether the embedder was named for this run, and not in the config file.
    pub(crate) own_embedder: bool,
    /// The language model that the command names.
    pub(crate) llm: Option<String>,
    /// The model that extracts memories from conversations, where the command names one.
    pub(crate) reader: Option<String>,
    /// Whether the command is nothing without the language model: any other goes on where that
    /// cannot be asked.
    pub(crate) needs_model: bool,
    /// Whether it was said already that it cannot.
    told_unasked: bool,
    /// Whether the command cuts texts to a number of tokens: only then the tokenizer is read.
    pub(crate) counts_tokens: bool,
    /// How often the database was opened: a second handle of a seeded run does not give the ids of
    /// the first again.
    opened: Cell<u64>,
    /// Whether the rights of other users were taken from the database.
    made_private: Cell<bool>,
    /// What the database lacks that cannot be read.
    damage: RefCell<Option<String>>,
}

/// Whether a command needs a database that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Existing,
    Create,
}

impl<'r, 'w> App<'r, 'w> {
    pub(crate) fn new(shared: &Shared, world: &'r mut World<'w>) -> Result<Self, Failure> {
        let settings = Settings::resolve(shared, world)?;
        let own_embedder = shared.embedder.is_some() || world.var("ANNALS_EMBEDDER").is_some();
        let paint = Paint::choose(world, world.terminal.output, shared.no_color);
        Ok(Self {
            world,
            settings,
            json: shared.json,
            paint,
            keeps: shared.db.is_some(),
            quiet: shared.quiet,
            wait: shared.wait,
            reads_only: false,
            keeps_file: false,
            owns: false,
            own_embedder,
            llm: None,
            reader: None,
            needs_model: false,
            told_unasked: false,
            counts_tokens: false,
            opened: Cell::new(0),
            made_private: Cell::new(false),
            damage: RefCell::new(None),
        })
    }

    /// The files that this run uses, into which nothing else is written.
    pub(crate) fn in_use(&self) -> InUse {
        InUse::database(&self.settings.db)
    }

    /// Options with the clock, ids, profile, embedder and language model of this run.
    pub(crate) fn options(&mut self) -> Result<Options, Failure> {
        let (options, named) = (
            self.options_without_model()?,
            (self.model()?, self.reader()?),
        );
        let options = match llm::added(options.clone(), &named, (&*self.world, &self.in_use())) {
            Err(failure) if failure.exit == Exit::Embedder && !self.needs_model => {
                self.tell_unasked(&failure)?;
                // Neither of two models is asked in the place of the other: its price was not
                // chosen.
                options
            }
            added => added?,
        };
        match self
            .settings
            .tokenizer
            .as_deref()
            .filter(|_| self.counts_tokens)
        {
            Some(path) => llm::counted_by(path, options),
            None => Ok(options),
        }
    }

    /// Says once why no language model is asked; with --json, too, because no answer tells it.
    fn tell_unasked(&mut self, failure: &Failure) -> Result<(), Failure> {
        if self.told_unasked {
            return Ok(());
        }
        self.told_unasked = true;
        let why = visible::line(&failure.message);
        self.note_with_json(&text!("common-without-model", why))
    }

    /// The language model that is meant.
    pub(crate) fn model(&self) -> Result<Option<llm::Named>, Failure> {
        llm::model(self.llm.as_deref(), &self.settings, self.world)
    }

    /// The model that extracts memories from conversations.
    pub(crate) fn reader(&self) -> Result<Option<llm::Named>, Failure> {
        llm::reader(
            (self.reader.as_deref(), self.llm.as_deref()),
            &self.settings,
            self.world,
        )
    }

    /// The same without any language model, whatever is named outside.
    pub(crate) fn options_without_model(&self) -> Result<Options, Failure> {
        embedder::chosen(self.plain_options(), &self.settings, self.world)
    }

    /// How long to wait for a database that is in use.
    pub(crate) const fn wait(&self) -> Duration {
        self.wait
    }

    /// Options for what is done to a file and not to memories.
    pub(crate) fn storage_options(&self) -> Options {
        self.plain_options().wait(self.wait)
    }

    fn plain_options(&self) -> Options {
        let mut options = Options::new()
            .profile(self.settings.profile.clone())
            .zone(&self.settings.zone);
        options = options.foreign(self.settings.allow_foreign);
        if let Some(folder) = &self.settings.mirrors {
            options = options.mirrors(folder);
        }
        // The clock of the system is that of every process, and need not be said.
        if !self.world.shares {
            options = options.clock(Arc::clone(&self.world.clock));
        }
        match self.world.id_seed {
            Some(seed) => {
                options.id_seed(seed.wrapping_add(self.opened.replace(self.opened.get() + 1)))
            }
            None => options,
        }
    }

    pub(crate) fn open(&mut self, access: Access) -> Result<Memory, Failure> {
        let options = self.options()?;
        self.open_with(options, access)
    }

    /// Without any language model: for what must be quick.
    pub(crate) fn open_without_model(&self, access: Access) -> Result<Memory, Failure> {
        self.open_with(self.options_without_model()?, access)
    }

    /// Waits no longer than this for a database that is in use.
    pub(crate) fn wait_at_most(&mut self, wait: Duration) {
        self.wait = self.wait.min(wait);
    }

    /// With the built-in embedder, whatever was chosen: for what embeds nothing.
    pub(crate) fn open_plain(&self, access: Access) -> Result<Memory, Failure> {
        self.open_with(self.plain_options(), access)
    }

    /// The same, or an empty memory where there is no database: for what comes along with the
    /// program.
    pub(crate) fn open_any(&self) -> Result<Memory, Failure> {
        if self.has_database()? {
            self.open_plain(Access::Existing)
        } else {
            Ok(self.plain_options().in_memory()?)
        }
    }

    /// Whether there is a database. One that cannot be looked for is not taken for none.
    pub(crate) fn has_database(&self) -> Result<bool, Failure> {
        let path = &self.settings.db;
        path.try_exists()
            .map_err(|cause| Failure::file(&text!("common-read"), path, &cause))
    }

    pub(crate) fn open_with(&self, options: Options, access: Access) -> Result<Memory, Failure> {
        let path = &self.settings.db;
        if access == Access::Create {
            if let Some(folder) = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
            {
                annals_private::make_folder(folder).map_err(|cause| {
                    Failure::file(&text!("common-make-database-folder"), folder, &cause)
                })?;
            }
        } else if !self.has_database()? {
            let missing = Failure::new(
                Exit::NotFound,
                text!("common-no-database", path = path.display()),
            );
            return Err(missing.advice(text!("common-name-database")).at(path, None));
        }
        let options = options
            .create(access == Access::Create)
            .wait(self.wait)
            .read_only(self.reads_only);
        let is_open_to_others =
            || std::fs::metadata(path).is_ok_and(|found| annals_private::is_open_to_others(&found));
        let open_to_others = is_open_to_others();
        let memory = share::shared(options, self).open(path);
        if open_to_others && !is_open_to_others() {
            self.made_private.set(true);
        }
        let memory = memory.map_err(|error| Failure::from(error).at(path, None))?;
        if self.reads_only {
            *self.damage.borrow_mut() = memory.damage()?;
        }
        Ok(memory)
    }

    /// Fails where the database was read without a part that is damaged: the answer was given, and
    /// may not be whole.
    pub(crate) fn whole(&self) -> Result<(), Failure> {
        let Some(damage) = self.damage.borrow_mut().take() else {
            return Ok(());
        };
        let path = &self.settings.db;
        let failure = Failure::new(
            Exit::Damaged,
            text!("common-not-whole", path = path.display(), damage),
        );
        Err(failure.advice(text!("common-repair")).at(path, None))
    }

    /// Why a database could not be made where there is none yet: another user may listen in the
    /// place of its owner.
    pub(crate) fn obstacle(&self) -> Option<Failure> {
        let path = &self.settings.db;
        let options = self.plain_options().create(false).read_only(true);
        let refused = share::shared(options, self)
            .open(path)
            .err()
            .filter(annals::Error::is_locked)?;
        Some(Failure::from(refused).at(path, None))
    }

    /// Says once that other users lost their rights to the database; the data folder, which annals
    /// has made, goes with it.
    pub(crate) fn note_made_private(&mut self) -> Result<(), Failure> {
        if !self.made_private.take() {
            return Ok(());
        }
        let path = self.settings.db.clone();
        if let Some(folder) =
            folders::data(self.world).filter(|folder| path.parent() == Some(folder.as_path()))
        {
            annals_private::close_folder(&folder)
                .map_err(|cause| Failure::file(&text!("common-close-folder"), &folder, &cause))?;
        }
        self.note_with_json(&text!("common-made-private", path = path.display()))
    }

    /// The one namespace that is meant. Commands ask for it before they open a database: a mistake
    /// of the caller is named first.
    pub(crate) fn namespace_name(&self) -> Result<&str, Failure> {
        match self.settings.namespaces.as_slice() {
            [project, _] if self.settings.scope == Scope::Project => Ok(project),
            [name] => Ok(NamespaceName::new(name.as_str()).map(|_| name.as_str())?),
            _ => Err(Failure::usage(text!("common-one-namespace"))),
        }
    }

    pub(crate) fn namespace(&mut self, access: Access) -> Result<Namespace, Failure> {
        let name = self.namespace_name()?.to_owned();
        let memory = self.open(access)?;
        self.note_idle_profile(&memory)?;
        match access {
            Access::Existing => self.asked(&memory, &name),
            Access::Create => {
                self.note_project(&name)?;
                self.note_clone()?;
                Ok(memory.namespace(name)?)
            }
        }
    }

    /// The one namespace that is meant, in an open memory.
    fn asked_in(&mut self, memory: &Memory) -> Result<Namespace, Failure> {
        let name = self.namespace_name()?.to_owned();
        self.note_idle_profile(memory)?;
        self.asked(memory, &name)
    }

    /// A namespace that is asked something. Where nobody named it, it is empty until its first
    /// memory; any other name that is not there is a mistake.
    pub(crate) fn asked(&self, memory: &Memory, name: &str) -> Result<Namespace, Failure> {
        let unnamed = self.settings.scope == Scope::Project
            && self.settings.namespaces.iter().any(|own| own == name);
        if unnamed || name == DEFAULT_NAMESPACE {
            let namespace = memory.namespace(name)?;
            if name != DEFAULT_NAMESPACE && namespace.admin().exists()? {
                // A memory that was restored or imported may have no folder yet, and the next one
                // would take it. Where that cannot be written one can ask all the same.
                let _not_noted = self.note_clone();
            }
            return Ok(namespace);
        }
        existing(memory, name)
    }

    /// The namespace in which the first of some memories is kept: in a repository that may be the
    /// project or what is true of its user everywhere. Nothing is embedded, as in
    /// [`plain_namespace`](Self::plain_namespace).
    pub(crate) fn plain_namespace_of(&mut self, ids: &[MemoryId]) -> Result<Namespace, Failure> {
        self.namespace_name()?;
        let memory = self.open_plain(Access::Existing)?;
        self.narrow_to(&memory, ids)?;
        self.asked_in(&memory)
    }

    /// Like [`plain_namespace_of`](Self::plain_namespace_of), with the embedder.
    pub(crate) fn namespace_of(&mut self, ids: &[MemoryId]) -> Result<Namespace, Failure> {
        self.namespace_name()?;
        let memory = self.open(Access::Existing)?;
        self.narrow_to(&memory, ids)?;
        self.asked_in(&memory)
    }

    /// Works from now on in the namespace in which the first of some memories is kept.
    fn narrow_to(&mut self, memory: &Memory, ids: &[MemoryId]) -> Result<(), Failure> {
        let (Scope::Project, Some(id)) = (self.settings.scope, ids.first()) else {
            return Ok(());
        };
        for name in self.settings.namespaces.clone() {
            if memory.namespace(name.as_str())?.get(*id)?.is_some() {
                self.settings.namespaces = vec![name];
                break;
            }
        }
        Ok(())
    }

    /// The namespace in which a caller changed something last: in a repository that may be the
    /// project or what is true of its user everywhere. Of changes in the same moment that of the
    /// project is meant.
    pub(crate) fn namespace_changed_last(&mut self) -> Result<Namespace, Failure> {
        self.namespace_name()?;
        let memory = self.open(Access::Existing)?;
        if self.settings.scope == Scope::Project {
            let mut last: Option<(Timestamp, String)> = None;
            for name in &self.settings.namespaces {
                let at = memory.namespace(name.as_str())?.decisions().last_change()?;
                if let Some(at) =
                    at.filter(|at| last.as_ref().is_none_or(|(before, _)| at > before))
                {
                    last = Some((at, name.clone()));
                }
            }
            if let Some((_, name)) = last {
                self.settings.namespaces = vec![name];
            }
        }
        self.asked_in(&memory)
    }

    /// Says that something is kept with the project, because nobody said where.
    fn note_project(&mut self, name: &str) -> Result<(), Failure> {
        match self.settings.scope {
            Scope::Project => self.note(&text!("common-in-project", name)),
            _ => Ok(()),
        }
    }

    /// Keeps that the project is worked on in the working directory.
    fn note_clone(&self) -> Result<(), Failure> {
        match (self.settings.scope, &self.world.folder) {
            (Scope::Project, Some(folder)) => Clones::of(&self.settings.db).note(folder).map(drop),
            _ => Ok(()),
        }
    }

    /// Whether the config file changes the profile `default`.
    pub(crate) fn has_own_profile(&self) -> bool {
        self.settings.profile != Profile::default()
    }

    /// Whether the profile of the config file reaches no namespace: it counts under the profile
    /// `default` alone.
    pub(crate) fn has_idle_profile(&self, memory: &Memory) -> Result<bool, Failure> {
        if !self.has_own_profile() {
            return Ok(false);
        }
        let namespaces = memory.namespaces()?;
        Ok(!namespaces.is_empty()
            && namespaces
                .iter()
                .all(|namespace| namespace.profile != DEFAULT_PROFILE))
    }

    fn note_idle_profile(&mut self, memory: &Memory) -> Result<(), Failure> {
        match self.notes() && self.has_idle_profile(memory)? {
            true => self.note(&text!("common-profile-idle", path = self.config_path())),
            false => Ok(()),
        }
    }

    /// The config file as it is shown.
    pub(crate) fn config_path(&self) -> String {
        self.settings
            .config
            .as_ref()
            .map_or_else(String::new, |path| path.display().to_string())
    }

    /// Like [`namespace`](Self::namespace) for what embeds nothing: it works whatever became of the
    /// embedder.
    pub(crate) fn plain_namespace(&mut self) -> Result<Namespace, Failure> {
        self.namespace_name()?;
        let memory = self.open_plain(Access::Existing)?;
        self.asked_in(&memory)
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.world.output, "{text}")?)
    }

    /// Text that ends its own lines.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.world.output.write_all(text.as_bytes())?)
    }

    pub(crate) fn answer_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::new(Exit::Failed, text!("common-cannot-json", error)))?;
        self.say(&visible::json(&text))
    }

    /// Whether anything is said beside the answer: not with --json or --quiet.
    pub(crate) const fn notes(&self) -> bool {
        !self.json && !self.quiet
    }

    /// A word beside the answer, on standard error.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), Failure> {
        if !self.notes() {
            return Ok(());
        }
        Ok(writeln!(self.world.errors, "{text}")?)
    }

    /// A note that is said with --json as well, because no answer tells it.
    pub(crate) fn note_with_json(&mut self, text: &str) -> Result<(), Failure> {
        if !self.json || self.quiet {
            return self.note(text);
        }
        let note = json!({ "note": text }).to_string();
        Ok(writeln!(self.world.errors, "{}", visible::json(&note))?)
    }

    /// Columns that lines must fit into; none without a terminal.
    pub(crate) fn width(&self) -> Option<usize> {
        self.world
            .terminal
            .width
            .filter(|_| self.world.terminal.output)
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.world.terminal.errors && !self.quiet && !self.json
    }
}

/// A namespace that must be there.
pub(crate) fn existing(memory: &Memory, name: &str) -> Result<Namespace, Failure> {
    let namespace = memory.namespace(name)?;
    match namespace.admin().exists()? {
        true => Ok(namespace),
        false => Err(Failure::missing(
            Missing::Namespace,
            text!("common-no-namespace", name = format!("{name:?}")),
        )),
    }
}
