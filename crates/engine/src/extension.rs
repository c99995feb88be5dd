//! Tables beside the layers that follow what happens to memories, and parts of annals that stand
//! above the engine.

use std::sync::Arc;

use annals_graph::EntityId;
use annals_lifecycle::task::Task;
use annals_records::StatusSet;
use annals_storage::{AnyTable, Reads, Transaction};
use annals_types::profile::JobStep;
use annals_types::{Body, Memory, MemoryId, NamespaceId, Rewrite, Row, Status};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::deletion::Deletion;
use crate::jobs::tasks::TaskKind;
use crate::jobs::{Run, StepResult};
use crate::json::rewrite_json;
use crate::tables::core;
use crate::{Engine, Kept, WriteCx};

/// A memory that was stored.
#[derive(Debug)]
#[non_exhaustive]
pub struct Stored<'a> {
    /// Its id.
    pub id: MemoryId,
    /// Its row, by which tables may name it.
    pub row: Row,
    /// Its text and traits, as the profile placed them.
    pub body: &'a Body,
    /// Its status.
    pub status: Status,
    /// Whether it keeps the time at which it was stored first: it comes from an export or a file.
    pub imported: bool,
}

/// A memory that got another row: another text, other traits, or another memory in its place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Revised<'a> {
    /// The memory before.
    pub before: &'a Memory,
    /// Its row before, which stays as history.
    pub from: Row,
    /// The id by which the memory is found now; another one when it was superseded.
    pub id: MemoryId,
    /// Its row now.
    pub to: Row,
    /// Its text and traits now.
    pub body: &'a Body,
    /// Its status now.
    pub status: Status,
}

/// Tables of your own that follow what happens to memories, in the same transaction.
///
/// Hooks run in the order of registration. A write may run again, so a hook changes nothing but the
/// transaction; an error, such as [`Error::other`], ends the write and nothing of it is kept. No
/// hook changes what a deletion takes. Rows whose keys begin with a [`NamespaceId`] are validated
/// and purged with their namespace without a hook, and stay its own when it is renamed.
pub trait Extension: Send + Sync {
    /// A short name that no other extension has: exports mark its rows with it.
    fn name(&self) -> &str;

    /// Its tables.
    fn tables(&self) -> &'static [&'static dyn AnyTable];

    /// Memories were stored.
    ///
    /// # Errors
    /// When its tables cannot be read or written; so for every hook.
    fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        let _ = (cx, stored);
        Ok(())
    }

    /// A memory got another row.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn revised(&self, cx: &mut WriteCx<'_, '_>, revised: &Revised<'_>) -> Result<(), Error> {
        let _ = (cx, revised);
        Ok(())
    }

    /// Memories were hidden, put aside or brought back.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn status_changed(&self, cx: &mut WriteCx<'_, '_>, changed: &[StatusSet]) -> Result<(), Error> {
        let _ = (cx, changed);
        Ok(())
    }

    /// The namespace goes on under another profile; `cx` has the one before.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn profile_changed(
        &self,
        cx: &mut WriteCx<'_, '_>,
        new: &CompiledProfile,
    ) -> Result<(), Error> {
        let _ = (cx, new);
        Ok(())
    }

    /// Memories are about to be deleted; they can still be read.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let _ = (cx, deletion);
        Ok(())
    }

    /// Memories were deleted.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let _ = (cx, deletion);
        Ok(())
    }

    /// Earlier texts of a memory are about to be deleted; the memory stays.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn history_erased(&self, cx: &mut WriteCx<'_, '_>, rows: &[Row]) -> Result<(), Error> {
        let _ = (cx, rows);
        Ok(())
    }

    /// Entities of the graph were deleted.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn entities_gone(&self, cx: &mut WriteCx<'_, '_>, gone: &[EntityId]) -> Result<(), Error> {
        let _ = (cx, gone);
        Ok(())
    }

    /// A decision is taken back that keeps `payload` of this extension. Only decisions of annals'
    /// own extensions keep any.
    ///
    /// # Errors
    /// As [`Extension::appended`]; when the payload cannot be read.
    fn taken_back(
        &self,
        cx: &mut WriteCx<'_, '_>,
        payload: &serde_json::Value,
    ) -> Result<(), Error> {
        let _ = (cx, payload);
        Ok(())
    }

    /// Purges a namespace. Removes at most `limit` rows of it whose keys do not begin with its
    /// number; all others go by themselves. Answers whether none is left.
    ///
    /// # Errors
    /// As [`Extension::appended`].
    fn purge(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        limit: usize,
    ) -> Result<bool, Error> {
        let _ = (txn, ns, limit);
        Ok(true)
    }

    /// Gives the texts of a payload of a decision, or of an exported row, other words before it is
    /// stored: the profile masks what it keeps back. All texts are offered, ids and moments aside.
    fn rewrite(&self, value: &mut serde_json::Value, rewrite: Rewrite<'_>) {
        rewrite_json(value, rewrite);
    }

    /// Whether an import is unfinished: the graph may speak of memories that have not arrived yet.
    ///
    /// # Errors
    /// When its tables cannot be read.
    fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        let _ = (reads, ns);
        Ok(false)
    }

    /// Contradictions between its rows and the memories of a namespace, a line each.
    ///
    /// # Errors
    /// When its tables cannot be read.
    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let _ = (reads, ns);
        Ok(Vec::new())
    }

    /// Writes its rows of a namespace into an export, each as JSON that [`Extension::import`]
    /// reads.
    ///
    /// # Errors
    /// When its tables cannot be read; the error of the receiver.
    fn export(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        sink: &mut dyn FnMut(serde_json::Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _ = (reads, ns, sink);
        Ok(())
    }

    /// Takes a row over from an export, behind the memories of that export; answers whether it was
    /// kept. The row may come again when an import is resumed.
    ///
    /// # Errors
    /// When the JSON cannot be read, or its tables cannot be written.
    fn import(&self, cx: &mut WriteCx<'_, '_>, row: &serde_json::Value) -> Result<bool, Error> {
        let _ = (cx, row);
        Ok(false)
    }
}

/// A part of annals above the engine: it makes steps of jobs, does background work, and keeps what
/// is outside of the file in step.
pub trait Service: Send + Sync {
    /// The tables that it keeps, if any.
    fn extension(&self) -> Option<&dyn Extension> {
        None
    }

    /// Whether a judge or model for a kind of background work is available; `None` where the kind
    /// is not this service's.
    fn can(&self, kind: TaskKind) -> Option<bool> {
        let _ = kind;
        None
    }

    /// Does a task, and ends or releases it; answers a word for the result, or `None` where the
    /// kind is not this service's.
    ///
    /// # Errors
    /// When it could not be done; it is tried again later.
    fn work(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        task: (TaskKind, &Task),
    ) -> Result<Option<&'static str>, Error> {
        let _ = (engine, run, task);
        Ok(None)
    }

    /// Makes a step of a job; `None` where it is not this service's.
    ///
    /// # Errors
    /// When it fails; the job is tried again later.
    fn step(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        step: JobStep,
    ) -> Result<Option<StepResult>, Error> {
        let _ = (engine, run, step);
        Ok(None)
    }

    /// A namespace was deleted, and its rows are about to be purged after a crash.
    ///
    /// # Errors
    /// When what is outside of the file cannot be removed.
    fn namespace_gone(&self, engine: &Engine, ns: NamespaceId) -> Result<(), Error> {
        let _ = (engine, ns);
        Ok(())
    }

    /// Writes what was counted in memory: behind background work, and when the file is closed.
    fn flush(&self, engine: &Engine) {
        let _ = engine;
    }
}

/// Extensions and services of an engine, each in the order of registration.
#[derive(Default)]
pub struct Extensions {
    services: Vec<Arc<dyn Service>>,
    extensions: Vec<Arc<dyn Extension>>,
}

impl Extensions {
    /// Services, with the extensions that they keep, then extensions of a caller.
    ///
    /// # Errors
    /// When two extensions have the same name, or one names a keyspace of another or of annals
    /// itself.
    pub fn new(
        services: Vec<Arc<dyn Service>>,
        extensions: Vec<Arc<dyn Extension>>,
    ) -> Result<Self, Error> {
        let registered = Self {
            services,
            extensions,
        };
        let mut names = std::collections::BTreeSet::new();
        let mut keyspaces: std::collections::BTreeMap<&str, String> = core()
            .iter()
            .map(|table| (table.keyspace().name(), "annals".to_owned()))
            .collect();
        for extension in registered.all() {
            if !names.insert(extension.name().to_owned()) {
                return Err(Error::bad_input(format!(
                    "two extensions are named {:?}",
                    extension.name()
                )));
            }
            for table in extension.tables() {
                let keyspace = table.keyspace().name();
                let owner = keyspaces
                    .entry(keyspace)
                    .or_insert_with(|| extension.name().to_owned());
                if owner != extension.name() {
                    return Err(Error::bad_input(format!(
                        "the keyspace {keyspace} is that of {owner:?} already: the extension {:?} needs another one",
                        extension.name()
                    )));
                }
            }
        }
        Ok(registered)
    }

    pub fn all(&self) -> impl Iterator<Item = &dyn Extension> {
        let own = self
            .services
            .iter()
            .filter_map(|service| service.extension());
        own.chain(self.extensions.iter().map(|extension| &**extension))
    }

    pub(crate) fn services(&self) -> impl Iterator<Item = &dyn Service> {
        self.services.iter().map(|service| &**service)
    }

    /// The extension of a name.
    pub(crate) fn named(&self, name: &str) -> Option<&dyn Extension> {
        self.all().find(|extension| extension.name() == name)
    }

    /// All their tables.
    pub(crate) fn tables(&self) -> Vec<&'static dyn AnyTable> {
        self.all()
            .flat_map(|extension| extension.tables())
            .copied()
            .collect()
    }

    pub(crate) fn appended(
        &self,
        cx: &mut WriteCx<'_, '_>,
        stored: &[Stored<'_>],
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.appended(cx, stored))
    }

    pub(crate) fn revised(
        &self,
        cx: &mut WriteCx<'_, '_>,
        revised: &Revised<'_>,
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.revised(cx, revised))
    }

    pub fn status_changed(
        &self,
        cx: &mut WriteCx<'_, '_>,
        changed: &[StatusSet],
    ) -> Result<(), Error> {
        let changed: Vec<StatusSet> = changed
            .iter()
            .filter(|set| set.from != set.to)
            .cloned()
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        self.all()
            .try_for_each(|extension| extension.status_changed(cx, &changed))
    }

    pub(crate) fn profile_changed(
        &self,
        cx: &mut WriteCx<'_, '_>,
        new: &CompiledProfile,
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.profile_changed(cx, new))
    }

    pub(crate) fn erasing(
        &self,
        cx: &mut WriteCx<'_, '_>,
        deletion: &Deletion,
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.erasing(cx, deletion))
    }

    pub(crate) fn erased(
        &self,
        cx: &mut WriteCx<'_, '_>,
        deletion: &Deletion,
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.erased(cx, deletion))
    }

    pub(crate) fn history_erased(
        &self,
        cx: &mut WriteCx<'_, '_>,
        rows: &[Row],
    ) -> Result<(), Error> {
        self.all()
            .try_for_each(|extension| extension.history_erased(cx, rows))
    }

    pub(crate) fn entities_gone(
        &self,
        cx: &mut WriteCx<'_, '_>,
        gone: &[EntityId],
    ) -> Result<(), Error> {
        if gone.is_empty() {
            return Ok(());
        }
        self.all()
            .try_for_each(|extension| extension.entities_gone(cx, gone))
    }

    /// Gives the texts of a value of an extension other words.
    pub fn rewrite(&self, name: &str, value: &mut serde_json::Value, rewrite: Rewrite<'_>) {
        match self.named(name) {
            Some(extension) => extension.rewrite(value, rewrite),
            None => rewrite_json(value, rewrite),
        }
    }

    /// Takes back a decision of an extension; nothing is changed where it is not registered.
    pub(crate) fn take_back(
        &self,
        cx: &mut WriteCx<'_, '_>,
        name: &str,
        payload: &serde_json::Value,
    ) -> Result<(), Error> {
        match self.named(name) {
            Some(extension) => extension.taken_back(cx, payload),
            None => Err(Error::bad_input(format!(
                "the extension {name:?} is not registered: open the memory with it"
            ))),
        }
    }

    /// Rows of extensions that are not registered here are left out.
    pub fn import(
        &self,
        cx: &mut WriteCx<'_, '_>,
        name: &str,
        row: &serde_json::Value,
    ) -> Result<Kept, Error> {
        let kept = self
            .named(name)
            .map(|extension| extension.import(cx, row))
            .transpose()?
            .unwrap_or(false);
        Ok(if kept { Kept::New(()) } else { Kept::LeftOut })
    }

    pub(crate) fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        for extension in self.all() {
            if extension.is_importing(reads, ns)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether somebody is there for a kind of background work.
    pub fn can(&self, kind: TaskKind) -> bool {
        self.services()
            .find_map(|service| service.can(kind))
            .unwrap_or(false)
    }

    /// Does a piece of background work.
    pub fn work(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        (kind, task): (TaskKind, &Task),
    ) -> Result<&'static str, Error> {
        for service in self.services() {
            if let Some(word) = service.work(engine, run, (kind, task))? {
                return Ok(word);
            }
        }
        Err(Error::internal(format!(
            "nothing does background work of the kind {}",
            kind.as_str()
        )))
    }

    pub(crate) fn flush(&self, engine: &Engine) {
        self.services().for_each(|service| service.flush(engine));
    }
}
