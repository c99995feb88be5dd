//! The value that all handles of a memory share.

use std::sync::{Arc, OnceLock};

use crate::Error;
use annals_curation::Curator;
use annals_curation::models::Models;
use annals_engine::Engine;
use annals_files::{Files, Mirrors};
use annals_share::{Client, is_serving};

/// What handles hold: the engine with what stands above it. Its background thread ends with the
/// last handle, so that the file is closed then.
pub(crate) struct Handle {
    /// The owner that serves the file to other processes, where this one keeps it.
    shared: OnceLock<Arc<Client>>,
    engine: Arc<Engine>,
    pub(crate) models: Arc<Models>,
    pub(crate) files: Arc<Files>,
}

impl Handle {
    /// Starts the jobs of an engine that was opened.
    pub(crate) fn new(
        engine: Arc<Engine>,
        models: Arc<Models>,
        files: Arc<Files>,
    ) -> Result<Arc<Self>, Error> {
        let handle = Arc::new(Self {
            shared: OnceLock::new(),
            engine,
            models,
            files,
        });
        handle.engine.start()?;
        Ok(handle)
    }

    /// Keeps the owner that serves the file to other processes for as long as this lives.
    pub(crate) fn keep_shared(&self, client: Arc<Client>) {
        let _first_stays = self.shared.set(client);
    }

    /// The owner of the file, where other processes use it as well.
    pub(crate) fn shared(&self) -> Option<&Arc<Client>> {
        self.shared.get()
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
        // The owner ends before the lock of the file is given up, and waits for its calls, of which
        // this may be one.
        if let Some(client) = self.shared.take().filter(|_| is_serving()) {
            let engine = Arc::clone(&self.engine);
            let _thread = std::thread::spawn(move || {
                drop(client);
                drop(engine);
            });
        }
    }
}
