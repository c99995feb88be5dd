//! The lock of a settings file, which is replaced and so cannot carry one itself. Its folder cannot
//! either: whoever may read a folder may lock it, and keep everybody out.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Error;

/// How long others are waited for. Each of them writes one small file.
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// The lock of a settings file, until it is dropped: a file of its own, which this user alone can
/// open.
#[derive(Debug)]
pub(crate) struct Lock {
    place: PathBuf,
    /// None where the file system has no locks.
    file: Option<File>,
}

impl Lock {
    /// Waits for the lock of a file.
    ///
    /// # Errors
    /// [`Error::Write`]; [`Error::Busy`] where others hold it for too long.
    pub(crate) fn wait(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Write {
            path: path.to_owned(),
            source,
        };
        let place = place_of(path).map_err(failed)?;
        let until = Instant::now() + PATIENCE;
        loop {
            let file = open(&place).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_in_place(&file, &place).map_err(failed)? => {
                    return Ok(Self {
                        place,
                        file: Some(file),
                    });
                }
                // Whoever held it has removed it just now.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(PAUSE)
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Busy {
                        path: path.to_owned(),
                    });
                }
                // Without locks a change in the same moment is at least noticed.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { place, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

#[cfg(unix)]
impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody else has it: those who wait look whether it is still in its place.
        if self.file.is_some() {
            let _one_stays = std::fs::remove_file(&self.place);
        }
    }
}

#[cfg(unix)]
fn place_of(path: &Path) -> io::Result<PathBuf> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    name.push(".annals-lock");
    Ok(crate::file::folder_of(path).join(name))
}

#[cfg(unix)]
fn open(place: &Path) -> io::Result<File> {
    annals_private::OpenOwn::new()
        .append()
        .in_place()
        .open(place)
}

#[cfg(unix)]
fn is_in_place(file: &File, place: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?;
    match std::fs::symlink_metadata(place) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A file that is open cannot be replaced there: it stays, among the temporary ones of the user.
#[cfg(not(unix))]
fn place_of(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?.to_string_lossy().to_lowercase();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let number = path.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    Ok(std::env::temp_dir().join(format!("annals-settings-{number:016x}.lock")))
}

#[cfg(not(unix))]
fn open(place: &Path) -> io::Result<File> {
    std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(place)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix the system is asked")]
fn is_in_place(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt as _;

    use crate::HeldFile;

    #[test]
    fn who_may_read_the_folder_keeps_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let theirs = File::open(folder.path()).unwrap();
        theirs.lock().unwrap();
        let path = folder.path().join("settings.json");
        let mut held = HeldFile::hold(&path).unwrap();
        let lock = folder.path().join(".settings.json.annals-lock");
        assert_eq!(
            std::fs::metadata(&lock).unwrap().permissions().mode() & 0o777,
            0o600
        );
        held.replace(b"{}").unwrap();
        drop(held);
        assert!(!lock.exists() && path.exists());
    }

    #[test]
    fn changes_that_come_at_once_go_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::thread::scope(|threads| {
            for _ in 0..16 {
                threads.spawn(|| {
                    let mut held = HeldFile::hold(&path).unwrap();
                    let more = [held.bytes().unwrap_or_default(), b"x"].concat();
                    held.replace(&more).unwrap();
                });
            }
        });
        assert_eq!(std::fs::read(&path).unwrap().len(), 16);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
