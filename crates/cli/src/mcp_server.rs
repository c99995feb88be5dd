//! The server of the Model Context Protocol over a database of this machine.

use std::path::Path;

use annals::blocking::Memory;
use annals::{Error, ErrorKind};
use annals_hooks::Hooks;
use annals_mcp::{Reach, Server};

use crate::clones::{Clones, Place};
use crate::texts;

/// The server over an open database. The session is the given one, or the one in which a hook acted
/// last.
pub(crate) fn over(memory: Memory, reach: Reach, db: &Path, session: Option<String>) -> Server {
    let (hooks, spaces) = (Hooks::beside(db), memory.clone());
    let temporary = move |namespace: &str| {
        let session = match &session {
            Some(session) => Some(session.clone()),
            None => hooks
                .latest_session(namespace)
                .map_err(|error| Error::other(ErrorKind::Io, error.to_string()))?,
        };
        session.map_or(Ok(false), |session| {
            spaces
                .namespace(namespace)?
                .session(&session)
                .is_temporary()
        })
    };
    let clones = Clones::of(db);
    // A list that cannot be read lets no folder be another project.
    let name = move |folder: &Path| {
        clones
            .note(folder)
            .unwrap_or_else(|_| Place::of_folder(folder))
            .name
    };
    let server = Server::new(memory, reach)
        .temporary_when(temporary)
        .naming_projects(name);
    server.in_language(texts::language().tag())
}
