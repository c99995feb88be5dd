use std::path::{Path, PathBuf};

use crate::hook::Hooks;
use crate::places;
use crate::{Client, Error, Folders, file};

/// Whose configuration is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// That of the user: it holds in every project.
    User,
    /// That of one project, by its folder.
    Project(PathBuf),
}

/// A file of a client, and what annals writes into it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// How the client writes servers, where it looks for them in this file.
    pub(crate) servers: Option<Servers>,
    /// How the client writes hooks, where it looks for them in this file.
    pub(crate) hooks: Option<&'static Hooks>,
    /// The folder above which nothing is removed.
    pub(crate) root: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON with comments and trailing commas.
    Json,
    Toml,
}

/// How a client writes MCP servers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Servers {
    /// The key that holds them.
    pub(crate) key: &'static str,
    /// The value of `type` in an entry.
    pub(crate) kind: Option<&'static str>,
    /// Whether an entry lists the tools that may be called.
    pub(crate) tools: bool,
}

/// The files of a client.
///
/// # Errors
///
/// [`Error::NoFolder`] where the environment does not tell the folder, [`Error::NoProject`] for a
/// client that reads nothing from projects.
pub(crate) fn targets(
    client: Client,
    folders: &Folders,
    scope: &Scope,
) -> Result<Vec<Target>, Error> {
    match scope {
        Scope::User => places::user(client, folders),
        Scope::Project(folder) => {
            let targets = places::project(client, folders, folder)?;
            targets
                .iter()
                .try_for_each(|target| within(&target.path, folder))?;
            Ok(targets)
        }
    }
}

/// Whether a file of a project really lies in it: a project may come from somebody else.
fn within(path: &Path, project: &Path) -> Result<(), Error> {
    let there = |path: &Path| path.ancestors().find_map(|part| part.canonicalize().ok());
    let to = file::followed(path)?;
    match (there(&to), there(project)) {
        (Some(real), Some(project)) if !real.starts_with(&project) => Err(Error::LeadsOut {
            path: path.to_owned(),
            to: real,
        }),
        _ => Ok(()),
    }
}

/// The files of a client that annals writes to, whether they exist or not.
///
/// # Errors
///
/// Those of [`Planner::install`](crate::Planner::install) that are about the place alone.
pub fn files(client: Client, folders: &Folders, scope: &Scope) -> Result<Vec<PathBuf>, Error> {
    Ok(targets(client, folders, scope)?
        .into_iter()
        .map(|target| target.path)
        .collect())
}

/// Whether a client is on this machine: one of the files or folders that it makes itself exists.
#[must_use]
pub fn is_found(client: Client, folders: &Folders) -> bool {
    places::traces(client, folders)
        .iter()
        .any(|path| Path::exists(path))
}
