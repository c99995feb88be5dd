//! Where the calls of a handle go: to the memory in this process, or to the owner of the file.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use annals_engine::privacy::note_masked;
use annals_extraction::provider::Provider;
use annals_share::{Call, Client, Lent, Step};
use annals_types::Fingerprint;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{Error, ErrorKind};

/// A private handle, and where its calls go that it does not run itself.
pub(crate) trait Holds {
    type Far: Clone + fmt::Debug;
}

/// Where the calls of a handle go.
#[derive(Debug)]
pub(crate) enum Target<H: Holds> {
    Here(H),
    Far(H::Far),
}

impl<H: Holds + Clone> Clone for Target<H> {
    fn clone(&self) -> Self {
        match self {
            Self::Here(handle) => Self::Here(handle.clone()),
            Self::Far(far) => Self::Far(far.clone()),
        }
    }
}

/// A handle in another process.
pub(crate) trait Far: Sized {
    fn step<A: Serialize>(&self, name: &str, args: &A) -> Self;

    fn call<A: Serialize, T: DeserializeOwned>(
        &self,
        name: &str,
        args: &A,
        lent: Lent<'_>,
    ) -> Result<T, Error>;

    fn not_shared(&self, name: &str) -> Error;
}

impl Far for Infallible {
    fn step<A: Serialize>(&self, _: &str, _: &A) -> Self {
        match *self {}
    }

    fn call<A: Serialize, T: DeserializeOwned>(
        &self,
        _: &str,
        _: &A,
        _: Lent<'_>,
    ) -> Result<T, Error> {
        match *self {}
    }

    fn not_shared(&self, _: &str) -> Error {
        match *self {}
    }
}

/// A file that other processes use as well.
pub(crate) struct SharedFile {
    pub(crate) client: Arc<Client>,
    pub(crate) embedder: Fingerprint,
    /// The model of this process, which is that of the owner as well.
    pub(crate) model: Option<Arc<dyn Provider>>,
}

/// A handle as the way to it.
#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) file: Arc<SharedFile>,
    way: Vec<Step>,
    /// The namespace that it is about; empty for the whole file.
    pub(crate) namespace: Arc<str>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way: Vec<&str> = self.way.iter().map(|step| step.name.as_str()).collect();
        f.debug_struct("Proxy")
            .field("way", &way)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl Proxy {
    /// The whole file.
    pub(crate) fn new(file: SharedFile) -> Self {
        Self {
            file: Arc::new(file),
            way: Vec::new(),
            namespace: Arc::from(""),
        }
    }

    /// A namespace of the file, whose name is allowed.
    pub(crate) fn of_namespace(&self, name: &str) -> Self {
        Self {
            namespace: Arc::from(name),
            ..self.step("namespace", &(name,))
        }
    }
}

impl Far for Proxy {
    fn step<A: Serialize>(&self, name: &str, args: &A) -> Self {
        let mut way = self.way.clone();
        way.push(Step {
            name: name.to_owned(),
            args: raw(args),
        });
        Self {
            way,
            ..self.clone()
        }
    }

    fn call<A: Serialize, T: DeserializeOwned>(
        &self,
        name: &str,
        args: &A,
        lent: Lent<'_>,
    ) -> Result<T, Error> {
        let args = serde_json::value::to_raw_value(args).map_err(|error| {
            Error::bad_input(format!("an argument of {name} cannot be sent: {error}"))
        })?;
        let answer = self
            .file
            .client
            .call(&Call::new(self.way.clone(), name, args), lent)?;
        let (answer, masked): (T, BTreeSet<String>) =
            serde_json::from_slice(&answer).map_err(|error| {
                Error::internal(format!("the answer of {name} cannot be read: {error}"))
            })?;
        note_masked(masked);
        Ok(answer)
    }

    fn not_shared(&self, name: &str) -> Error {
        let text = format!(
            "{name} works only in the process that has the file open, and this one shares it; open the file without \
             Options::share, or use another call"
        );
        Error::other(ErrorKind::NotShared, text)
    }
}

/// Arguments of a step: names, which can always be written.
fn raw<A: Serialize>(args: &A) -> Box<RawValue> {
    serde_json::value::to_raw_value(args).unwrap_or_default()
}
