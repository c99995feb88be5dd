//! The lock of a file. It is taken before anything else is done with the file, and held while the
//! handle lives.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use annals_private::{OpenOwn, Refusal};

use super::failure::Context;
use super::holder::{self, Claim};
use super::readers;
use crate::{Options, StorageError};

/// The first pause between two attempts to take a lock, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// A file that this handle has locked: alone, or together with other readers. The lock belongs to
/// the open file, so copies of the descriptor share it; it ends with this value.
#[derive(Debug)]
pub(super) struct LockedFile {
    file: File,
    path: PathBuf,
    /// Whether this handle made the file, and it was still empty once it was locked.
    made: bool,
    _claim: Claim,
}

impl LockedFile {
    /// Opens a file, or creates it where it may be written, and locks it.
    pub(super) fn open(path: &Path, options: &Options) -> Result<Self, StorageError> {
        let began = Instant::now();
        loop {
            let (file, made) = if options.read_only {
                (existing(path, options.foreign)?, false)
            } else {
                existing_or_new(path, options.foreign)?
            };
            match acquire(&file, path, options, began) {
                Err(locked @ StorageError::Locked { .. })
                    if options.past_readers || !options.wait.is_zero() =>
                {
                    // Whoever only reads may do so for ever.
                    let Some(file) =
                        readers::pass(&file, path, options).map_err(|e| context(path).io(e))?
                    else {
                        return Err(locked);
                    };
                    return Ok(Self {
                        file,
                        path: path.to_owned(),
                        made: false,
                        _claim: Claim::new(path),
                    });
                }
                acquired => acquired?,
            }
            // While this waited the file may have been removed or replaced: its name leads to
            // another one then.
            if leads_to(path, &file).map_err(|e| context(path).io(e))? {
                let empty = file.metadata().map_err(|e| context(path).io(e))?.len() == 0;
                return Ok(Self {
                    file,
                    path: path.to_owned(),
                    made: made && empty,
                    _claim: Claim::new(path),
                });
            }
        }
    }

    /// Creates a file that no other process has, locked, in the place of what an earlier attempt
    /// left behind.
    pub(super) fn create(path: &Path) -> io::Result<File> {
        remove_own(path)?;
        Self::create_new(path)
    }

    /// Creates a file where there is none, locked.
    pub(super) fn create_new(path: &Path) -> io::Result<File> {
        let file = new_file(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::WouldBlock, "another process has locked it")
            }
        })?;
        Ok(file)
    }

    /// A second descriptor of the same open file, under the same lock.
    pub(super) fn descriptor(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Goes on with a file that has taken the place of this one, and that is locked.
    pub(super) fn replace(&mut self, file: File) {
        self.file = file;
    }

    /// Makes the name of a file that this handle made survive power loss.
    pub(super) fn keep(&mut self) {
        if std::mem::take(&mut self.made) {
            sync_folder(&self.path);
        }
    }

    /// Gives the lock up, for all descriptors of the open file.
    pub(super) fn release(&self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(path = %self.path.display(), %error, "could not give up the lock of the file");
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        if self.made
            && let Err(error) = std::fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "could not remove the unfinished file");
        }
        self.release();
    }
}

fn context(path: &Path) -> Context<'_> {
    Context::new("open", path)
}

/// Locks a file, waiting for the process that has it.
fn acquire(
    file: &File,
    path: &Path,
    options: &Options,
    began: Instant,
) -> Result<(), StorageError> {
    let mut pause = FIRST_PAUSE;
    loop {
        match if options.read_only {
            file.try_lock_shared()
        } else {
            file.try_lock()
        } {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(unlocked(path, error)),
            Err(TryLockError::WouldBlock) => {}
        }
        let waited = began.elapsed();
        if waited >= options.wait {
            let waited = if options.wait.is_zero() {
                Duration::ZERO
            } else {
                waited
            };
            return Err(StorageError::Locked {
                path: path.to_owned(),
                holder: holder::find(path),
                waited,
            });
        }
        std::thread::sleep(pause.min(options.wait - waited));
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

/// The error of a lock that could not be taken for another reason than that somebody has it.
fn unlocked(path: &Path, source: io::Error) -> StorageError {
    // ENOLCK and EOPNOTSUPP of Linux, and of macOS and the BSDs.
    let is_missing = |code| matches!(code, 37 | 95 | 77 | 102 | 45);
    let unsupported = source.kind() == io::ErrorKind::Unsupported;
    if unsupported || (cfg!(unix) && source.raw_os_error().is_some_and(is_missing)) {
        return StorageError::NoLocks {
            path: path.to_owned(),
            source,
        };
    }
    context(path).io(source)
}

/// Whether a path leads to this very file. Needs no descriptor where the system tells what a path
/// leads to: they may have run out.
#[cfg(unix)]
pub(super) fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let named = match std::fs::metadata(path) {
        Ok(named) => named,
        Err(error) if is_nowhere(&error) => return Ok(false),
        Err(error) => return Err(error),
    };
    let own = file.metadata()?;
    Ok((named.dev(), named.ino()) == (own.dev(), own.ino()))
}

/// Whether a path leads to this very file.
#[cfg(not(unix))]
pub(super) fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    let named = match same_file::Handle::from_path(path) {
        Ok(named) => named,
        Err(error) if is_nowhere(&error) => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(same_file::Handle::from_file(file.try_clone()?)? == named)
}

/// Whether a path leads to nothing.
fn is_nowhere(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn existing(path: &Path, foreign: bool) -> Result<File, StorageError> {
    OpenOwn::new()
        .foreign(foreign)
        .open(path)
        .map_err(|e| context(path).io(e))
}

/// The open file, and whether it was made just now.
fn existing_or_new(path: &Path, foreign: bool) -> Result<(File, bool), StorageError> {
    let open = || {
        OpenOwn::new()
            .write()
            .foreign(foreign)
            .open(path)
            .map_err(|e| refused(path, e))
    };
    match std::fs::metadata(path) {
        Ok(_) => return open().map(|file| (file, false)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(StorageError::NoFolder {
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(context(path).io(error)),
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(StorageError::NoFolder {
            path: path.to_owned(),
        });
    }
    match new_file(path) {
        Ok(file) => Ok((file, true)),
        // Another process was faster, or the name is a link that leads nowhere.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            open().map(|file| (file, false))
        }
        Err(error) => Err(refused(path, error)),
    }
}

/// A file that nobody but this user can open.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn refused(path: &Path, source: io::Error) -> StorageError {
    if Refusal::of(&source).is_some() {
        return context(path).io(source);
    }
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StorageError::ReadOnly {
                path: path.to_owned(),
                source,
            }
        }
        io::ErrorKind::IsADirectory => StorageError::NotAFile {
            path: path.to_owned(),
        },
        _ => context(path).io(source),
    }
}

/// Removes a file, if there is one.
pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file, if there is one. One of another user that this one may not remove is named.
pub(super) fn remove_own(path: &Path) -> io::Result<()> {
    remove_if_there(path)
        .map_err(|error| annals_private::foreign(path).map_or(error, io::Error::from))
}

/// Makes a new name in a folder survive power loss, where the system lets a folder be synced.
pub(super) fn sync_folder(path: &Path) {
    #[cfg(unix)]
    {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
            tracing::warn!(folder = %folder.display(), %error, "could not sync the folder of the file");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_without_locks_is_named() {
        let path = Path::new("/mnt/share/agent.annals");
        #[cfg(target_os = "linux")]
        assert!(matches!(
            unlocked(path, io::Error::from_raw_os_error(37)),
            StorageError::NoLocks { .. }
        ));
        let text = unlocked(path, io::ErrorKind::Unsupported.into()).to_string();
        assert!(
            text.contains("does not lock files") && text.contains("put the database on"),
            "{text}"
        );
        assert!(matches!(
            unlocked(path, io::ErrorKind::BrokenPipe.into()),
            StorageError::Io { .. }
        ));
    }
}
