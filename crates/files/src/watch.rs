//! When files and memories are to be brought into step again.

use std::path::PathBuf;

use crate::disk::{FileStamp, look};
use crate::report::SyncReport;

/// Tells when one of the files that mirror a namespace was edited, or the database written to. It
/// looks at times and lengths only, so asking once a second costs nothing, and it holds nothing
/// open: between two runs of `sync` the database may be closed.
#[derive(Debug, Clone)]
pub struct Watch {
    files: Vec<PathBuf>,
    database: Option<PathBuf>,
    /// The files at the last look.
    last: Option<Vec<FileStamp>>,
    /// Files and database when they were in step.
    in_step: Option<(Vec<FileStamp>, FileStamp)>,
}

impl Watch {
    pub(crate) fn new(files: Vec<PathBuf>, database: Option<PathBuf>) -> Self {
        let files = files.into_iter().map(absolute).collect();
        Self {
            files,
            database,
            last: None,
            in_step: None,
        }
    }

    /// Whether something changed since [`synced`](Self::synced); the first time, always. A
    /// changing file is left alone until it is the same at two looks: half a file of an editor is
    /// no edit.
    pub fn is_due(&mut self) -> bool {
        let files: Vec<FileStamp> = self.files.iter().map(|path| look(path)).collect();
        let calm = self
            .last
            .replace(files.clone())
            .is_none_or(|last| last == files);
        calm && self.in_step.as_ref() != Some(&(files, self.store()))
    }

    /// Notes that files and memories were brought into step. Call it with the database closed, if
    /// it is closed in between: closing writes to it. A file that another program wrote meanwhile
    /// makes it due again, and so does one that could not be brought into step.
    pub fn synced(&mut self, report: &SyncReport) {
        let of = |path: &PathBuf| {
            report
                .files
                .iter()
                .find(|file| absolute(file.path.clone()) == *path)
                .map(|file| file.seen)
        };
        let files: Option<Vec<FileStamp>> = self.files.iter().map(of).collect();
        self.in_step = files
            .filter(|_| report.failed().next().is_none())
            .map(|files| (files, self.store()));
    }

    fn store(&self) -> FileStamp {
        self.database.as_deref().and_then(look)
    }
}

/// A path as it is told by a process that may work elsewhere.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}
