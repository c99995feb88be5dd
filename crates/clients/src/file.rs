//! Files of configuration: read whole, written whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

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
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let size = file.metadata().map_err(failed)?.len();
    let refused = |size| Error::Refused { path: path.to_owned(), problem: Problem::TooLarge { size } };
    if size > LARGEST {
        return Err(refused(size));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
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
        Problem::NotText { line: before.iter().filter(|byte| **byte == b'\n').count() + 1 }
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
    Err(Error::Read { path, source: io::Error::other("its links lead in a circle") })
}

/// Replaces a file in one step, with the rights of `like` if that exists. Folders are made.
///
/// # Errors
///
/// [`Error::Write`]; the file is as it was. [`Error::Changed`] where it does not hold `expected`.
pub(crate) fn write(path: &Path, bytes: &[u8], like: &Path, expected: Option<&[u8]>) -> Result<(), Error> {
    let path = followed(path)?;
    let failed = |source| Error::Write { path: path.clone(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".annals-").suffix(".tmp");
    #[cfg(unix)]
    // As of any new file: the mask of the process takes away from it.
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder).map_err(failed)?;
    if let Ok(metadata) = fs::metadata(like) {
        temporary.as_file().set_permissions(metadata.permissions()).map_err(failed)?;
    }
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    if read(&path)?.as_deref() != expected {
        return Err(Error::Changed { path });
    }
    temporary.persist(&path).map_err(|error| failed(error.error))?;
    settle(folder);
    Ok(())
}

/// Removes a file, and then the folders above it that are empty, up to `root`.
///
/// # Errors
///
/// [`Error::Write`]; [`Error::Changed`] where the file does not hold `expected`.
pub(crate) fn delete(path: &Path, root: &Path, expected: &[u8]) -> Result<(), Error> {
    // A link stays, as it was before the file that it leads to was made.
    let real = followed(path)?;
    if read(&real)?.as_deref() != Some(expected) {
        return Err(Error::Changed { path: real });
    }
    fs::remove_file(&real).map_err(|source| Error::Write { path: real.clone(), source })?;
    let mut folder = real.parent().filter(|_| real == path);
    while let Some(empty) = folder.filter(|folder| *folder != root && folder.starts_with(root)) {
        // A folder that is not empty is not removed.
        if fs::remove_dir(empty).is_err() {
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
        // The file itself is on the disk already: a name that is lost with the power is the old one.
        drop(folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = folder;
}
