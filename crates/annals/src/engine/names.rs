//! Which namespace a name stands for, as far as it was asked before.

use std::collections::HashMap;

use annals_types::{NamespaceId, NamespaceName};
use parking_lot::RwLock;

/// A namespace as a call met it at its door. What is done behind the door goes by the number, whatever the name leads to meanwhile.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a NamespaceName,
    /// `None` where there was none: the first write makes it.
    pub(crate) id: Option<NamespaceId>,
}

/// Names and their numbers. Changed in the order of commits, so that a name never leads to what it stood for once.
#[derive(Default)]
pub(crate) struct Names(RwLock<HashMap<NamespaceName, NamespaceId>>);

impl Names {
    pub(crate) fn get(&self, name: &NamespaceName) -> Option<NamespaceId> {
        self.0.read().get(name).copied()
    }

    pub(crate) fn learn(&self, name: NamespaceName, id: NamespaceId) {
        self.0.write().insert(name, id);
    }

    /// Forgets all names: another writer may have changed what they stand for.
    pub(crate) fn forget(&self) {
        self.0.write().clear();
    }

    pub(crate) fn unlearn(&self, name: &NamespaceName) {
        self.0.write().remove(name);
    }
}
