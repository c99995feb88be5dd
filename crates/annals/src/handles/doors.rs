//! How handles of a file and of its namespaces are come by, and the facts that they know without a
//! call.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annals_extraction::provider::Provider;
use annals_share::Client;
use annals_types::{Fingerprint, NamespaceName};

use crate::handles::{Target, asynchronous, blocking};
use crate::{Error, Options, Owner};

impl blocking::Memory {
    /// Opens a file with the default [`Options`]; creates it where there is none.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::options().open(path)
    }

    /// Options to open a file with.
    pub fn options() -> Options {
        Options::new()
    }

    /// A namespace by its name. It comes into being with its first write; until then reads find
    /// nothing in it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the name is not allowed.
    pub fn namespace(&self, name: impl AsRef<str>) -> Result<blocking::Namespace, Error> {
        match &self.0 {
            Target::Here(memory) => memory.namespace(name).map(blocking::Namespace::from),
            Target::Far(far) => {
                let name = NamespaceName::new(name.as_ref())?;
                Ok(blocking::Namespace(Target::Far(
                    far.of_namespace(name.as_str()),
                )))
            }
        }
    }

    /// Makes a namespace with a profile.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it exists;
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such profile.
    pub fn create_namespace(
        &self,
        name: &str,
        profile: &str,
    ) -> Result<blocking::Namespace, Error> {
        self.make_namespace(name, profile)?;
        self.namespace(name)
    }

    fn make_namespace(&self, name: &str, profile: &str) -> Result<(), Error> {
        run_call!(self make_namespace(name: text, profile: text))
    }

    /// The process that owns a [shared](Options::share) file; none for a file that is not shared.
    ///
    /// # Errors
    /// When no owner can be reached.
    pub fn owner(&self) -> Result<Option<Owner>, Error> {
        match &self.0 {
            Target::Here(memory) => memory
                .engine
                .shared()
                .map(|client| client.owner().map(Owner::from))
                .transpose(),
            Target::Far(far) => far
                .file
                .client
                .owner()
                .map(|welcome| Some(Owner::from(welcome))),
        }
    }

    /// Whether the path of the file still leads to it. Each call through the owner of a shared file
    /// looks itself.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn is_in_place(&self) -> Result<bool, Error> {
        match &self.0 {
            Target::Here(memory) => memory.is_in_place(),
            Target::Far(_) => Ok(true),
        }
    }

    /// Waits, where this process owns a shared file, until nobody has called and no process was
    /// connected for so long, or another process asks for the file: for a program that serves
    /// others. Returns at once in any other process.
    pub fn wait_unused(&self, idle: Duration) {
        if let Some(client) = self.client() {
            client.wait_idle(idle);
        }
    }

    /// Has [`wait_unused`](Self::wait_unused) return, where this process owns a shared file: calls
    /// under way end, and those that come later go to the next owner.
    pub fn stop_serving(&self) {
        if let Some(client) = self.client() {
            client.shut();
        }
    }

    /// The client of a shared file.
    fn client(&self) -> Option<&Arc<Client>> {
        match &self.0 {
            Target::Here(memory) => memory.engine.shared(),
            Target::Far(far) => Some(&far.file.client),
        }
    }

    /// The vector space that new memories are written to.
    #[must_use]
    pub fn embedder(&self) -> Fingerprint {
        match &self.0 {
            Target::Here(memory) => memory.embedder(),
            Target::Far(far) => far.file.embedder.clone(),
        }
    }

    /// The language model of [`Options::model`], for what an application asks it itself: its calls
    /// count in [`spent`](Self::spent), unless the file is shared and another process owns it.
    #[must_use]
    pub fn model(&self) -> Option<Arc<dyn Provider>> {
        match &self.0 {
            Target::Here(memory) => memory.model(),
            Target::Far(far) => far.file.model.clone(),
        }
    }
}

impl asynchronous::Memory {
    /// Opens a file with the default [`Options`]; creates it where there is none. Blocks for a few
    /// milliseconds.
    ///
    /// # Errors
    /// As [`Options::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        blocking::Memory::open(path).map(Self::from)
    }

    /// Options to open a file with; [`Memory::from`](From::from) makes this handle of the blocking
    /// one.
    pub fn options() -> Options {
        Options::new()
    }

    /// A namespace by its name. It comes into being with its first write; until then reads find
    /// nothing in it.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the name is not allowed.
    pub fn namespace(&self, name: impl AsRef<str>) -> Result<asynchronous::Namespace, Error> {
        self.0.namespace(name).map(asynchronous::Namespace)
    }

    /// Makes a namespace with a profile.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when it exists;
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such profile.
    pub async fn create_namespace(
        &self,
        name: impl Into<String>,
        profile: impl Into<String>,
    ) -> Result<asynchronous::Namespace, Error> {
        let (handle, name, profile) = (self.0.clone(), name.into(), profile.into());
        let made = ::blocking::unblock(move || handle.create_namespace(&name, &profile)).await;
        made.map(asynchronous::Namespace)
    }

    /// The process that owns a [shared](Options::share) file; none for a file that is not shared.
    ///
    /// # Errors
    /// When no owner can be reached.
    pub async fn owner(&self) -> Result<Option<Owner>, Error> {
        self.run(blocking::Memory::owner).await
    }

    /// The vector space that new memories are written to.
    #[must_use]
    pub fn embedder(&self) -> Fingerprint {
        self.0.embedder()
    }

    /// The language model of [`Options::model`], for what an application asks it itself: its calls
    /// count in [`spent`](Self::spent), unless the file is shared and another process owns it.
    #[must_use]
    pub fn model(&self) -> Option<Arc<dyn Provider>> {
        self.0.model()
    }
}

impl blocking::Namespace {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            Target::Here(namespace) => namespace.name(),
            Target::Far(far) => &far.namespace,
        }
    }
}

impl asynchronous::Namespace {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }
}
