//! The memories behind a server, and whether they may be touched.

use std::path::Path;
use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::messages::Messages;
use annals::{Error, ErrorKind};

use crate::reply::Refusal;
use crate::{Access, Reach, words};

/// Whether the session in a namespace is temporary at the moment.
pub(crate) type Temporary = Arc<dyn Fn(&str) -> Result<bool, Error> + Send + Sync>;

/// The namespace of the project that a folder belongs to.
pub(crate) type NameProject = Arc<dyn Fn(&Path) -> String + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) memory: Memory,
    pub(crate) reach: Reach,
    pub(crate) access: Access,
    pub(crate) temporary: Temporary,
    pub(crate) name_project: NameProject,
    /// The path of the file, for messages.
    pub(crate) name: String,
    /// The language where nothing else says one.
    pub(crate) language: String,
    /// Why no memory can be reached, and what to do; every call is answered so.
    pub(crate) unavailable: Option<String>,
}

impl Store {
    /// Whether anything may be stored or counted.
    pub(crate) fn writes(&self) -> bool {
        self.access == Access::Write
    }

    /// The namespace that takes new memories.
    pub(crate) fn first(&self) -> Result<Namespace, Error> {
        self.memory.namespace(self.reach.first())
    }

    /// All namespaces that are reached.
    pub(crate) fn spaces(&self) -> Result<Vec<Namespace>, Error> {
        self.reach
            .names()
            .map(|name| self.memory.namespace(name))
            .collect()
    }

    /// The messages in the language of the first namespace, or of some texts.
    pub(crate) fn messages(&self, texts: &[&str]) -> Result<Arc<Messages>, Error> {
        words::messages(&self.memory, &self.first()?, texts, &self.language)
    }

    /// Whether the file still has its name: what is written to one that was deleted or replaced is
    /// lost when the server ends.
    fn in_place(&self) -> Result<(), Error> {
        if self.memory.is_in_place()? {
            return Ok(());
        }
        let gone = format!(
            "{} was moved, deleted or replaced; start the server again",
            self.name
        );
        Err(Error::other(ErrorKind::Io, gone))
    }

    /// Whether memories may be recalled and stored now; asked before every call, resource and
    /// prompt that touches them.
    pub(crate) fn admit(&self, messages: &Messages) -> Result<(), Refusal> {
        if let Some(reason) = &self.unavailable {
            return Err(Refusal::message(
                messages,
                "mcp-unavailable",
                &[("reason", reason)],
            ));
        }
        if (self.temporary)(self.reach.first())? {
            return Err(Refusal::message(messages, "mcp-temporary", &[]));
        }
        self.in_place()?;
        if self.first()?.admin().settings()?.surface.enabled {
            return Ok(());
        }
        Err(Refusal::message(messages, "mcp-off", &[]))
    }
}
