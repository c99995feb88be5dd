//! When files and memories are to be brought into step again.

use std::path::PathBuf;

use super::disk::{Seen, look};
use super::report::SyncReport;

/// Tells when one of the files that mirror a namespace was edited, or the database written to. It looks at times and lengths only, so asking
/// once a second costs nothing, and it holds nothing open: between two runs of [`sync`](crate::blocking::Namespace::sync) the database may be closed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let memory = annals::blocking::Memory::open(folder.path().join("notes.annals"))?;
/// let notes = memory.create_namespace("notes", "markdown")?;
/// notes.remember("She likes tea.")?;
/// let mut watch = notes.watch(folder.path())?;
/// // In a loop, with a second of rest between two looks:
/// if watch.is_due() {
///     let report = notes.sync(folder.path())?;
///     watch.synced(&report);
/// }
/// assert!(folder.path().join("MEMORY.md").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Watch {
    files: Vec<PathBuf>,
    database: Option<PathBuf>,
    /// The files at the last look.
    last: Option<Vec<Seen>>,
    /// Files and database when they were in step.
    in_step: Option<(Vec<Seen>, Seen)>,
}

impl Watch {
    pub(crate) const fn new(files: Vec<PathBuf>, database: Option<PathBuf>) -> Self {
        Self { files, database, last: None, in_step: None }
    }

    /// Whether something changed since [`synced`](Self::synced); the first time, always. A file that changes is let alone until it is the same
    /// at two looks: half of what an editor is about to write is no edit.
    pub fn is_due(&mut self) -> bool {
        let files: Vec<Seen> = self.files.iter().map(|path| look(path)).collect();
        let calm = self.last.replace(files.clone()).is_none_or(|last| last == files);
        calm && self.in_step.as_ref() != Some(&(files, self.store()))
    }

    /// Takes note that files and memories were brought into step. Call it with the database closed, if it is closed in between: closing writes
    /// to it. What somebody else wrote into a file meanwhile makes it due again, and so does a file that could not be brought into step.
    pub fn synced(&mut self, report: &SyncReport) {
        let of = |path: &PathBuf| report.files.iter().find(|file| file.path == *path).map(|file| file.seen);
        let files: Option<Vec<Seen>> = self.files.iter().map(of).collect();
        self.in_step = files.filter(|_| report.failed().next().is_none()).map(|files| (files, self.store()));
    }

    fn store(&self) -> Seen {
        self.database.as_deref().and_then(look)
    }
}
