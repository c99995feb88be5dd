//! Files that mirror memories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::instrument;

use super::Namespace;
use crate::engine::compiled::CompiledProfile;
use crate::{Error, SyncReport, Watch};

impl Namespace {
    /// Brings the files that the profile mirrors memories in into step with them, below `folder`: what a person edited comes back first, then
    /// every file is written, each as a whole. A file that cannot be read in part loses nothing: such text is kept beside it. One that cannot be
    /// read or written at all, or that mirrors another namespace of the database, says so in its [`failed`](crate::SyncedFile::failed), and the
    /// others are brought into step. Files that the profile does not make any more go, and what was deleted goes from those of other folders, too.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace; when the database cannot be read or written, or
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a profile without such files, once none of an earlier profile is left.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn sync(&self, folder: impl AsRef<Path>) -> Result<SyncReport, Error> {
        let id = self.existing()?;
        let report = self.engine.sync(&self.name, id, folder.as_ref())?;
        if report.files.is_empty() {
            let mirroring = self.mirroring().map(drop);
            // A namespace that was deleted meanwhile has no profile any more: that counts first.
            self.existing()?;
            mirroring?;
        }
        Ok(report)
    }

    /// What tells when to [`sync`](Self::sync) again, for a folder in which people edit files.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a profile without such files.
    pub fn watch(&self, folder: impl AsRef<Path>) -> Result<Watch, Error> {
        Ok(self.engine.watch(&self.name, &*self.mirroring()?, folder.as_ref()))
    }

    /// Its profile, if it mirrors memories in files.
    fn mirroring(&self) -> Result<Arc<CompiledProfile>, Error> {
        let profile = self.compiled_profile()?;
        if profile.settings.mirrors.files.is_empty() {
            return Err(Error::bad_input(format!(
                "profile {:?} mirrors memories in no files; use `markdown` or `agent`, or give yours [[mirrors.files]]",
                profile.name.as_str()
            )));
        }
        Ok(profile)
    }

    /// The folder in which those files are kept where nobody names another: that of the [options](crate::Options::mirrors), or else the one
    /// that its profile names; `None` without either.
    ///
    /// # Errors
    /// When the home folder is meant and not known.
    pub fn mirror_home(&self) -> Result<Option<PathBuf>, Error> {
        match self.engine.mirror_folder(&self.name)? {
            Some(folder) => Ok(Some(folder)),
            None => self.engine.mirror_home(&self.name, &*self.compiled_profile()?),
        }
    }
}
