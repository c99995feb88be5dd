use std::sync::Arc;

use annals_recall::Query;
use annals_types::{Memory, MemoryId, NamespaceId};

use crate::handle::Handle;
use crate::handles::{Namespace, SnapshotGraph};
use crate::{Answer, Error, Hit, ListQuery, Page};
use annals_engine::{Engine, View};

handles! {
    /// A namespace as it was at one moment. Writes after that moment do not show, except that what
    /// was deleted for good is gone.
    ///
    /// Holding one keeps space in the file from being reused.
    pub struct Snapshot(local);
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let before = user.snapshot()?;
        /// user.remember("My cat is called Momo.")?;
        /// assert!(before.recall("What is my cat called?")?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let before = user.snapshot().await?;
        /// user.remember("My cat is called Momo.").await?;
        /// assert!(before.recall("What is my cat called?").await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Clone)]
pub(crate) struct Snapshot {
    engine: Arc<Handle>,
    name: String,
    state: Option<(Arc<View>, annals_storage::Snapshot)>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("namespace", &self.name)
            .finish_non_exhaustive()
    }
}

calls! {
    for Snapshot(local);

    handles {
        /// The graph as it was.
        fn graph() -> SnapshotGraph;
    }

    calls {
        /// The memories that answer a question best.
        ///
        /// # Errors
        /// As [`Namespace::recall`](crate::Namespace::recall).
        fn recall(query: into(Query)) -> Vec<Hit>;

        /// The same, with what else is known of the answer.
        ///
        /// # Errors
        /// As [`Namespace::recall`](crate::Namespace::recall).
        fn answer(query: into(Query)) -> Answer;

        /// A memory by its id.
        ///
        /// # Errors
        /// When it cannot be read.
        fn get(id: own(MemoryId)) -> Option<Memory>;

        /// Memories in the order of their storing.
        ///
        /// # Errors
        /// When they cannot be read, or `after` is no place in a list.
        fn list(query: lend(ListQuery)) -> Page;
    }
}

impl Snapshot {
    pub(super) fn take(namespace: &Namespace) -> Result<Self, Error> {
        let engine = Arc::clone(&namespace.engine);
        let state = match namespace.id()? {
            Some(id) => Some((engine.view(id)?, engine.snapshot()?)),
            None => None,
        };
        Ok(Self {
            engine,
            name: namespace.name().to_owned(),
            state,
        })
    }

    pub(crate) fn graph(&self) -> SnapshotGraph {
        SnapshotGraph {
            snapshot: self.clone(),
        }
    }

    /// What the graph is read from; `None` for a namespace that did not exist.
    pub(super) fn parts(&self) -> Option<(&Engine, &annals_storage::Snapshot, NamespaceId)> {
        self.state
            .as_ref()
            .map(|(view, snapshot)| (&**self.engine, snapshot, view.namespace))
    }

    pub(crate) fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer(query)?.hits)
    }

    pub(crate) fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        match &self.state {
            Some((view, snapshot)) => self
                .engine
                .answer_from(view, snapshot, &self.name, &query, &mut None),
            None => Ok(Answer::nothing(&query)),
        }
    }

    pub(crate) fn get(&self, id: MemoryId) -> Result<Option<Memory>, Error> {
        match &self.state {
            Some((view, snapshot)) => {
                Ok(
                    annals_records::get(snapshot, view.namespace, id, Some(&view.columns))?
                        .map(|(_, memory)| memory),
                )
            }
            None => Ok(None),
        }
    }

    pub(crate) fn list(&self, query: &ListQuery) -> Result<Page, Error> {
        match &self.state {
            Some((view, snapshot)) => self.engine.list(view, snapshot, query),
            None => Ok(Page {
                memories: Vec::new(),
                next: None,
                total: 0,
            }),
        }
    }
}
