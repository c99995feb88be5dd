//! An embedder that is opened where it is needed, and known by a name elsewhere.

use std::sync::Arc;

use annals_types::{EmbedError, Embedder};
use parking_lot::Mutex;

/// Opens an embedder.
type OpenEmbedder = dyn Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync;

/// An embedder under the name that all processes of a shared file have for it.
#[derive(Clone)]
pub(crate) struct NamedEmbedder {
    name: String,
    open: Arc<OpenEmbedder>,
    opened: Arc<Mutex<Option<Arc<dyn Embedder>>>>,
}

impl NamedEmbedder {
    pub(crate) fn new(
        name: String,
        open: impl Fn() -> Result<Arc<dyn Embedder>, EmbedError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            open: Arc::new(open),
            opened: Arc::default(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The embedder, which is opened once.
    pub(crate) fn get(&self) -> Result<Arc<dyn Embedder>, EmbedError> {
        let mut opened = self.opened.lock();
        if let Some(embedder) = &*opened {
            return Ok(Arc::clone(embedder));
        }
        let embedder = (self.open)()?;
        *opened = Some(Arc::clone(&embedder));
        Ok(embedder)
    }
}
