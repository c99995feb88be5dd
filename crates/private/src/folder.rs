//! Folders of this user alone.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;

use crate::Refusal;
use crate::user::other_owner;

/// Makes a folder, and those above it that are missing, for this user alone (mode 700 on Unix). One
/// that is there stays as it is.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Makes a folder as [`make_folder`] does, whose files nobody else may replace.
///
/// # Errors
/// When it cannot be made; [`Refusal::Foreign`] for one of another user, and
/// [`Refusal::OthersWrite`] for one that others may write to.
pub fn make_own_folder(folder: &Path) -> io::Result<()> {
    make_folder(folder)?;
    check_own_folder(folder)
}

/// Fails for a folder whose files somebody else may have put there.
///
/// # Errors
/// When there is none; the refusals of [`make_own_folder`].
pub fn check_own_folder(folder: &Path) -> io::Result<()> {
    let found = std::fs::metadata(folder)?;
    if let Some(owner) = other_owner(&found) {
        return Err(Refusal::Foreign {
            path: folder.to_owned(),
            owner,
        }
        .into());
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o022 != 0 {
        return Err(Refusal::OthersWrite {
            path: folder.to_owned(),
        }
        .into());
    }
    Ok(())
}
