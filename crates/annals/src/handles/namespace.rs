use std::sync::{Arc, OnceLock};

use annals_extraction::context::Context;
use annals_lifecycle::Reinforced;
use annals_recall::Query;
use annals_records::RecordError;
use annals_types::{Memory, MemoryId, NamespaceId, NamespaceName, NewMemory, Revision};
use tracing::instrument;

use crate::handle::Handle;
use crate::handles::{
    Admin, Bulk, Decisions, Designs, Files, Graph, Lifecycle, Queue, Reviews, Session, Sessions,
    Snapshot, Tools, Transfer,
};
use crate::{Answer, ContextRequest, Digest, Error, Hit, ListQuery, Mode, Page, Receipt, Undone};
use annals_engine::compiled::CompiledProfile;
use annals_engine::{Admitted, Arrival, Entry, Vectored};

handles! {
    /// A namespace of a memory: a user, an agent, a project. Cheap to clone.
    pub struct Namespace;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.")?;
        /// assert_eq!(user.recall("What is my cat called?")?[0].id, id);
        /// user.forget(id)?;
        /// assert!(user.recall("What is my cat called?")?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let id = user.remember("My cat is called Momo.").await?;
        /// assert_eq!(user.recall("What is my cat called?").await?[0].id, id);
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Clone)]
pub(crate) struct Namespace {
    pub(super) engine: Arc<Handle>,
    pub(super) name: NamespaceName,
    /// Within one call: the number that the name led to.
    met: Option<Arc<OnceLock<NamespaceId>>>,
}

impl std::fmt::Debug for Namespace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Namespace")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

calls! {
    for Namespace;

    handles {
        /// The graph: entities, triples, links.
        fn graph() -> Graph;

        /// One conversation, by its name.
        fn session(name: String) -> Session;

        /// The conversations.
        fn sessions() -> Sessions;

        /// What memories are worth as time passes.
        fn lifecycle() -> Lifecycle;

        /// Decisions that wait for a person.
        fn reviews() -> Reviews;

        /// What was decided, and how to take it back.
        fn decisions() -> Decisions;

        /// Background work.
        fn queue() -> Queue;

        /// Files that mirror memories.
        fn files() -> Files;

        /// Import and export.
        fn transfer() -> Transfer;

        /// Tools for the model of a conversation.
        fn tools() -> Tools;

        /// Calls about many memories at once.
        fn bulk() -> Bulk;

        /// Profile, sizes, events and soundness.
        fn admin() -> Admin;

        /// Calls that one source design alone needs.
        fn designs() -> Designs;
    }

    opens {
        /// Everything as it is now, for several reads of one state.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn snapshot() -> Snapshot;
    }

    calls {
        /// What of the memory belongs in a prompt, in the parts and the form of the profile's
        /// `inject` settings.
        ///
        /// Nothing does while the profile has memory switched off (`surface.enabled`).
        ///
        /// Memories that recall brought are counted as injected afterwards, in one call, where the
        /// profile counts that, and [noted](crate::Lifecycle::injections) for whoever looks into
        /// what an agent was told; neither where the request only peeks.
        ///
        /// # Errors
        /// As [`recall`](Self::recall) for the message, or when the use cannot be written.
        fn context(request: into(ContextRequest)) -> Context;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("My cat is called Momo.")?;
            /// let context = user.context("What is my cat called?")?;
            /// assert!(context.text.contains("Momo"));
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// A memory by its id; `None` when the namespace has none.
        ///
        /// # Errors
        /// When it cannot be read.
        fn get(id: own(MemoryId)) -> Option<Memory>;

        /// Every text that a memory had, the oldest first, with those of memories that it
        /// superseded; empty when there is none.
        ///
        /// # Errors
        /// When it cannot be read.
        fn history(id: own(MemoryId)) -> Vec<Revision>;

        /// Memories in the order of their storing, page by page.
        ///
        /// # Errors
        /// When they cannot be read, or [`ListQuery::after`] is no place in a list.
        fn list(query: lend(ListQuery)) -> Page;
        example {
            /// ```
            /// use annals::ListQuery;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("My cat is called Momo.")?;
            /// let page = user.list(&ListQuery { limit: 10, ..ListQuery::default() })?;
            /// assert_eq!((page.total, page.next), (1, None));
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Stores a memory: a text, or a [`NewMemory`] with more to say. When this returns it is on
        /// disk. The answer is the id of the one that is there already where it says the same in
        /// the same words, or where the profile takes it for that one or for its next text:
        /// [`admit`](Self::admit) tells which.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a memory that is not allowed;
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when it names a source that does not
        /// exist; [`ErrorKind::Embedder`](crate::ErrorKind::Embedder); or what the file says.
        /// Nothing is stored then.
        fn remember(memory: memory) -> MemoryId;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let id = user.remember("My cat is called Momo.")?;
            /// let tagged = annals::NewMemory::builder("Momo likes fish.").tag("cat").build()?;
            /// user.remember(tagged)?;
            /// assert_eq!(user.get(id)?.map(|memory| memory.body.text).as_deref(), Some("My cat is called Momo."));
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Stores a memory as [`remember`](Self::remember) does, and answers how it was received:
        /// as a new one, as one that was known already, or as the next text of a known one.
        ///
        /// # Errors
        /// As [`remember`](Self::remember).
        fn admit(memory: memory) -> Admitted;
        example {
            /// ```
            /// use annals::Admission;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let first = user.admit("My cat is called Momo.")?;
            /// let again = user.admit("my cat is called  Momo")?;
            /// assert_eq!((first.admission, again.admission), (Admission::New, Admission::Known));
            /// assert_eq!(first.id, again.id);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// The memories that answer a question best.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a question that is not allowed;
        /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder); or what the file says.
        fn recall(query: into(Query)) -> Vec<Hit>;
        example {
            /// ```
            /// use annals::Query;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("My cat is called Momo.")?;
            /// let hits = user.recall(Query::new("What is my cat called?").top_k(3))?;
            /// assert!(hits[0].text.contains("Momo"));
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// The same, with what else is known of the answer: candidates looked at, and why a memory
        /// is not among the hits.
        ///
        /// # Errors
        /// As [`recall`](Self::recall).
        fn answer(query: into(Query)) -> Answer;

        /// What should be known at the beginning of a conversation: standing instructions, and what
        /// was said in the last other one. `session` is the one that begins.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn digest(session: text) -> Digest;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.remember("Always answer in French.")?;
            /// let digest = user.digest("today")?;
            /// assert_eq!(digest.instructions[0].body.text, "Always answer in French.");
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Replaces the text of a memory. The old text stays as history; the id stays too, unless
        /// the profile says otherwise.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it has been superseded already;
        /// otherwise as [`remember`](Self::remember).
        fn update(id: own(MemoryId), memory: memory) -> MemoryId;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let id = user.remember("I live in Berlin.")?;
            /// user.update(id, "I live in Lisbon.")?;
            /// assert_eq!(user.history(id)?.len(), 2);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Hides a memory until it is restored.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn forget(id: own(MemoryId)) -> ();

        /// Puts a memory aside: it is found only when archived memories are asked for.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn archive(id: own(MemoryId)) -> ();

        /// Brings a forgotten or archived memory back.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn restore(id: own(MemoryId)) -> ();

        /// Reports that memories were of use, for instance in an answer: one batched call by
        /// whoever used them. Recall by itself counts nothing. Answers for each whether it counted,
        /// and its score before and after.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the first id that does not
        /// exist; then none is counted.
        fn touch(ids: slice(MemoryId)) -> Vec<Reinforced>;

        /// Deletes a memory for good, with its history and every trace in the indexes, or tells
        /// what would go.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn delete(id: own(MemoryId), mode: own(Mode)) -> Receipt;
        example {
            /// ```
            /// use annals::Mode;
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let id = user.remember("I live in Berlin.")?;
            /// let plan = user.delete(id, Mode::DryRun)?;
            /// assert_eq!(plan.memories.len(), 1);
            /// user.delete(id, Mode::Commit)?;
            /// assert!(user.get(id)?.is_none());
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// Takes back the last change that a caller made of a memory: an edit gives it the former
        /// text back, as a revision of its own; a status, a weight or a link is as it was; where
        /// nothing was changed since it was stored, less than `surface.undo_minutes` of the profile
        /// ago, it is deleted for good, as if it had never been, and what ended because of it is
        /// true again. A change that was about more memories is taken back for all of them. Asked
        /// again, it goes on with the change before. What jobs and judges did is no caller's:
        /// [`undo`](crate::Decisions::undo) takes that back.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it was stored too long ago, or
        /// when the change cannot be taken back;
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when something else changed it
        /// since. Nothing is changed then.
        fn undo(id: own(MemoryId)) -> Undone;
        example {
            /// ```
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// let id = user.remember("I live in Berlin.")?;
            /// user.forget(id)?;
            /// user.undo(id)?;
            /// assert_eq!(user.recall("Where do I live?")?[0].id, id);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }
    }
}

impl Namespace {
    pub(super) fn new(engine: Arc<Handle>, name: NamespaceName) -> Self {
        Self {
            engine,
            name,
            met: None,
        }
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(crate) fn graph(&self) -> Graph {
        Graph {
            space: self.clone(),
        }
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions {
            space: self.clone(),
        }
    }

    pub(crate) fn lifecycle(&self) -> Lifecycle {
        Lifecycle {
            space: self.clone(),
        }
    }

    pub(crate) fn reviews(&self) -> Reviews {
        Reviews {
            space: self.clone(),
        }
    }

    pub(crate) fn decisions(&self) -> Decisions {
        Decisions {
            space: self.clone(),
        }
    }

    pub(crate) fn queue(&self) -> Queue {
        Queue {
            space: self.clone(),
        }
    }

    pub(crate) fn files(&self) -> Files {
        Files {
            space: self.clone(),
        }
    }

    pub(crate) fn transfer(&self) -> Transfer {
        Transfer {
            space: self.clone(),
        }
    }

    pub(crate) fn tools(&self) -> Tools {
        Tools {
            space: self.clone(),
        }
    }

    pub(crate) fn bulk(&self) -> Bulk {
        Bulk {
            space: self.clone(),
        }
    }

    pub(crate) fn admin(&self) -> Admin {
        Admin {
            space: self.clone(),
        }
    }

    pub(crate) fn designs(&self) -> Designs {
        Designs {
            space: self.clone(),
        }
    }

    pub(crate) fn session(&self, name: impl Into<String>) -> Session {
        Session {
            space: self.clone(),
            name: name.into(),
        }
    }

    pub(crate) fn engine(&self) -> &Handle {
        &self.engine
    }

    /// The same for one call of several steps: once its name has led to a namespace, all of them
    /// are about that one.
    pub(crate) fn for_call(&self) -> Self {
        let met = self.met.clone().unwrap_or_default();
        Self {
            engine: Arc::clone(&self.engine),
            name: self.name.clone(),
            met: Some(met),
        }
    }

    /// The number of the namespace; `None` while it does not exist.
    pub(crate) fn id(&self) -> Result<Option<NamespaceId>, Error> {
        let Some(met) = &self.met else {
            return self.engine.find(&self.name);
        };
        if met.get().is_none()
            && let Some(found) = self.engine.find(&self.name)?
        {
            met.get_or_init(|| found);
        }
        Ok(met.get().copied())
    }

    /// The namespace for a call that makes it where there is none.
    pub(crate) fn entry(&self) -> Result<Entry<'_>, Error> {
        Ok(Entry {
            name: &self.name,
            id: self.id()?,
        })
    }

    /// The same for a call that knows the number.
    pub(crate) const fn entry_of(&self, namespace: NamespaceId) -> Entry<'_> {
        Entry {
            name: &self.name,
            id: Some(namespace),
        }
    }

    /// The number of the namespace, for a call about one that must exist.
    pub(crate) fn existing(&self) -> Result<NamespaceId, Error> {
        self.id()?.ok_or_else(|| {
            RecordError::NoNamespace {
                name: self.name.clone(),
            }
            .into()
        })
    }

    /// The number of the namespace, for calls about a memory that must exist.
    pub(super) fn id_for(&self, memory: MemoryId) -> Result<NamespaceId, Error> {
        self.id()?
            .ok_or_else(|| RecordError::NotFound { id: memory }.into())
    }

    /// What its profile says; the default profile for a namespace that does not exist.
    pub(super) fn compiled_profile(&self) -> Result<Arc<CompiledProfile>, Error> {
        match self.id()? {
            Some(id) => self.engine.profiles.of(&self.engine.snapshot()?, id),
            None => Ok(Arc::clone(self.engine.profiles.default())),
        }
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub(crate) fn remember<M>(&self, memory: M) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let memory = memory.try_into()?;
        let id = self.engine.ids.next(self.engine.now());
        Ok(self
            .store(vec![memory], vec![id])?
            .pop()
            .map_or(id, |admitted| admitted.id))
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub(crate) fn admit<M>(&self, memory: M) -> Result<Admitted, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let memory = memory.try_into()?;
        let id = self.engine.ids.next(self.engine.now());
        let admitted = self.store(vec![memory], vec![id])?.pop();
        admitted.ok_or_else(|| Error::internal("nothing was made of a memory".to_owned()))
    }

    pub(super) fn store(
        &self,
        memories: Vec<NewMemory>,
        ids: Vec<MemoryId>,
    ) -> Result<Vec<Admitted>, Error> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let entry = self.entry()?;
        let memories = self.engine.screened(entry, memories)?;
        let prepared = self.engine.prepare(memories)?;
        let arrivals: Vec<Arrival> = ids
            .into_iter()
            .zip(prepared)
            .map(|(id, prepared)| Arrival::new(id, prepared))
            .collect();
        self.engine.admit(entry, &arrivals)
    }

    pub(crate) fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer(query)?.hits)
    }

    pub(crate) fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        self.answer_vectored(&query, &mut None)
    }

    pub(crate) fn digest(&self, session: &str) -> Result<Digest, Error> {
        match self.id()? {
            Some(id) => self.engine.digest(id, session),
            None => Ok(Digest::default()),
        }
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub(super) fn answer_vectored(
        &self,
        query: &Query,
        vectored: &mut Option<Vectored>,
    ) -> Result<Answer, Error> {
        match self.id()? {
            Some(id) => self.engine.answer(id, self.name.as_str(), query, vectored),
            None => Ok(Answer::nothing(query)),
        }
    }

    pub(crate) fn snapshot(&self) -> Result<Snapshot, Error> {
        Snapshot::take(self)
    }
}

impl Namespace {
    pub(crate) fn get(&self, id: MemoryId) -> Result<Option<Memory>, Error> {
        let Some(namespace) = self.id()? else {
            return Ok(None);
        };
        let found = annals_records::get(&self.engine.snapshot()?, namespace, id, None)?;
        Ok(found.map(|(_, memory)| memory))
    }

    pub(crate) fn history(&self, id: MemoryId) -> Result<Vec<Revision>, Error> {
        let Some(namespace) = self.id()? else {
            return Ok(Vec::new());
        };
        Ok(annals_records::history(
            &self.engine.snapshot()?,
            namespace,
            id,
        )?)
    }

    pub(crate) fn list(&self, query: &ListQuery) -> Result<Page, Error> {
        self.snapshot()?.list(query)
    }
}

impl Namespace {
    #[instrument(level = "debug", skip(self), fields(namespace = %self.name))]
    pub(crate) fn undo(&self, id: MemoryId) -> Result<Undone, Error> {
        let namespace = self.id_for(id)?;
        self.engine.undo(namespace, Some(id))
    }
}
