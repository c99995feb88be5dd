//! Opening files that nobody else may have put where they are.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use crate::user::other_owner;
use crate::{Refusal, close_to_others};

/// The most links that are followed from a path.
const LINKS: usize = 32;

/// How a file is opened: one that is there, to be read, unless something else is said. It must be a
/// regular file of this user or of the administrator. Links are followed where one of these two
/// made them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[must_use = "nothing is opened before `open`"]
pub struct OpenOwn {
    write: bool,
    append: bool,
    foreign: bool,
    no_links: bool,
    one_name: bool,
}

impl OpenOwn {
    /// A file that is there, to be read.
    pub const fn new() -> Self {
        Self {
            write: false,
            append: false,
            foreign: false,
            no_links: false,
            one_name: false,
        }
    }

    /// Opens it for writing as well.
    pub const fn write(self) -> Self {
        Self {
            write: true,
            ..self
        }
    }

    /// Opens it to be written at its end. It is made for this user alone where it is missing; one
    /// that is there loses the rights of others, and may have no other name.
    pub const fn append(self) -> Self {
        Self {
            append: true,
            one_name: true,
            ..self
        }
    }

    /// Sets whether it may belong to another user, who is trusted then.
    pub const fn foreign(self, foreign: bool) -> Self {
        Self { foreign, ..self }
    }

    /// Follows no link.
    pub const fn no_links(self) -> Self {
        Self {
            no_links: true,
            ..self
        }
    }

    /// Follows no link, and takes no file that has another name.
    pub const fn in_place(self) -> Self {
        Self {
            no_links: true,
            one_name: true,
            ..self
        }
    }

    /// Opens the file. What is no file is never waited for.
    ///
    /// # Errors
    /// A [`Refusal`] in an [`io::Error`] for what is no regular file or belongs to somebody else;
    /// any other error of the system.
    pub fn open(self, path: &Path) -> io::Result<File> {
        // Opening a pipe or a device can wait, or do something.
        match std::fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                return Err(Refusal::not_a_file(path, found.file_type()).into());
            }
            _ => {}
        }
        let real = if self.no_links {
            path.to_owned()
        } else {
            follow_links(path, self.foreign)?
        };
        match std::fs::symlink_metadata(&real) {
            Ok(found) => self.check(&found, &real)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let file = self
            .options()
            .open(&real)
            .map_err(|error| raced(error, &real))?;
        // Something else may have taken its place since it was looked at.
        self.check(&file.metadata()?, &real)?;
        if self.append {
            close_to_others(&file)?;
        }
        Ok(file)
    }

    fn options(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options
            .read(!self.append)
            .write(self.write)
            .append(self.append)
            .create(self.append);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options
                .mode(0o600)
                .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        }
        options
    }

    fn check(self, found: &Metadata, path: &Path) -> io::Result<()> {
        if !found.is_file() {
            return Err(Refusal::not_a_file(path, found.file_type()).into());
        }
        if let Some(owner) = other_owner(found).filter(|_| !self.foreign) {
            return Err(Refusal::Foreign {
                path: path.to_owned(),
                owner,
            }
            .into());
        }
        if self.one_name && has_other_names(found) {
            return Err(Refusal::OtherNames {
                path: path.to_owned(),
            }
            .into());
        }
        Ok(())
    }
}

/// The bytes of a file of this user or of the administrator.
///
/// # Errors
/// Those of [`OpenOwn::open`], and of reading.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    OpenOwn::new().open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file to be read, whoever it belongs to, and through links as well. What is no
/// file is never waited for.
///
/// # Errors
/// [`Refusal::NotAFile`] for what is no regular file; any other error of the system.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let check = |found: Metadata| match found.is_file() {
        true => Ok(()),
        false => Err(io::Error::from(Refusal::not_a_file(
            path,
            found.file_type(),
        ))),
    };
    check(std::fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// Where links to pipes and devices are those of the system, such as `/dev/stdin`.
const OF_THE_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Opens what a person named, to be read, whoever it belongs to: a file, or a pipe or a device. A
/// link leads to a file or a folder: who made one to a pipe or a device could have it waited for,
/// or read without end.
///
/// # Errors
/// [`Refusal::NotAFile`] for a link to a pipe or a device; any other error of the system.
pub fn open_named(path: &Path) -> io::Result<File> {
    let found = std::fs::metadata(path)?;
    if found.is_file() {
        return open_regular(path);
    }
    let is_link = std::fs::symlink_metadata(path)?.is_symlink();
    let is_of_system = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
    if is_link && !found.is_dir() && !is_of_system {
        return Err(Refusal::not_a_file(path, found.file_type()).into());
    }
    File::open(path)
}

/// The path that is led to by links that this user or the administrator made.
fn follow_links(path: &Path, foreign: bool) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let found = match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => found,
            // What is wrong with the path shows when it is opened.
            _ => return Ok(path),
        };
        if let Some(owner) = other_owner(&found).filter(|_| !foreign) {
            return Err(Refusal::Foreign { path, owner }.into());
        }
        path = path
            .parent()
            .unwrap_or(Path::new(""))
            .join(std::fs::read_link(&path)?);
    }
    Err(io::Error::other(format!(
        "{}: its links lead in a circle",
        path.display()
    )))
}

/// The error for what took the place of a file between the look and the opening.
fn raced(error: io::Error, path: &Path) -> io::Error {
    let other = |found: &FileType| !found.is_file() && !found.is_dir();
    match std::fs::symlink_metadata(path).map(|found| found.file_type()) {
        Ok(found) if other(&found) => Refusal::not_a_file(path, found).into(),
        _ => error,
    }
}

#[cfg(unix)]
fn has_other_names(found: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) > 1
}

/// The names of a file are counted on Unix alone.
#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}
