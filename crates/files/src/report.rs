use std::io;
use std::path::PathBuf;

use crate::markdown::Rejected;
use serde::{Deserialize, Serialize};

use crate::disk::FileStamp;
use annals_engine::{Error, ErrorKind};

/// The result of bringing files and memories into step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReport {
    /// The files, in the order of the profile.
    pub files: Vec<SyncedFile>,
}

/// The result for one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncedFile {
    /// The file.
    pub path: PathBuf,
    /// Whether it was written; otherwise its text was right already, or it was removed.
    pub written: bool,
    /// Whether it was removed: the profile no longer asks for it.
    pub removed: bool,
    /// Memories in it.
    pub entries: usize,
    /// Memories that a person wrote into it.
    pub added: usize,
    /// Memories that a person changed in it.
    pub updated: usize,
    /// Memories that a person confirmed in it, by raising score, hits or date.
    pub confirmed: usize,
    /// Memories that a person took out of it; they are forgotten, and can be restored.
    pub retracted: usize,
    /// Memories that both sides changed: the person's text counts, the other is in the history. A
    /// memory that was taken out of the file and has another text by now stays, and is written
    /// again.
    pub conflicts: usize,
    /// Text in it that could not be read or must not be stored, with the number of the line; such
    /// text is kept beside it.
    pub warnings: Vec<String>,
    /// The file beside it in which such text is kept, where there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_in: Option<PathBuf>,
    /// Why it could not be read or written, where that is so; the other files do not wait for it.
    pub failed: Option<String>,
    /// Its time and length when it was read or written.
    #[serde(default)]
    pub(super) seen: FileStamp,
}

impl SyncedFile {
    pub(super) fn at(path: PathBuf) -> Self {
        Self {
            path,
            ..Self::default()
        }
    }

    /// Whether there is something to tell of it.
    pub(super) const fn tells(&self) -> bool {
        self.written || self.removed || self.failed.is_some()
    }

    /// Notes the failure of this file. An error that does not lie with a file is returned.
    pub(super) fn fails(&mut self, error: Error) -> Result<(), Error> {
        use ErrorKind::{Conflict, Full, Invalid, Io, ReadOnly};
        match error.kind() {
            Io | Full | ReadOnly | Invalid | Conflict => {
                tracing::warn!(path = %self.path.display(), error = error.logged(), "a mirrored file is not in step");
                self.failed = Some(error.to_string());
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Tells that a memory stays which was taken out of the file: what it says by now was not.
    pub(super) fn keep(&mut self, text: &str) {
        self.conflicts += 1;
        self.warnings.push(format!(
            "a memory was taken out that says something else by now: it stays, as {text:?}"
        ));
    }

    /// Tells that an entry says what another one says, and is the same memory.
    pub(super) fn fold(&mut self, line: usize) {
        self.warnings.push(format!(
            "line {line}: another entry says the same; both are one memory"
        ));
    }

    /// Tells that a text of a line is not stored; answers it as it is set aside.
    pub(super) fn refuse(
        &mut self,
        line: usize,
        text: &str,
        reason: impl std::fmt::Display,
    ) -> Rejected {
        self.warnings
            .push(format!("line {line}: {reason}; the text is set aside"));
        Rejected {
            line,
            text: text.to_owned(),
        }
    }
}

impl SyncReport {
    /// How many edits of a person came back.
    #[must_use]
    pub fn edits(&self) -> usize {
        self.files
            .iter()
            .map(|file| file.added + file.updated + file.confirmed + file.retracted)
            .sum()
    }

    /// The files that could not be read or written.
    pub fn failed(&self) -> impl Iterator<Item = &SyncedFile> {
        self.files.iter().filter(|file| file.failed.is_some())
    }

    /// An error where a file could not be read or written, once everything else is done.
    pub fn whole(&self) -> Result<(), Error> {
        let Some(first) = self.failed().next() else {
            return Ok(());
        };
        let doing = match self.failed().count() {
            1 => format!("{} is not in step", first.path.display()),
            files => format!(
                "{files} files are not in step, the first of them {}",
                first.path.display()
            ),
        };
        Err(Error::io(
            doing,
            io::Error::other(first.failed.clone().unwrap_or_default()),
        ))
    }

    /// How many files were removed, which nobody makes any more.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.files.iter().filter(|file| file.removed).count()
    }

    /// How many files were written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.files.iter().filter(|file| file.written).count()
    }
}
