//! Everyday prompts as each embedder sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_recall::Everyday;
use annals_types::{Embedder, Fingerprint, Purpose};
use parking_lot::Mutex;

use crate::Engine;

/// What was embedded of [`Everyday::prompts`], by embedder; `None` where one failed.
pub(crate) type EverydayCache = Mutex<BTreeMap<Fingerprint, Option<Arc<Everyday>>>>;

impl Engine {
    /// Everyday prompts in the space of an embedder, embedded at first use; `None` where it fails.
    pub(crate) fn everyday(&self, embedder: &dyn Embedder) -> Option<Arc<Everyday>> {
        let fingerprint = embedder.fingerprint();
        if let Some(known) = self.everyday.lock().get(&fingerprint) {
            return known.clone();
        }
        let prompts: Vec<&str> = Everyday::prompts().collect();
        let vectors = embedder.embed(&prompts, Purpose::Passage);
        let everyday = vectors.ok().map(|vectors| Arc::new(Everyday::new(vectors)));
        self.everyday.lock().insert(fingerprint, everyday.clone());
        everyday
    }
}
