use std::sync::Arc;

use annals_types::{Commit, NamespaceId, Row};

use crate::columns::Facts;
use crate::{History, LabelClass, LabelId};

/// The changes of one write to [`Columns`](crate::Columns). Apply it once, after the commit is
/// durable, in commit order.
#[derive(Debug, Clone)]
#[must_use = "columns that miss a delta answer wrongly"]
pub struct Delta {
    pub(crate) namespace: NamespaceId,
    pub(crate) commit: Commit,
    pub(crate) changes: Vec<Change>,
}

#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A label got a number.
    Label {
        class: LabelClass,
        number: LabelId,
        text: Arc<str>,
    },
    /// A label that no row has is gone.
    Unlabelled { class: LabelClass, number: LabelId },
    /// A row was born; it takes the place of `instead_of` in its session, if any.
    Born {
        row: Row,
        facts: Facts,
        instead_of: Option<Row>,
    },
    /// A row's life after birth.
    Lived { row: Row, history: Arc<History> },
    /// A row is gone.
    Erased { row: Row },
}

impl Delta {
    pub(crate) fn new(namespace: NamespaceId, commit: Commit) -> Self {
        Self {
            namespace,
            commit,
            changes: Vec::new(),
        }
    }

    /// The namespace it belongs to.
    #[must_use]
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// The commit it belongs to.
    #[must_use]
    pub fn commit(&self) -> Commit {
        self.commit
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds a later write of the same namespace and transaction.
    pub fn append(&mut self, mut later: Self) {
        self.commit = self.commit.max(later.commit);
        self.changes.append(&mut later.changes);
    }
}

/// The outcome of a write, and what it changes in memory.
#[derive(Debug, Clone)]
pub struct Written<T> {
    /// The result for the caller.
    pub outcome: T,
    /// The changes for [`Columns::apply`](crate::Columns::apply).
    pub delta: Delta,
}
