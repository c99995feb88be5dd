//! Files that several processes use: this one as their owner, or through it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use annals_extraction::provider::Provider;
use annals_share::{Call, Caller, Client, Difference, Open, Serve, Settings, Terms, Welcome};
use annals_types::Fingerprint;
use parking_lot::Mutex;
use serde_json::json;

use crate::handle::Handle;
use crate::handles::{Dispatch as _, Memory, Proxy, SharedFile, Target};
use crate::options::EMBEDDER;
use crate::{Error, ErrorKind, Options, blocking};

/// Opens a file that other processes use as well. A process with parts of its own keeps the file
/// while it has it open, and its handles work on it directly; any other goes through the owner,
/// even where it is the owner itself, and so can give the file up.
pub(crate) fn open(options: Options, path: &Path) -> Result<blocking::Memory, Error> {
    let opener = Opener::new(options, path)?;
    let mut terms = Terms::default();
    terms.wait = opener.options.patience();
    terms.start = opener.options.starter();
    terms.log = opener.options.log_of_owner();
    let (path, kept, model) = (
        opener.path.clone(),
        Arc::clone(&opener.kept),
        opener.options.own_model(),
    );
    let client = Client::connect(&path, Box::new(opener), terms)?;
    let memory = kept.lock().take();
    match memory {
        Some(memory) => {
            memory.engine.keep_shared(client);
            Ok(memory.into())
        }
        None => through(client, model),
    }
}

/// Reads a file through the process that owns it, where there is one.
pub(crate) fn join(options: &Options, path: &Path) -> Result<Option<blocking::Memory>, Error> {
    let opener = Opener::new(options.clone(), path)?;
    let path = opener.path.clone();
    let mut terms = Terms::default();
    terms.wait = options.waiting();
    let client = Client::join(&path, Box::new(opener), terms)?;
    client
        .map(|client| through(client, options.own_model()))
        .transpose()
}

fn through(
    client: Arc<Client>,
    model: Option<Arc<dyn Provider>>,
) -> Result<blocking::Memory, Error> {
    let embedder = client
        .owner()?
        .facts
        .get(EMBEDDER)
        .and_then(|name| name.as_str().map(str::to_owned));
    let embedder = Fingerprint(embedder.unwrap_or_default());
    Ok(blocking::Memory(Target::Far(Proxy::new(SharedFile {
        client,
        embedder,
        model,
    }))))
}

/// A process that owns a shared file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Owner {
    /// The number of the process.
    pub pid: u32,
    /// The name of its machine.
    pub host: String,
    /// The version of annals that it runs.
    pub version: String,
    /// The parts for which it keeps the file, such as `clock`.
    pub own: Vec<String>,
}

impl From<Welcome> for Owner {
    fn from(welcome: Welcome) -> Self {
        let Welcome {
            pid,
            host,
            version,
            own,
            ..
        } = welcome;
        Self {
            pid,
            host,
            version: version.annals,
            own,
        }
    }
}

/// Opens the file in this process when it is to own it.
struct Opener {
    options: Options,
    settings: Settings,
    own: Vec<String>,
    path: PathBuf,
    /// The memory of a process that keeps the file, until its handles take it.
    kept: Arc<Mutex<Option<Memory>>>,
}

impl Opener {
    fn new(options: Options, path: &Path) -> Result<Self, Error> {
        let path = std::path::absolute(path)
            .map_err(|error| Error::io(format!("finding {}", path.display()), error))?;
        let (settings, own) = (options.settings()?, options.own_parts());
        Ok(Self {
            options,
            settings,
            own,
            path,
            kept: Arc::default(),
        })
    }
}

impl Open for Opener {
    fn open(&self, patient: bool) -> Result<Arc<dyn Serve>, Error> {
        if self.options.only_reads() {
            let text = format!(
                "the process that owned {} has ended; try again",
                self.path.display()
            );
            return Err(Error::other(ErrorKind::Locked, text));
        }
        let memory = self
            .options
            .clone()
            .wait(Duration::ZERO)
            .past_readers(!patient)
            .open_alone(&self.path)?;
        if self.own.is_empty() {
            return Ok(Arc::new(Server(memory)));
        }
        let server = KeptServer(Arc::downgrade(&memory.engine));
        *self.kept.lock() = Some(memory);
        Ok(Arc::new(server))
    }

    fn settings(&self) -> Settings {
        self.settings.clone()
    }

    fn difference(&self, owner: &Welcome) -> Result<Option<Difference>, Error> {
        self.options.difference(&self.settings, owner)
    }

    fn own(&self) -> Vec<String> {
        self.own.clone()
    }
}

/// The memory that an owner serves which can give it up.
struct Server(Memory);

impl Serve for Server {
    fn serve(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
        Some(self.0.dispatch(&call.path, call, caller))
    }

    fn is_in_place(&self) -> Result<bool, Error> {
        self.0.is_in_place()
    }

    fn facts(&self) -> serde_json::Value {
        json!({ EMBEDDER: self.0.embedder().0 })
    }
}

/// The memory of a process that keeps it: it closes with the handles of that process.
struct KeptServer(Weak<Handle>);

impl KeptServer {
    fn server(&self) -> Option<Server> {
        self.0.upgrade().map(|handle| Server(Memory::new(handle)))
    }
}

impl Serve for KeptServer {
    fn serve(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
        self.server()?.serve(call, caller)
    }

    fn is_in_place(&self) -> Result<bool, Error> {
        self.server()
            .map_or(Ok(true), |server| server.is_in_place())
    }

    fn facts(&self) -> serde_json::Value {
        self.server()
            .map_or(serde_json::Value::Null, |server| server.facts())
    }
}
