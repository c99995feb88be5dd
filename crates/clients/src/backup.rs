//! A copy of a file from the time before annals, beside it.
//!
//! It is made before the first change, and stays as it is while the file holds anything of annals:
//! so it always says what the file was without. In a file that holds nothing of annals any more the
//! copy is of an earlier installation, and the next one replaces it. When annals is removed and the
//! file is again what the copy says, the copy goes.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::file::{self, HeldFile};

/// Where the copy of a file stands.
pub(crate) fn place(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".annals-backup");
    name.into()
}

/// The bytes of the copy of a file; none where there is none.
///
/// # Errors
///
/// [`Error::Read`] where it is there and cannot be read, or is a link: what is written must not
/// land elsewhere.
pub(crate) fn bytes(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    let copy = place(path);
    if copy.is_symlink() {
        let source = std::io::Error::other(
            "it is a link, where a copy of the settings is to stand; move it away",
        );
        return Err(Error::Read { path: copy, source });
    }
    file::read(&copy)
}

/// The text of the copy of a file; none where there is none, or one that is no text.
///
/// # Errors
///
/// As [`bytes`].
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    Ok(bytes(path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// Makes the copy, with the rights of the file.
///
/// # Errors
///
/// [`Error::Write`] where it cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut copy = HeldFile::hold(&place(path))?;
    if copy.bytes() == Some(bytes) {
        Ok(())
    } else {
        copy.replace_like(bytes, path)
    }
}

/// Removes the copy.
///
/// # Errors
///
/// [`Error::Write`] where it cannot be removed.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let copy = place(path);
    match std::fs::remove_file(&copy) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Write { path: copy, source })
        }
        _ => Ok(()),
    }
}
