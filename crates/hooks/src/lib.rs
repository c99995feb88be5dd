#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::print_stderr,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )
)]

mod call;
mod capture;
mod digest;
mod error;
mod failures;
mod host;
mod projects;
mod quote;
mod repeats;
mod reply;
mod session;
mod show;

use std::path::{Path, PathBuf};

use annals::blocking::Memory;

pub use call::Call;
pub use error::HookError;
pub use failures::NotedFailure;
pub use host::{Event, Host};
pub use projects::EnabledProject;
pub use reply::Reply;

/// The environment variable that switches hooks off with the value `off`: models that annals
/// starts itself run with it, so that what annals says to them is not kept as a conversation.
pub const SWITCH: &str = "ANNALS_HOOKS";

/// The namespace of what holds for the user in every project.
pub const USER_NAMESPACE: &str = "user";

/// The longest answer, in characters: hosts shorten longer ones.
pub const MAX_CHARS: usize = 8_000;

/// The state of hooks beside a database, and their work at events.
#[derive(Debug, Clone)]
pub struct Hooks {
    folder: PathBuf,
}

/// For what a database is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Memories are read to be shown; nothing is written.
    Show,
    /// The conversation is kept.
    Keep,
}

impl Hooks {
    /// The hooks of a database.
    #[must_use]
    pub fn beside(database: &Path) -> Self {
        let mut name = database.file_name().unwrap_or_default().to_owned();
        name.push(".hooks");
        Self {
            folder: database.with_file_name(name),
        }
    }

    /// Whether anything is kept beside the database.
    #[must_use]
    pub fn exist(&self) -> bool {
        self.folder.exists()
    }

    /// Does what an event asks for in an enabled project. `open` opens the database; it is not
    /// called where there is nothing to do, and answers `None` where there is no database to be
    /// read.
    ///
    /// # Errors
    /// [`HookError`]. Whoever calls this answers [`Reply::empty`] then: no failure of memory may
    /// stop a conversation.
    pub fn run(
        &self,
        call: &Call,
        project: &EnabledProject,
        open: &mut dyn FnMut(Access) -> Result<Option<Memory>, HookError>,
    ) -> Result<Reply, HookError> {
        if call.of_subagent {
            return Ok(Reply::empty(call));
        }
        match call.event {
            Event::Start | Event::Prompt if call.host.shows(call.event) => {
                show::run(self, call, project, open)
            }
            Event::TurnEnd | Event::Compact | Event::End => {
                capture::run(self, call, project, open)?;
                Ok(Reply::empty(call))
            }
            _ => Ok(Reply::empty(call)),
        }
    }
}
