//! Files and folders that are for their user alone: they hold what was said, or let somebody in.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder, and those above it that are missing, for this user alone (mode 700 on Unix). One that is there stays
/// as it is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file to write at its end. A new one is for this user alone (mode 600 on Unix), and one
/// that is there loses the rights of others.
pub(crate) fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    close_to_others(&file)?;
    Ok(file)
}

/// Takes the rights of others from a file.
#[cfg(unix)]
fn close_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = file.metadata()?;
    // A terminal or a pipe is not this user's to close.
    if found.is_file() && found.permissions().mode() & 0o077 != 0 {
        file.set_permissions(std::fs::Permissions::from_mode(found.permissions().mode() & 0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "files of Windows have the access list of their folder")]
fn close_to_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether other users may read a file.
#[cfg(unix)]
pub(crate) fn others_may_read(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "files of Windows have the access list of their folder")]
pub(crate) fn others_may_read(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// Whether other users may read what is at a path; not where nothing is.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

/// Takes the rights of others from a folder.
#[cfg(unix)]
pub(crate) fn close_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(folder)?.permissions().mode();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode & 0o7700))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "folders of Windows have the access list of theirs")]
pub(crate) fn close_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::{append, make_folder};

    #[test]
    fn what_is_made_is_for_its_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        make_folder(&folder.path().join("a/b")).unwrap();
        assert_eq!((mode("a"), mode("a/b")), (0o700, 0o700));
        append(&folder.path().join("log")).unwrap();
        assert_eq!(mode("log"), 0o600);
        std::fs::set_permissions(folder.path().join("log"), std::fs::Permissions::from_mode(0o644)).unwrap();
        append(&folder.path().join("log")).unwrap();
        assert_eq!(mode("log"), 0o600);
    }
}
