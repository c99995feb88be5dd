//! Whose a mirrored file is. It mirrors one namespace: the memories of another one would come back from it as edits, and be shown as its own.

use std::ops::ControlFlow;
use std::path::{MAIN_SEPARATOR, Path};

use annals_records::namespace;
use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::NamespaceId;

use super::noted;
use crate::Error;

/// Real path of a file, and of what the profile has for several, with its `{session}` or `{date}` -> the number of the namespace.
pub(crate) const OWNERS: Keyspace = Keyspace::new("annals.mirror_owners");
const VERSION: u8 = 1;
/// What stands for each session in a path.
const SESSION: &str = "{session}";

fn number(body: &[u8]) -> Option<NamespaceId> {
    Some(NamespaceId(u32::from_be_bytes(body.try_into().ok()?)))
}

/// The namespace that the file of a real path mirrors; `None` for one that mirrors none, or one that is gone.
fn owner(reads: &dyn Reads, path: &Path) -> Result<Option<NamespaceId>, Error> {
    let Some(stored) = reads.get(OWNERS, &noted::place(path))? else { return Ok(None) };
    let Some(found) = number(&stored.body) else { return Ok(None) };
    Ok(namespace::by_number(reads, found)?.filter(|space| !space.doomed).map(|_| found))
}

/// Whether a file mirrors another namespace.
pub(crate) fn is_others(reads: &dyn Reads, ns: NamespaceId, path: &Path) -> Result<bool, Error> {
    Ok(owner(reads, path)?.is_some_and(|found| found != ns))
}

/// Whether a file mirrors a namespace already; an error where it mirrors another one. That other one is not named: nobody is told of it.
pub(super) fn is_own(reads: &dyn Reads, ns: NamespaceId, path: &Path) -> Result<bool, Error> {
    match owner(reads, path)? {
        Some(found) if found != ns => Err(refused(path)),
        found => Ok(found.is_some()),
    }
}

/// Why a file that mirrors another namespace is let alone.
pub(super) fn refused(path: &Path) -> Error {
    Error::name_taken(format!(
        "{} mirrors another namespace; take another folder, or one with {{name}} in it",
        path.display()
    ))
}

/// Takes a file for a namespace.
pub(super) fn claim(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path) -> Result<(), Error> {
    Ok(txn.put(OWNERS, &noted::place(path), VERSION, &ns.prefix())?)
}

/// Lets go of a file that is a namespace's.
pub(super) fn disclaim(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path) -> Result<(), Error> {
    let place = noted::place(path);
    if txn.get(OWNERS, &place)?.is_some_and(|stored| number(&stored.body) == Some(ns)) {
        txn.delete(OWNERS, &place)?;
    }
    Ok(())
}

/// Forgets which files mirrored a namespace.
pub(crate) fn release(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
    let mut keys = Vec::new();
    txn.scan(&[KeyRange::prefix(OWNERS, &[])], &mut |_, key, _, body| {
        if number(body) == Some(ns) {
            keys.push(key.to_vec());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    for key in keys {
        txn.delete(OWNERS, &key)?;
    }
    Ok(())
}

/// Files of sessions that a namespace may look into.
pub(crate) struct Sessions {
    own: String,
    /// What other namespaces keep in the same folder.
    others: Vec<String>,
}

impl Sessions {
    /// Those that fit a real path with `{session}` in it.
    pub(crate) fn of(reads: &dyn Reads, ns: NamespaceId, pattern: &Path) -> Result<Self, Error> {
        let own = pattern.to_string_lossy().into_owned();
        let folder = own.rsplit_once(MAIN_SEPARATOR).map_or("", |(folder, _)| folder);
        let mut others = Vec::new();
        reads.scan(&[KeyRange::prefix(OWNERS, folder.as_bytes())], &mut |_, key, _, body| {
            if number(body) != Some(ns) {
                others.push(String::from_utf8_lossy(key).into_owned());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Self { own, others })
    }

    /// Whether the file of a real path is one of them. One that could be another namespace's as well is none.
    pub(crate) fn has(&self, path: &Path) -> bool {
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
        let sessions =
            Sessions { own: "/m/al-{session}.jsonl".to_owned(), others: vec!["/m/al-ice-{session}.jsonl".to_owned()] };
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
