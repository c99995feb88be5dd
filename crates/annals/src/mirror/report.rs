use std::path::PathBuf;

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
    /// What in it could not be read, with the number of the line; such text is kept beside it.
    pub warnings: Vec<String>,
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
