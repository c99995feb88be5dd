use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::visible;

/// A file that a run uses.
#[derive(Debug, Clone, Copy)]
enum Sort {
    Database,
    Input,
}

impl Sort {
    fn name(self) -> String {
        match self {
            Self::Database => text!("common-the-database"),
            Self::Input => text!("common-file-read"),
        }
    }
}

/// Files that a run uses and that nothing else may be written into, each with what it is.
#[derive(Debug, Clone)]
pub(crate) struct InUse(Vec<(PathBuf, Sort)>);

impl InUse {
    /// Not one.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The database of a run.
    pub(crate) fn database(path: &Path) -> Self {
        Self(vec![(path.to_owned(), Sort::Database)])
    }

    /// The same, and a file that is read; standard input is none.
    pub(crate) fn and_input(mut self, path: &Path) -> Self {
        if path != Path::new("-") {
            self.0.push((path.to_owned(), Sort::Input));
        }
        self
    }

    /// Refuses to write where one of them is, by whatever name or link.
    pub(crate) fn spare(&self, path: &Path) -> Result<(), Failure> {
        match self.0.iter().find(|(used, _)| is_same(used, path)) {
            Some((_, what)) => Err(Failure::invalid(text!(
                "common-is-in-use",
                path = path.display(),
                what = what.name()
            ))
            .advice(text!("common-name-another-file"))
            .at(path, None)),
            None => Ok(()),
        }
    }
}

/// Whether two paths lead to one file, or would where it is not there yet.
fn is_same(one: &Path, other: &Path) -> bool {
    // To compare files they are opened, and a pipe would be waited for.
    let is_file = |path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let same = if is_file(one) && is_file(other) {
        same_file::is_same_file(one, other).ok()
    } else {
        None
    };
    same.unwrap_or_else(|| whole(one) == whole(other))
}

/// A path from the root, with the links of its folder followed.
fn whole(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let (folder, name) = (path.parent()?, path.file_name()?);
    Some(
        folder
            .canonicalize()
            .map_or_else(|_| path.clone(), |folder| folder.join(name)),
    )
}

/// A file that appears under its name only once it is complete. Only its owner can read it:
/// memories are private.
pub(crate) struct Target {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
    in_use: InUse,
}

impl Target {
    /// Begins a file beside `path`. One that is there already is replaced only with `force`, and
    /// one that is in use never.
    pub(crate) fn begin(path: &Path, force: bool, in_use: InUse) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(
                Failure::invalid(text!("common-is-folder", path = path.display()))
                    .advice(text!("common-name-file"))
                    .at(path, None),
            );
        }
        in_use.spare(path)?;
        if path.exists() && !force {
            let shown = visible::line(&path.to_string_lossy()).into_owned();
            return Err(
                Failure::new(Exit::Invalid, text!("common-exists", path = shown))
                    .advice(text!("common-force"))
                    .at(path, None),
            );
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let file = NamedTempFile::with_prefix_in(".annals-", folder)
            .map_err(|cause| Failure::file(&text!("common-write-into-folder"), folder, &cause))?;
        Ok(Self {
            file: BufWriter::new(file),
            path: path.to_owned(),
            in_use,
        })
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.file
    }

    /// Puts the complete file in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let failed =
            |cause: std::io::Error| Failure::file(&text!("common-write"), &self.path, &cause);
        let file = self
            .file
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        // One of them may have been made meanwhile.
        self.in_use.spare(&self.path)?;
        file.persist(&self.path)
            .map_err(|error| failed(error.error))?;
        Ok(())
    }
}
