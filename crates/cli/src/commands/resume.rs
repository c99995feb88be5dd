//! The note of an import that is under way: how far it came. It lies beside the database and goes when the import is done.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::{Exit, Failure};

/// How far the import of a file into a namespace has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) file: PathBuf,
    pub(crate) namespace: String,
    pub(crate) lines_done: u64,
}

/// Where the note of a database lies.
#[derive(Debug)]
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn beside(db: &Path) -> Self {
        let mut name = db.as_os_str().to_owned();
        name.push(".import");
        Self(PathBuf::from(name))
    }

    /// The lines that the import of this file into this namespace has done.
    pub(crate) fn lines_done(&self, file: &Path, namespace: &str) -> Result<u64, Failure> {
        let nothing =
            |why: String| Failure::new(Exit::NotFound, why).advice("name the line to go on at: --from-line LINE");
        let bytes = fs::read(&self.0).map_err(|_| nothing("no import has stopped here".to_owned()))?;
        let note: Note = serde_json::from_slice(&bytes).map_err(|error| {
            nothing(format!("the note of the last import, {}, is broken: {error}", self.0.display()))
        })?;
        if note.file != whole(file) || note.namespace != namespace {
            return Err(nothing(format!(
                "the import that stopped was that of {} into {:?}",
                note.file.display(),
                note.namespace
            )));
        }
        Ok(note.lines_done)
    }

    /// Writes the note. Without one the import can still go on by line, so a failure is no reason to stop.
    pub(crate) fn write(&self, file: &Path, namespace: &str, lines_done: u64) {
        let note = Note { file: whole(file), namespace: namespace.to_owned(), lines_done };
        // A note that cannot be written whole, as on a full disk, must not take the place of the one before.
        let half = self.0.with_extension("import-new");
        let written = serde_json::to_vec(&note).is_ok_and(|bytes| fs::write(&half, bytes).is_ok());
        let placed = if written { fs::rename(&half, &self.0) } else { fs::remove_file(&half) };
        drop(placed);
    }

    pub(crate) fn remove(&self) {
        let removed = fs::remove_file(&self.0);
        drop(removed);
    }
}

/// The same file is the same whatever folder it is named from.
fn whole(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_for_one_file_and_namespace() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::beside(&folder.path().join("x.annals"));
        assert_eq!(place.lines_done(Path::new("f"), "n").unwrap_err().exit, Exit::NotFound);
        place.write(Path::new("f"), "n", 500);
        assert_eq!(place.lines_done(Path::new("f"), "n").unwrap(), 500);
        assert!(place.lines_done(Path::new("g"), "n").unwrap_err().message.contains("\"n\""));
        assert!(place.lines_done(Path::new("f"), "m").is_err());
        place.remove();
        assert!(place.lines_done(Path::new("f"), "n").is_err());
    }
}
