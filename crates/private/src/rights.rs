//! The rights of other users.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Takes the rights of others from an open file.
///
/// # Errors
/// When its rights cannot be changed.
#[cfg(unix)]
pub fn close_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode();
    if mode & 0o077 != 0 {
        file.set_permissions(std::fs::Permissions::from_mode(mode & 0o700))?;
    }
    Ok(())
}

/// Files of Windows have the access list of their folder.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn close_to_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether a file belongs to this very user.
#[cfg(unix)]
#[must_use]
pub fn is_own(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == crate::own_user()
}

/// The owners of files of Windows are those of their folder.
#[cfg(not(unix))]
#[must_use]
pub fn is_own(_: &Metadata) -> bool {
    true
}

/// Whether other users have rights to a file.
#[cfg(unix)]
#[must_use]
pub fn is_open_to_others(found: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 != 0
}

/// Files of Windows have the access list of their folder.
#[cfg(not(unix))]
#[must_use]
pub fn is_open_to_others(_: &Metadata) -> bool {
    false
}

/// Takes the rights of others from a folder.
///
/// # Errors
/// When its rights cannot be changed.
#[cfg(unix)]
pub fn close_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(folder)?.permissions().mode();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode & 0o7700))
}

/// Folders of Windows have the access list of theirs.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn close_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
