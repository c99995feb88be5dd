//! Why something at a path is not used.

use std::fs::FileType;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::user::other_owner;

/// The reason for which something at a path is neither read nor written. It comes as the inner
/// error of an [`io::Error`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is no regular file.
    #[error("{} is {kind}, and no regular file; remove it, or name another file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is, such as `a pipe`.
        kind: &'static str,
    },
    /// It belongs to another user, who could read or change what is in it.
    #[error(
        "{} belongs to {owner}, who could read and change what is in it; remove it, or use a folder that \
         only you can write",
        path.display()
    )]
    Foreign {
        /// The path.
        path: PathBuf,
        /// The other user, such as `user ada (1000)`.
        owner: String,
    },
    /// It has other names (hard links), whose file would be overwritten.
    #[error("{} has other names (hard links), which lead to the same file; remove it", path.display())]
    OtherNames {
        /// The path.
        path: PathBuf,
    },
    /// It is a folder that others may write to.
    #[error("{} can be written by other users; take that right from them (chmod go-w)", path.display())]
    OthersWrite {
        /// The path.
        path: PathBuf,
    },
}

impl Refusal {
    /// The refusal that an error is about, if it is one.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    pub(crate) fn not_a_file(path: &Path, found: FileType) -> Self {
        Self::NotAFile {
            path: path.to_owned(),
            kind: kind_of(found),
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::NotAFile { .. } => ErrorKind::InvalidInput,
            Refusal::Foreign { .. } | Refusal::OtherNames { .. } | Refusal::OthersWrite { .. } => {
                ErrorKind::PermissionDenied
            }
        };
        Self::new(kind, refusal)
    }
}

/// The refusal of what is at a path, itself and not what it links to; none where nothing is, or
/// what may be trusted.
#[must_use]
pub fn foreign(path: &Path) -> Option<Refusal> {
    let owner = other_owner(&std::fs::symlink_metadata(path).ok()?)?;
    Some(Refusal::Foreign {
        path: path.to_owned(),
        owner,
    })
}

fn kind_of(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    if found.is_dir() {
        "a folder"
    } else if found.is_symlink() {
        "a link"
    } else {
        "a device"
    }
}
