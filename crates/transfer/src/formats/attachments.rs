//! Files that stand beside an export of a program and belong to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{FileFormat, FileKind, ImportFile};

/// The formats of exports that are folders: what stands beside their conversations belongs to them.
const FOLDERS: [&str; 5] = ["chatgpt", "claude", "claude-projects", "slack", "discord"];

/// The formats of tables and lists, which an export may hold beside its conversations.
const TABLES: [&str; 3] = ["table", "fields", "strings"];

/// Files and their formats.
type Known = (ImportFile, FileFormat);

/// The files to import, and those to pass over: words and tables beside an export of a program, in
/// the same archive or in the folder of an export that is one.
#[must_use]
pub fn without_attachments(known: Vec<Known>) -> (Vec<Known>, Vec<Known>) {
    let is_plain =
        |format: FileFormat| format.kind() == FileKind::Words || TABLES.contains(&format.name());
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for (file, format) in &known {
        if is_plain(*format) {
            continue;
        }
        if let Some(archive) = file.archive() {
            folders.insert(archive.to_owned());
        } else if file.root().is_some() && FOLDERS.contains(&format.name()) {
            folders.extend(file.path().parent().map(Path::to_owned));
        }
    }
    let is_kept = |(file, format): &Known| {
        !is_plain(*format)
            || !file
                .path()
                .ancestors()
                .any(|folder| folders.contains(folder))
    };
    known.into_iter().partition(is_kept)
}
