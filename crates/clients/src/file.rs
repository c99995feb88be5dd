//! Files of configuration: read whole, written whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use annals_private::OpenOwn;

use crate::lock::Lock;
use crate::{Error, Problem};

/// No configuration is as large as this.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The most links that are followed from a path.
const LINKS: usize = 32;

/// The bytes of a file; none where it does not exist.
///
/// # Errors
///
/// [`Error::Read`], and [`Error::Refused`] for a file that is too large.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    // Projects are worked on by several users; a pipe would be waited for.
    let file = match OpenOwn::new().foreign(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let size = file.metadata().map_err(failed)?.len();
    let refused = |size| Error::Refused {
        path: path.to_owned(),
        problem: Problem::TooLarge { size },
    };
    if size > LARGEST {
        return Err(refused(size));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match u64::try_from(bytes.len()) {
        Ok(size) if size <= LARGEST => Ok(Some(bytes)),
        _ => Err(refused(size)),
    }
}

/// The bytes as text.
///
/// # Errors
///
/// [`Problem::NotText`] with the line of the first wrong byte.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or(bytes);
        Problem::NotText {
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
        }
    })
}

/// The file that a path leads to through links, whether it exists or not.
///
/// # Errors
///
/// [`Error::Read`] for links in a circle.
pub(crate) fn followed(path: &Path) -> Result<PathBuf, Error> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            // No link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(Error::Read {
        path,
        source: io::Error::other("its links lead in a circle"),
    })
}

/// A settings file that is held for a change: every other process of annals that is about to
/// change it waits until this is dropped. What is written replaces it in one step, durably, with
/// the rights that it had; whatever fails, the file is as it was.
#[derive(Debug)]
pub struct HeldFile {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    private: bool,
    _lock: Lock,
}

impl HeldFile {
    /// Holds the file that a path leads to through links, whether it exists or not, and reads it.
    /// The folder of the file is made.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], [`Error::Write`], [`Error::Refused`] for a file that is too large, and
    /// [`Error::Busy`] where others hold it for too long.
    pub fn hold(path: &Path) -> Result<Self, Error> {
        let path = followed(path)?;
        let folder = folder_of(&path);
        let failed = |source| Error::Write {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        let lock = Lock::wait(&path)?;
        let bytes = read(&path)?;
        Ok(Self {
            path,
            bytes,
            private: false,
            _lock: lock,
        })
    }

    /// The bytes that it had when it was read; none where it did not exist.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Where it does not exist, it is made for its owner alone.
    #[must_use]
    pub fn private(self) -> Self {
        Self {
            private: true,
            ..self
        }
    }

    /// Replaces it.
    ///
    /// # Errors
    ///
    /// [`Error::Write`]; [`Error::Changed`] where another program has changed it since it was read.
    pub fn replace(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let like = self.path.clone();
        self.replace_like(bytes, &like)
    }

    /// Replaces it, with the rights of another file if that exists.
    pub(crate) fn replace_like(&mut self, bytes: &[u8], like: &Path) -> Result<(), Error> {
        let mode = if self.private { 0o600 } else { 0o666 };
        write(&self.path, bytes, (like, mode), self.bytes.as_deref())?;
        self.bytes = Some(bytes.to_vec());
        Ok(())
    }
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Replaces a file in one step, with the rights of `like` if that exists, else with a mode.
fn write(
    path: &Path,
    bytes: &[u8],
    (like, mode): (&Path, u32),
    expected: Option<&[u8]>,
) -> Result<(), Error> {
    let failed = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".annals-").suffix(".tmp");
    #[cfg(unix)]
    // As of any new file: the mask of the process takes away from it.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    if let Ok(metadata) = fs::metadata(like) {
        temporary
            .as_file()
            .set_permissions(metadata.permissions())
            .map_err(failed)?;
    }
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    if read(path)?.as_deref() != expected {
        return Err(Error::Changed {
            path: path.to_owned(),
        });
    }
    temporary
        .persist(path)
        .map_err(|error| failed(error.error))?;
    settle(folder);
    Ok(())
}

/// The name of the file that keeps a folder which was there and empty before annals wrote into it.
const KEEP: &str = ".annals-keep";

/// Keeps the folder below `root` into which something is about to be written where it is there and
/// empty: afterwards it would look like one that was made for annals.
///
/// # Errors
///
/// [`Error::Write`].
pub(crate) fn keep_folder(path: &Path, root: &Path) -> Result<(), Error> {
    let there = path.ancestors().skip(1).find(|folder| folder.is_dir());
    let Some(folder) = there.filter(|folder| *folder != root && folder.starts_with(root)) else {
        return Ok(());
    };
    let failed = |source| Error::Write {
        path: folder.to_owned(),
        source,
    };
    if fs::read_dir(folder).map_err(failed)?.next().is_none() {
        File::create_new(folder.join(KEEP))
            .map(drop)
            .map_err(failed)?;
    }
    Ok(())
}

/// Takes the mark out of a folder that holds nothing else.
fn take_mark(folder: &Path) -> bool {
    let names = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.file_name()).collect());
    let names: Vec<std::ffi::OsString> = names.unwrap_or_default();
    names == [KEEP] && fs::remove_file(folder.join(KEEP)).is_ok()
}

/// Removes a file, and then the folders above it that are empty and were made for annals, up to
/// `root`.
///
/// # Errors
///
/// [`Error::Write`]; [`Error::Changed`] where the file does not hold `expected`.
pub(crate) fn delete(path: &Path, root: &Path, expected: &[u8]) -> Result<(), Error> {
    // A link stays, as it was before the file that it leads to was made.
    let held = HeldFile::hold(path)?;
    let real = held.path.clone();
    if held.bytes() != Some(expected) {
        return Err(Error::Changed { path: real });
    }
    fs::remove_file(&real).map_err(|source| Error::Write {
        path: real.clone(),
        source,
    })?;
    // The lock goes first: it lies in the folder.
    drop(held);
    let mut folder = real.parent().filter(|_| real == path);
    while let Some(empty) = folder.filter(|folder| *folder != root && folder.starts_with(root)) {
        // A folder that is not empty is not removed.
        if take_mark(empty) || fs::remove_dir(empty).is_err() {
            break;
        }
        folder = empty.parent();
    }
    folder.into_iter().for_each(settle);
    Ok(())
}

/// Makes names of a folder durable, on systems that can.
fn settle(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        // The file itself is on the disk already: a name that is lost with the power is the old
        // one.
        drop(folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = folder;
}
