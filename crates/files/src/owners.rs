//! The owner of a mirrored file. A file mirrors one namespace: the memories of another one would
//! come back from it as edits, and be shown as its own.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{MAIN_SEPARATOR, Path};

use annals_records::namespace;
use annals_storage::Reads;
use annals_types::NamespaceId;

use crate::Mirrors;
use crate::record::{self, OWNERS};
use crate::{disk, gone};
use annals_engine::Error;

/// The placeholder for each session in a path.
const SESSION: &str = "{session}";

impl Mirrors<'_> {
    /// Whether the file of a real path mirrors another namespace. A path is free once its file is
    /// gone and no namespace writes it any more.
    pub(crate) fn is_others(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        path: &Path,
    ) -> Result<bool, Error> {
        let Some(found) = record::owner(reads, path)?.filter(|found| *found != ns) else {
            return Ok(false);
        };
        let space = namespace::by_number(reads, found)?.filter(|space| !space.doomed);
        let Some(space) = space else { return Ok(false) };
        if disk::is_there(path) {
            return Ok(true);
        }
        let (profile, record) = (
            self.profiles.of(reads, found)?,
            record::get(reads, found, path)?,
        );
        let written = record.and_then(|record| record.written);
        Ok(!written.is_some_and(|written| gone::is_left(&written, &space.name, &profile)))
    }

    /// Whether a path leads to the file that holds the memories themselves.
    pub(super) fn is_own(&self, path: &Path) -> Result<bool, Error> {
        let Some(own) = self.path.as_deref() else {
            return Ok(false);
        };
        match is_same_file(own, path) {
            Ok(same) => Ok(same),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(false)
            }
            // A file that cannot be looked at is not taken for another one: it would be written
            // over.
            Err(error) => Err(Error::io(format!("looking at {}", path.display()), error)),
        }
    }
}

/// Whether two paths lead to one file. None is opened: what stands there may be a pipe, which would
/// be waited for.
#[cfg(unix)]
fn is_same_file(one: &Path, other: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    Ok(identity(one)? == identity(other)?)
}

#[cfg(not(unix))]
fn is_same_file(one: &Path, other: &Path) -> std::io::Result<bool> {
    same_file::is_same_file(one, other)
}

/// Why the file that holds the memories is no mirror of them.
pub(super) fn holds_memories(path: &Path) -> Error {
    Error::name_taken(format!(
        "{} holds the memories themselves; take another folder",
        path.display()
    ))
}

/// Why a file that mirrors another namespace is let alone. That other one is not named: nobody is
/// told of it.
pub(super) fn refused(path: &Path) -> Error {
    Error::name_taken(format!(
        "{} mirrors another namespace; take another folder, or one with {{name}} in it",
        path.display()
    ))
}

/// Files of sessions that a namespace may look into.
pub struct Sessions {
    own: String,
    /// The patterns of other namespaces that keep files in the same folder.
    others: Vec<String>,
}

impl Sessions {
    /// Those that fit a real path with `{session}` in it.
    pub fn of(reads: &dyn Reads, ns: NamespaceId, pattern: &Path) -> Result<Self, Error> {
        let own = pattern.to_string_lossy().into_owned();
        let folder = own
            .rsplit_once(MAIN_SEPARATOR)
            .map_or("", |(folder, _)| folder);
        let mut others = Vec::new();
        OWNERS.scan(reads, OWNERS.within(folder.as_bytes()), |path, owner| {
            if owner != ns {
                others.push(String::from_utf8_lossy(path).into_owned());
            }
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
        Ok(Self { own, others })
    }

    /// Whether the file of a real path is one of them. One that could be another namespace's as
    /// well is none.
    pub fn has(&self, path: &Path) -> bool {
        let path = path.to_string_lossy();
        fits(&self.own, &path) && !self.others.iter().any(|other| fits(other, &path))
    }
}

/// Whether a path is what a pattern becomes for some session.
fn fits(pattern: &str, path: &str) -> bool {
    match pattern.split_once(SESSION) {
        None => pattern == path,
        Some((before, behind)) => path
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(behind))
            .is_some_and(|session| !session.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_that_of_one_namespace_or_of_none() {
        let sessions = Sessions {
            own: "/m/al-{session}.jsonl".to_owned(),
            others: vec!["/m/al-ice-{session}.jsonl".to_owned()],
        };
        for (path, own) in [
            ("/m/al-s1.jsonl", true),
            ("/m/al-.jsonl", false),
            ("/m/al-ice-s1.jsonl", false),
            ("/m/bob-s1.jsonl", false),
            ("/m/al-s1.json", false),
        ] {
            assert_eq!(sessions.has(Path::new(path)), own, "{path}");
        }
    }
}
