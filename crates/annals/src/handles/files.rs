//! Files that mirror memories.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::instrument;

use crate::handles::Namespace;
use crate::{Error, SyncReport, Watch};
use annals_engine::Refusal;
use annals_engine::compiled::CompiledProfile;
use annals_files::Links;

handles! {
    /// Files that mirror memories.
    pub struct Files;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.create_namespace("user:42", "markdown")?;
        /// let folder = tempfile::tempdir().expect("a folder");
        /// user.remember("My cat is called Momo.")?;
        /// let report = user.files().sync(folder.path())?;
        /// assert!(report.files.iter().all(|file| file.failed.is_none()));
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.create_namespace("user:42", "markdown").await?;
        /// let folder = tempfile::tempdir().expect("a folder");
        /// user.remember("My cat is called Momo.").await?;
        /// let report = user.files().sync(folder.path()).await?;
        /// assert!(report.files.iter().all(|file| file.failed.is_none()));
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Files {
    pub(super) space: Namespace,
}

calls! {
    for Files;

    here {
        /// What tells when to [`sync`](Self::sync) again, for a folder in which people edit files.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a profile without such files.
        fn watch(folder: path) -> Watch;
        example {
            /// ```
            /// # let folder = tempfile::tempdir()?;
            /// let memory = annals::blocking::Memory::open(folder.path().join("notes.annals"))?;
            /// let notes = memory.create_namespace("notes", "markdown")?;
            /// notes.remember("She likes tea.")?;
            /// let mut watch = notes.files().watch(folder.path())?;
            /// // In a loop, with a second of rest between two looks:
            /// if watch.is_due() {
            ///     let report = notes.files().sync(folder.path())?;
            ///     watch.synced(&report);
            /// }
            /// assert!(folder.path().join("MEMORY.md").exists());
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
        }
    }

    calls {
        /// Brings the files that the profile mirrors memories in into step with them, below
        /// `folder`: what a person edited comes back first, then every file is written, each as a
        /// whole. A file that cannot be read in part loses nothing: such text is kept beside it.
        /// One that cannot be read or written at all, or that mirrors another namespace of the
        /// database, says so in its [`failed`](crate::SyncedFile::failed), and the others are
        /// brought into step. Files that the profile does not make any more go, and what was
        /// deleted goes from those of other folders, too.
        ///
        /// The folder may be somebody else's, such as a clone of a repository: only regular files
        /// of at most 64 MiB are read, and a link that leads out of the folder is let alone, unless
        /// it leads to a file that was brought into step before.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such namespace;
        /// when the database cannot be read or written, or
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a profile without such files, once
        /// none of an earlier profile is left.
        fn sync(folder: path) -> SyncReport;

        /// As [`sync`](Self::sync), and follows links out of the folder: the files that they lead
        /// to are meant, now and later.
        ///
        /// # Errors
        /// As [`sync`](Self::sync).
        fn sync_following(folder: path) -> SyncReport;

        /// The folder in which those files are kept where nobody names another: that of the
        /// [options](crate::Options::mirrors), or else the one that its profile names; `None`
        /// without either.
        ///
        /// # Errors
        /// When the home folder is meant and not known.
        fn home() -> Option<PathBuf>;
    }
}

impl Files {
    pub(crate) fn sync(&self, folder: impl AsRef<Path>) -> Result<SyncReport, Error> {
        self.in_step(folder.as_ref(), Links::Within)
    }

    pub(crate) fn sync_following(&self, folder: impl AsRef<Path>) -> Result<SyncReport, Error> {
        self.in_step(folder.as_ref(), Links::Follow)
    }

    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    fn in_step(&self, folder: &Path, links: Links) -> Result<SyncReport, Error> {
        let id = self.space.existing()?;
        let report = self
            .space
            .engine
            .mirrors()
            .sync(&self.space.name, id, (folder, links))?;
        if report.files.is_empty() {
            let mirroring = self.space.mirroring().map(drop);
            // A namespace that was deleted meanwhile has no profile any more: that counts first.
            self.space.existing()?;
            mirroring?;
        }
        Ok(report)
    }

    pub(crate) fn watch(&self, folder: impl AsRef<Path>) -> Result<Watch, Error> {
        Ok(self.space.engine.mirrors().watch(
            &self.space.name,
            &*self.space.mirroring()?,
            folder.as_ref(),
        ))
    }

    pub(crate) fn home(&self) -> Result<Option<PathBuf>, Error> {
        match self
            .space
            .engine
            .mirrors()
            .mirror_folder(&self.space.name)?
        {
            Some(folder) => Ok(Some(folder)),
            None => self
                .space
                .engine
                .mirrors()
                .mirror_home(&self.space.name, &*self.space.compiled_profile()?),
        }
    }
}

impl Namespace {
    /// Its profile, if it mirrors memories in files.
    fn mirroring(&self) -> Result<Arc<CompiledProfile>, Error> {
        let profile = self.compiled_profile()?;
        if profile.settings.mirrors.files.is_empty() {
            return Err(Refusal::NoMirrors {
                profile: profile.name.as_str().to_owned(),
            }
            .into());
        }
        Ok(profile)
    }
}
