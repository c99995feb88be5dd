//! Where the socket of a file is.
//!
//! It is beside the file. Where that path is too long, or no socket can be made there, it is in a
//! folder of this user, and a link beside the file says where: so processes meet whose environments
//! name other folders. Where no link can be made either, all folders of this user are looked
//! through.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::transport::named;
use crate::user;

/// The longest path of a socket, in bytes: 108 on Linux and 104 on others, with a final zero, less
/// the letters by which the name is longer under which it is made.
const LONGEST: usize = 96;

/// The places where the socket of a file may be.
pub(crate) struct Places {
    /// Beside the file: the socket, or the link to it.
    beside: PathBuf,
    /// Its name in a folder of this user.
    name: String,
}

impl Places {
    /// The places for a file.
    ///
    /// # Errors
    /// When the file can have no path.
    pub(crate) fn of(file: &Path) -> io::Result<Self> {
        let file = named(file)?;
        let name = format!("{:016x}.socket", xxh3_64(file.as_os_str().as_bytes()));
        let mut beside = file.into_os_string();
        beside.push(".socket");
        Ok(Self {
            beside: PathBuf::from(beside),
            name,
        })
    }

    /// The place beside the file, also where its path is too long for a socket.
    pub(crate) fn beside(&self) -> &Path {
        &self.beside
    }

    /// Whether a socket can have the path beside the file.
    pub(crate) fn fits(&self) -> bool {
        self.beside.as_os_str().len() <= LONGEST
    }

    /// The socket in the first folder of this user that can be used, which is made where it is
    /// missing.
    ///
    /// # Errors
    /// When none can be used: why the last one cannot.
    pub(crate) fn elsewhere(&self) -> io::Result<PathBuf> {
        let mut refused = io::Error::from(io::ErrorKind::Unsupported);
        for folder in folders() {
            match made(&folder).and_then(|()| check(&folder)) {
                Ok(()) => return Ok(folder.join(&self.name)),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// Where a client looks, in this order. A folder that is not of this user alone is left out.
    ///
    /// # Errors
    /// When the link beside the file was made by another user.
    pub(crate) fn to_try(&self) -> io::Result<Vec<PathBuf>> {
        let mut places = Vec::new();
        match std::fs::symlink_metadata(&self.beside) {
            Ok(found) if found.is_symlink() => {
                if found.uid() != user::own() {
                    return Err(io::Error::new(
                        io::ErrorKind::PermissionDenied,
                        foreign_link(&self.beside, found.uid()),
                    ));
                }
                places.push(std::fs::read_link(&self.beside)?);
            }
            Ok(_) if self.fits() => places.push(self.beside.clone()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        places.extend(
            folders()
                .filter(|folder| check(folder).is_ok())
                .map(|folder| folder.join(&self.name)),
        );
        Ok(places)
    }
}

fn foreign_link(link: &Path, owner: u32) -> String {
    format!(
        "{} was made by {}; remove it, if this is your folder",
        link.display(),
        user::name(owner)
    )
}

/// The folders for sockets of this user: that of its session, and one that every process finds.
fn folders() -> impl Iterator<Item = PathBuf> {
    let session = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute());
    let common = PathBuf::from(format!("/tmp/annals-{}", user::own()));
    session
        .map(|folder| folder.join("annals"))
        .into_iter()
        .chain([common])
}

fn made(folder: &Path) -> io::Result<()> {
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Fails for a folder that is not of this user alone.
fn check(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != user::own() || found.permissions().mode() & 0o077 != 0 {
        let reason = format!(
            "{} belongs to {} and must be a folder of this user alone (chmod 700); remove it, name a folder of \
             your own in XDG_RUNTIME_DIR, or let no other process in (ANNALS_SHARE=off)",
            folder.display(),
            user::name(found.uid())
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Places};

    #[test]
    fn the_socket_is_beside_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let places = Places::of(&folder.join("a.annals")).unwrap();
        assert_eq!(places.beside(), folder.join("a.annals.socket"));
        assert!(places.fits());
    }

    #[test]
    fn a_long_path_has_its_socket_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("x".repeat(90)).join("y".repeat(90));
        std::fs::create_dir_all(&deep).unwrap();
        let places = |name: &str| Places::of(&deep.join(name)).unwrap();
        let elsewhere = places("a").elsewhere().unwrap();
        assert!(
            !places("a").fits() && elsewhere.as_os_str().len() <= LONGEST,
            "{}",
            elsewhere.display()
        );
        assert_ne!(elsewhere, places("b").elsewhere().unwrap());
        assert!(places("a").to_try().unwrap().contains(&elsewhere));
    }

    #[test]
    fn a_folder_that_is_not_of_this_user_alone_is_refused_with_a_way_out() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let refused = super::check(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("ANNALS_SHARE=off"), "{refused}");
    }

    #[test]
    fn a_link_beside_the_file_says_where_the_socket_is() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::of(&folder.path().join("a.annals")).unwrap();
        std::os::unix::fs::symlink("/run/elsewhere/a.socket", places.beside()).unwrap();
        assert_eq!(
            places.to_try().unwrap()[0].to_str(),
            Some("/run/elsewhere/a.socket")
        );
    }

    #[test]
    fn links_lead_to_the_same_socket() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.annals");
        std::fs::write(&file, b"").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(
            Places::of(&link).unwrap().beside(),
            Places::of(&file).unwrap().beside()
        );
    }
}
