use std::sync::{Arc, OnceLock};

use annals_recall::Query;
use annals_records::RecordError;
use annals_types::{MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn};
use tracing::instrument;

use super::Snapshot;
use crate::engine::compiled::CompiledProfile;
use crate::engine::{Arrival, Engine, Entry, Handle, Vectored};
use crate::{Answer, Error, Hit, ReembedProgress, ReembedReport};

/// A namespace of a memory: a user, an agent, a project. Cheap to clone.
#[derive(Clone)]
pub struct Namespace {
    pub(super) engine: Arc<Handle>,
    pub(super) name: NamespaceName,
    /// Within one call: the number that the name led to.
    met: Option<Arc<OnceLock<NamespaceId>>>,
}

impl std::fmt::Debug for Namespace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Namespace").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Namespace {
    pub(super) fn new(engine: Arc<Handle>, name: NamespaceName) -> Self {
        Self { engine, name, met: None }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The same for one call of several steps: once its name has led to a namespace, all of them are about that one.
    pub(crate) fn for_call(&self) -> Self {
        let met = self.met.clone().unwrap_or_default();
        Self { engine: Arc::clone(&self.engine), name: self.name.clone(), met: Some(met) }
    }

    /// The number of the namespace; `None` while it does not exist.
    pub(crate) fn id(&self) -> Result<Option<NamespaceId>, Error> {
        let Some(met) = &self.met else { return self.engine.find(&self.name) };
        if met.get().is_none()
            && let Some(found) = self.engine.find(&self.name)?
        {
            met.get_or_init(|| found);
        }
        Ok(met.get().copied())
    }

    /// The namespace for a call that makes it where there is none.
    pub(crate) fn entry(&self) -> Result<Entry<'_>, Error> {
        Ok(Entry { name: &self.name, id: self.id()? })
    }

    /// The same for a call that knows the number.
    pub(crate) const fn entry_of(&self, namespace: NamespaceId) -> Entry<'_> {
        Entry { name: &self.name, id: Some(namespace) }
    }

    /// The number of the namespace, for a call about one that must exist.
    pub(crate) fn existing(&self) -> Result<NamespaceId, Error> {
        self.id()?.ok_or_else(|| RecordError::NoNamespace { name: self.name.clone() }.into())
    }

    /// Whether it is there. One that is not comes into being with its first memory; until then whoever reads it finds nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn exists(&self) -> Result<bool, Error> {
        Ok(self.id()?.is_some())
    }

    /// The number of the namespace, for calls about a memory that must exist.
    pub(super) fn id_for(&self, memory: MemoryId) -> Result<NamespaceId, Error> {
        self.id()?.ok_or_else(|| RecordError::NotFound { id: memory }.into())
    }

    /// What its profile says; the default profile for a namespace that does not exist.
    pub(super) fn compiled_profile(&self) -> Result<Arc<CompiledProfile>, Error> {
        match self.id()? {
            Some(id) => self.engine.profiles.of(&self.engine.snapshot()?, id),
            None => Ok(Arc::clone(self.engine.profiles.default())),
        }
    }

    /// Stores a memory: a text, or a [`NewMemory`] with more to say. When this returns it is on disk. Where the profile takes it for one that is
    /// there already, or for its next text, the answer is the id of that one.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a memory that is not allowed;
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when it names a source that does not exist;
    /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder); or what the file says. Nothing is stored then.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn remember<M>(&self, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let memory = memory.try_into()?;
        let id = self.engine.ids.next(self.engine.now());
        Ok(self.store(vec![memory], vec![id])?.pop().unwrap_or(id))
    }

    /// The kinds of secrets, such as `password`, that the profile masked in what came to be stored in this namespace since this was asked last:
    /// each is told once. What was there before the file was opened is not looked at.
    #[must_use]
    pub fn take_masked(&self) -> Vec<String> {
        self.engine.counts.masked().take(&self.name)
    }

    /// Stores memories in one transaction: all of them or none. Answers their ids in the same order.
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name, count = memories.len()))]
    pub fn remember_many(&self, memories: Vec<NewMemory>) -> Result<Vec<MemoryId>, Error> {
        let now = self.engine.now();
        let ids: Vec<MemoryId> = memories.iter().map(|_| self.engine.ids.next(now)).collect();
        self.store(memories, ids)
    }

    /// Appends turns to their sessions, in the order given, in one transaction. Answers their ids.
    ///
    /// # Errors
    /// As [`remember`](Self::remember).
    pub fn append_turns(&self, turns: Vec<NewTurn>) -> Result<Vec<MemoryId>, Error> {
        self.remember_many(turns.into_iter().map(NewMemory::from).collect())
    }

    fn store(&self, memories: Vec<NewMemory>, ids: Vec<MemoryId>) -> Result<Vec<MemoryId>, Error> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let entry = self.entry()?;
        let memories = self.engine.screened(entry, memories)?;
        let prepared = self.engine.prepare(memories)?;
        let arrivals: Vec<Arrival> =
            ids.into_iter().zip(prepared).map(|(id, prepared)| Arrival::new(id, prepared)).collect();
        self.engine.admit(entry, &arrivals)
    }

    /// The memories that answer a question best.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a question that is not allowed;
    /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder); or what the file says.
    pub fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer(query)?.hits)
    }

    /// The same, with what else is known of the answer: candidates looked at, and why a memory is not among the hits.
    ///
    /// # Errors
    /// As [`recall`](Self::recall).
    pub fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        self.answer_vectored(&query, &mut None)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub(super) fn answer_vectored(&self, query: &Query, vectored: &mut Option<Vectored>) -> Result<Answer, Error> {
        match self.id()? {
            Some(id) => self.engine.answer(id, self.name.as_str(), query, vectored),
            None => Ok(Answer::nothing(query)),
        }
    }

    /// Gives every memory a vector of the embedder that this file was opened with, then switches recall over at once; until then it
    /// goes on with the old vectors, where their embedder can be had, or by words. Can be interrupted and called again.
    ///
    /// # Errors
    /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder), or what the file says.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn reembed(&self, progress: &mut dyn FnMut(ReembedProgress)) -> Result<ReembedReport, Error> {
        match self.id()? {
            Some(id) => self.engine.reembed(id, progress),
            None => Ok(ReembedReport::default()),
        }
    }

    /// What does not fit together in the indexes of this namespace; empty when all is well.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn validate(&self) -> Result<Vec<String>, Error> {
        match self.id()? {
            Some(id) => self.engine.validate_namespace(id),
            None => Ok(Vec::new()),
        }
    }

    /// Everything as it is now, for several reads of one state.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Snapshot::take(self)
    }
}
