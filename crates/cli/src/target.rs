use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::{Exit, Failure};

/// A file that appears under its name only once it is complete. Only its owner can read it: memories are private.
pub(crate) struct Target {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Target {
    /// Begins a file beside `path`. One that is there already is replaced only with `force`.
    pub(crate) fn begin(path: &Path, force: bool) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(Failure::invalid(format!("{} is a folder", path.display()))
                .advice("name a file")
                .at(path, None));
        }
        if path.exists() && !force {
            return Err(Failure::new(Exit::Invalid, format!("{} exists already", path.display()))
                .advice("give --force to replace it, or another name")
                .at(path, None));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = NamedTempFile::with_prefix_in(".annals-", folder)
            .map_err(|cause| Failure::file("write into the folder", folder, &cause))?;
        Ok(Self { file: BufWriter::new(file), path: path.to_owned() })
    }

    pub(crate) fn writer(&mut self) -> &mut dyn Write {
        &mut self.file
    }

    /// Puts the complete file in its place.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let failed = |cause: std::io::Error| Failure::file("write", &self.path, &cause);
        let file = self.file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }
}
