use std::path::PathBuf;

use crate::edit::{self, Presence, Wanted};
use crate::target::{self, Scope};
use crate::{Client, Command, Error, Folders, file};

/// The state of a client on this machine.
#[derive(Debug)]
#[non_exhaustive]
pub struct Status {
    /// The client.
    pub client: Client,
    /// Whether it is on this machine.
    pub found: bool,
    /// The entry of the server.
    pub server: Standing,
    /// The hooks; none for a client that has no hooks.
    pub hooks: Option<Standing>,
    /// The files that are read for this.
    pub files: Vec<PathBuf>,
    /// Why one of them could not be read.
    pub problem: Option<Error>,
}

/// How something of annals stands in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// It is not there.
    Absent,
    /// It is as it would be written now.
    Current,
    /// Part of it is missing, or names another program or database.
    Outdated,
    /// An entry of the same name starts something else.
    Foreign,
}

/// Looks at the configuration of a client; what cannot be read is told in the answer.
#[must_use]
pub fn status(client: Client, folders: &Folders, scope: &Scope, command: &Command) -> Status {
    let mut status = Status {
        client,
        found: target::is_found(client, folders),
        server: Standing::Absent,
        hooks: client.has_hooks().then_some(Standing::Absent),
        files: Vec::new(),
        problem: None,
    };
    if let Err(problem) = look(&mut status, folders, scope, command) {
        status.problem = Some(problem);
    }
    status
}

fn look(
    status: &mut Status,
    folders: &Folders,
    scope: &Scope,
    command: &Command,
) -> Result<(), Error> {
    for target in target::targets(status.client, folders, scope)? {
        status.files.push(target.path.clone());
        let Some(bytes) = file::read(&target.path)? else {
            continue;
        };
        let refused = |problem| Error::Refused {
            path: target.path.clone(),
            problem,
        };
        let text = file::text(&bytes).map_err(refused)?;
        let found = edit::find(text, &target).map_err(refused)?;
        let wanted = Wanted::new(&target, command, folders.system, false)?;
        let current = edit::install(text, &target, &wanted).is_ok_and(|after| after == text);
        let standing = if current {
            Standing::Current
        } else {
            Standing::Outdated
        };
        match found.server {
            Presence::Own(_) => status.server = standing,
            Presence::Foreign => status.server = Standing::Foreign,
            Presence::Absent => {}
        }
        if !found.hooks.is_empty() {
            let events = target
                .hooks
                .map(|hooks| hooks.events.len())
                .unwrap_or_default();
            let whole = current && found.hooks.len() >= events;
            status.hooks = Some(if whole {
                Standing::Current
            } else {
                Standing::Outdated
            });
        }
    }
    Ok(())
}
