//! When files and memories are to be brought into step again.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is seen of a file without reading it; `None` when it is not there.
type Seen = Option<(SystemTime, u64)>;

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
///     notes.sync(folder.path())?;
///     watch.synced();
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
        let files: Vec<Seen> = self.files.iter().map(|path| seen(path)).collect();
        let calm = self.last.replace(files.clone()).is_none_or(|last| last == files);
        calm && self.in_step.as_ref() != Some(&(files, self.store()))
    }

    /// Takes note that files and memories were brought into step after the last look. Call it with the database closed, if it is closed in
    /// between: closing writes to it. What was written into a file since the look, by anybody, makes it due again.
    pub fn synced(&mut self) {
        self.in_step = self.last.clone().map(|files| (files, self.store()));
    }

    fn store(&self) -> Seen {
        self.database.as_deref().and_then(seen)
    }
}

fn seen(path: &Path) -> Seen {
    let found = std::fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}
