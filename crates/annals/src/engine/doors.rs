//! What must happen one at a time in a namespace.

use std::collections::HashMap;
use std::sync::Arc;

use annals_types::NamespaceId;
use parking_lot::{Mutex, ReentrantMutex};

/// A door for each namespace, for what must happen one at a time. Who is inside may come in again: a judge that is asked about an arrival
/// may store something of its own.
#[derive(Default)]
pub(crate) struct Doors(Mutex<HashMap<NamespaceId, Arc<ReentrantMutex<()>>>>);

impl Doors {
    pub(crate) fn of(&self, ns: NamespaceId) -> Arc<ReentrantMutex<()>> {
        Arc::clone(self.0.lock().entry(ns).or_default())
    }

    /// A namespace is gone.
    pub(super) fn forget(&self, ns: NamespaceId) {
        self.0.lock().remove(&ns);
    }
}
