//! What databases of before noted of files: what stood in a file then counts as written by annals.

use std::path::{Path, PathBuf};

use annals_storage::Reads;
use annals_types::profile::MirrorFormat;
use annals_types::{NamespaceId, NamespaceName};

use super::ledger::{self, Written};
use super::{disk, noted, place, session_file};
use crate::Error;
use crate::engine::rulebooks::Rulebook;

/// Files that are noted with their memories, sessions or days, and not yet with their lines; and the notes that say nothing more.
pub(super) struct Before {
    pub(super) files: Vec<(PathBuf, Written)>,
    pub(super) notes: Vec<PathBuf>,
}

/// What was noted of a namespace's files before their lines were.
pub(super) fn notes(
    reads: &dyn Reads,
    (name, ns): (&NamespaceName, NamespaceId),
    rulebook: &Rulebook,
) -> Result<Before, Error> {
    let mut found = Before { files: Vec::new(), notes: Vec::new() };
    for (path, noted) in noted::all(reads, ns)? {
        let files = &rulebook.profile.mirrors.files;
        let Some(file) = files.iter().find(|file| path.ends_with(place(Path::new(""), file, name))) else { continue };
        let mut add = |path: PathBuf, part: &str, deleted: u64| -> Result<(), Error> {
            // What cannot be read now is nothing that annals could know.
            let Ok(path) = disk::real(&path) else { return Ok(()) };
            if ledger::get(reads, ns, &path)?.is_none()
                && let Ok(Some(text)) = disk::read(&path)
            {
                let (made_by, part) = (file.path.clone(), part.to_owned());
                let lines = ledger::lines(&text);
                found
                    .files
                    .push((path, Written { made_by, format: file.format, name: String::new(), part, deleted, lines }));
            }
            Ok(())
        };
        match file.format {
            MirrorFormat::Turns => {
                noted.iter().try_for_each(|it| add(session_file(&path, &it.short), &it.short, 0))?;
                found.notes.push(path);
            }
            MirrorFormat::Daily => {
                let of_day = |date: &str| PathBuf::from(path.to_string_lossy().replace("{date}", date));
                noted.iter().try_for_each(|it| add(of_day(&it.short), &it.short, it.hash))?;
                found.notes.push(path);
            }
            MirrorFormat::Entries | MirrorFormat::Lines => add(path, "", 0)?,
        }
    }
    Ok(found)
}
