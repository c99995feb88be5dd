use std::path::PathBuf;

use annals_extraction::markdown::Rejected;
use serde::Serialize;

/// What bringing files and memories into step did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SyncReport {
    /// The files, in the order of the profile.
    pub files: Vec<SyncedFile>,
}

/// What was done with one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SyncedFile {
    /// The file.
    pub path: PathBuf,
    /// Whether it was written; otherwise it said already what it has to say.
    pub written: bool,
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
    /// Memories that both sides changed: the person's text counts, the other is in the history.
    pub conflicts: usize,
    /// What in it could not be read or must not be stored, with the number of the line; such text is kept beside it.
    pub warnings: Vec<String>,
}

impl SyncedFile {
    /// Tells that a text of a line is not stored; answers it as it is set aside.
    pub(super) fn refuse(&mut self, line: usize, text: &str, reason: impl std::fmt::Display) -> Rejected {
        self.warnings.push(format!("line {line}: {reason}; the text is set aside"));
        Rejected { line, text: text.to_owned() }
    }
}

impl SyncReport {
    /// How many edits of a person came back.
    #[must_use]
    pub fn edits(&self) -> usize {
        self.files.iter().map(|file| file.added + file.updated + file.confirmed + file.retracted).sum()
    }

    /// How many files were written.
    #[must_use]
    pub fn written(&self) -> usize {
        self.files.iter().filter(|file| file.written).count()
    }
}
