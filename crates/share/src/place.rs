//! Where the socket of a file is.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::transport::named;

/// The longest path of a socket, in bytes: 108 on Linux and 104 on others, with a final zero, less
/// the letters by which the name is longer under which it is made.
const LONGEST: usize = 96;

/// The places where the socket of a file may be, the first one that works: beside it, unless that path is too long,
/// and in a folder of this user, for file systems without sockets. An owner makes that folder, a client does not.
///
/// # Errors
/// When the file can have no path; when there is no place at all.
pub(crate) fn sockets(file: &Path, make: bool) -> io::Result<Vec<PathBuf>> {
    let file = named(file)?;
    let mut beside = file.clone().into_os_string();
    beside.push(".socket");
    let mut places = Vec::new();
    if beside.len() <= LONGEST {
        places.push(PathBuf::from(beside));
    }
    match runtime_folder(make) {
        Ok(Some(folder)) => places.push(folder.join(format!("{:016x}.socket", xxh3_64(file.as_os_str().as_bytes())))),
        Err(error) if places.is_empty() => return Err(error),
        _ => {}
    }
    Ok(places)
}

/// The folder for sockets of this user, which nobody else can enter; none where it is missing and not to be made.
fn runtime_folder(make: bool) -> io::Result<Option<PathBuf>> {
    let user = rustix::process::geteuid().as_raw();
    let given = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = match given {
        Some(folder) => folder.join("annals"),
        None => PathBuf::from(format!("/tmp/annals-{user}")),
    };
    if make {
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    let found = match std::fs::symlink_metadata(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    if !found.is_dir() || found.uid() != user || found.permissions().mode() & 0o077 != 0 {
        let reason = format!("{} must be a folder of this user alone (chmod 700)", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok(Some(folder))
}

#[cfg(test)]
mod tests {
    use super::sockets;

    #[test]
    fn the_socket_is_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let file = folder.join("a.annals");
        assert_eq!(sockets(&file, true).unwrap()[0], folder.join("a.annals.socket"));
    }

    #[test]
    fn a_long_path_has_its_socket_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(90)).join("y".repeat(90));
        std::fs::create_dir_all(&deep).unwrap();
        let of = |name: &str| sockets(&deep.join(name), true).unwrap();
        assert!(of("a")[0].as_os_str().len() <= super::LONGEST && of("a") != of("b"), "{:?}", of("a"));
        assert_eq!((of("a").len(), of("a")), (1, sockets(&deep.join("a"), false).unwrap()));
    }

    #[test]
    fn links_lead_to_the_same_socket() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.annals");
        std::fs::write(&file, b"").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(sockets(&link, true).unwrap(), sockets(&file, true).unwrap());
    }
}
