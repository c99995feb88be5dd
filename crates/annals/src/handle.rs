//! The value that all handles of a memory share.

use std::sync::Arc;

use crate::Error;
use annals_curation::Curator;
use annals_curation::models::Models;
use annals_engine::Engine;
use annals_files::{Files, Mirrors};

/// What handles hold: the engine with what stands above it. Its background thread ends with the last handle, so that the file is closed then.
pub(crate) struct Handle {
    engine: Arc<Engine>,
    pub(crate) models: Arc<Models>,
    pub(crate) files: Arc<Files>,
}

impl Handle {
    /// Starts the jobs of an engine that was opened.
    pub(crate) fn new(engine: Arc<Engine>, models: Arc<Models>, files: Arc<Files>) -> Result<Arc<Self>, Error> {
        let handle = Arc::new(Self { engine, models, files });
        handle.engine.start()?;
        Ok(handle)
    }

    /// The curation of its memories.
    pub(crate) fn curator(&self) -> Curator<'_> {
        Curator(&self.engine)
    }

    /// The files that mirror namespaces.
    pub(crate) fn mirrors(&self) -> Mirrors<'_> {
        self.files.of(&self.engine)
    }
}

impl std::ops::Deref for Handle {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.engine.stop();
    }
}
