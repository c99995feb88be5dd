use annals_types::{NamespaceId, Row};

use crate::State;

/// The changes of one write to [`Worth`](crate::Worth). Apply it once, after the commit is
/// durable, in commit order.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "columns that miss a delta answer wrongly"]
pub struct Delta {
    pub(crate) namespace: NamespaceId,
    /// The states of rows, `None` of those that are gone.
    pub(crate) changes: Vec<(Row, Option<State>)>,
}

impl Delta {
    pub(crate) fn new(namespace: NamespaceId) -> Self {
        Self {
            namespace,
            changes: Vec::new(),
        }
    }

    /// The namespace it belongs to.
    #[must_use]
    pub fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// The rows that changed.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.changes.iter().map(|(row, _)| *row)
    }
}

/// The result of a write, with its changes in memory.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "columns that miss the delta answer wrongly"]
pub struct Written<T> {
    /// The result.
    pub outcome: T,
    /// The changes in memory.
    pub delta: Delta,
}
