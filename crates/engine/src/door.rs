//! A namespace as one call meets it.

use std::sync::{Arc, OnceLock};

use annals_records::RecordError;
use annals_types::{NamespaceId, NamespaceName};

use crate::{Engine, Entry, Error};

/// A namespace for one call of several steps: once its name has led to a namespace, all of them are
/// about that one.
#[derive(Clone)]
pub struct Door<'a> {
    engine: &'a Engine,
    name: &'a NamespaceName,
    met: Arc<OnceLock<NamespaceId>>,
}

impl<'a> Door<'a> {
    /// A call that knows the name alone.
    pub fn new(engine: &'a Engine, name: &'a NamespaceName) -> Self {
        Self {
            engine,
            name,
            met: Arc::default(),
        }
    }

    /// The engine.
    pub const fn engine(&self) -> &'a Engine {
        self.engine
    }

    /// The number of the namespace; `None` while it does not exist.
    pub fn id(&self) -> Result<Option<NamespaceId>, Error> {
        if self.met.get().is_none()
            && let Some(found) = self.engine.find(self.name)?
        {
            self.met.get_or_init(|| found);
        }
        Ok(self.met.get().copied())
    }

    /// The namespace for a call that makes it where there is none.
    pub fn entry(&self) -> Result<Entry<'a>, Error> {
        Ok(Entry {
            name: self.name,
            id: self.id()?,
        })
    }

    /// The number of a namespace that must exist.
    pub fn existing(&self) -> Result<NamespaceId, Error> {
        self.id()?.ok_or_else(|| {
            RecordError::NoNamespace {
                name: self.name.clone(),
            }
            .into()
        })
    }
}
