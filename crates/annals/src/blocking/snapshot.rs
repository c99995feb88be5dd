use std::sync::Arc;

use annals_recall::Query;
use annals_types::{Memory, MemoryId, NamespaceId};

use super::Namespace;
use crate::engine::{Engine, Handle, View};
use crate::{Answer, Error, Hit, ListQuery, Page};

/// A namespace as it was at one moment. Writes after that moment do not show, except that what was deleted for good is gone.
///
/// Holding one keeps space in the file from being reused.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<Handle>,
    name: String,
    state: Option<(Arc<View>, annals_storage::Snapshot)>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("namespace", &self.name).finish_non_exhaustive()
    }
}

impl Snapshot {
    pub(super) fn take(namespace: &Namespace) -> Result<Self, Error> {
        let engine = Arc::clone(&namespace.engine);
        let state = match namespace.id()? {
            Some(id) => Some((engine.view(id)?, engine.snapshot()?)),
            None => None,
        };
        Ok(Self { engine, name: namespace.name().to_owned(), state })
    }

    /// What the graph is read from; `None` for a namespace that did not exist.
    pub(super) fn parts(&self) -> Option<(&Engine, &annals_storage::Snapshot, NamespaceId)> {
        self.state.as_ref().map(|(view, snapshot)| (&**self.engine, snapshot, view.namespace))
    }

    /// The memories that answer a question best.
    ///
    /// # Errors
    /// As [`Namespace::recall`].
    pub fn recall(&self, query: impl Into<Query>) -> Result<Vec<Hit>, Error> {
        Ok(self.answer(query)?.hits)
    }

    /// The same, with what else is known of the answer.
    ///
    /// # Errors
    /// As [`Namespace::recall`].
    pub fn answer(&self, query: impl Into<Query>) -> Result<Answer, Error> {
        let query = query.into();
        query.check()?;
        match &self.state {
            Some((view, snapshot)) => self.engine.answer_from(view, snapshot, &self.name, &query, &mut None),
            None => Ok(Answer::nothing(&query)),
        }
    }

    /// A memory by its id.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, id: MemoryId) -> Result<Option<Memory>, Error> {
        match &self.state {
            Some((view, snapshot)) => {
                Ok(annals_records::get(snapshot, view.namespace, id, Some(&view.columns))?.map(|(_, memory)| memory))
            }
            None => Ok(None),
        }
    }

    /// Memories in the order of their storing.
    ///
    /// # Errors
    /// When they cannot be read, or `after` is no place in a list.
    pub fn list(&self, query: &ListQuery) -> Result<Page, Error> {
        match &self.state {
            Some((view, snapshot)) => self.engine.list(view, snapshot, query),
            None => Ok(Page { memories: Vec::new(), next: None, total: 0 }),
        }
    }
}
