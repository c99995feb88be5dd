//! Which namespace a name stands for, as far as it was asked before.

use std::collections::HashMap;

use annals_types::{NamespaceId, NamespaceName};
use parking_lot::RwLock;

/// A namespace as a call met it at its door. The work behind the door goes by the number,
/// whichever namespace the name leads to meanwhile.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub name: &'a NamespaceName,
    /// `None` where there was none: the first write makes it.
    pub id: Option<NamespaceId>,
}

/// Names and their numbers. Changed in the order of commits, so that a name never leads to what it
/// stood for once.
#[derive(Default)]
pub struct Names(RwLock<HashMap<NamespaceName, NamespaceId>>);

impl Names {
    pub(crate) fn get(&self, name: &NamespaceName) -> Option<NamespaceId> {
        self.0.read().get(name).copied()
    }

    pub fn learn(&self, name: NamespaceName, id: NamespaceId) {
        self.0.write().insert(name, id);
    }

    /// Forgets all names: another writer may have changed what they stand for.
    pub(crate) fn forget(&self) {
        self.0.write().clear();
    }

    pub fn unlearn(&self, name: &NamespaceName) {
        self.0.write().remove(name);
    }
}
