//! A memory without a facade, for the tests of the engine.

use std::sync::Arc;

use annals_types::{
    Cancel, Extractor, Interpreter, Judge, MemoryId, NamespaceId, NamespaceName, NewMemory,
    Summarizer,
};

use crate::advisers::Advisers;
use crate::compiled::CompiledProfile;
use crate::config::Config;
use crate::extension::Extensions;
use crate::{Arrival, Engine, Entry, Home};

/// Advisers of whom none is there.
struct Nobody;

impl Advisers for Nobody {
    fn judge(&self, _profile: &CompiledProfile, _cancel: &Cancel) -> Option<Arc<dyn Judge>> {
        None
    }

    fn summarizer(
        &self,
        _profile: &CompiledProfile,
        _cancel: &Cancel,
    ) -> Option<Arc<dyn Summarizer>> {
        None
    }

    fn extractor(
        &self,
        _profile: &CompiledProfile,
        _cancel: &Cancel,
    ) -> Option<Arc<dyn Extractor>> {
        None
    }

    fn interpreter(
        &self,
        _profile: &CompiledProfile,
        _cancel: &Cancel,
    ) -> Option<Arc<dyn Interpreter>> {
        None
    }

    fn has_judge(&self) -> bool {
        false
    }
}

/// An engine in memory with a namespace `u`, which need not exist yet.
pub(crate) struct Testbed {
    pub(crate) engine: Arc<Engine>,
    pub(crate) name: NamespaceName,
}

impl Drop for Testbed {
    fn drop(&mut self) {
        self.engine.stop();
    }
}

impl Testbed {
    pub(crate) fn new(config: Config) -> Self {
        let engine = Engine::open(
            config,
            Home::Memory,
            Arc::new(Nobody),
            Extensions::default(),
        )
        .unwrap();
        Self {
            engine,
            name: NamespaceName::new("u").unwrap(),
        }
    }

    /// The same with the namespace under a profile.
    pub(crate) fn under(profile: &str) -> Self {
        let bed = Self::new(Config::default());
        bed.create(profile);
        bed
    }

    pub(crate) fn create(&self, profile: &str) -> NamespaceId {
        self.engine.create_namespace(&self.name, profile).unwrap()
    }

    pub(crate) fn entry(&self) -> Entry<'_> {
        Entry {
            name: &self.name,
            id: self.engine.find(&self.name).unwrap(),
        }
    }

    pub(crate) fn ns(&self) -> NamespaceId {
        self.entry().id.unwrap()
    }

    pub(crate) fn remember(&self, memories: Vec<NewMemory>) -> Vec<MemoryId> {
        let prepared = self.engine.prepare(memories).unwrap();
        let arrival = |prepared| Arrival::new(self.engine.ids.next(self.engine.now()), prepared);
        let arrivals: Vec<Arrival> = prepared.into_iter().map(arrival).collect();
        self.engine
            .admit(self.entry(), &arrivals)
            .unwrap()
            .into_iter()
            .map(|admitted| admitted.id)
            .collect()
    }

    /// Deletes the namespace with its bytes.
    pub(crate) fn delete(&self) {
        let ns = self.ns();
        self.engine.delete_namespace(&self.name, ns, &()).unwrap();
        self.engine.purge(ns).unwrap();
    }
}
