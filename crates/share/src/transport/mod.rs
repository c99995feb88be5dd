//! Connections between processes of one machine: Unix sockets, and named pipes on Windows.
//!
//! Each system has a `Listener` that an owner binds for a file, a `Stream` to one process, and the
//! name of the machine. A `Stream` is read and written through a shared reference, so that one
//! thread can shut it down while another one waits.

#[cfg(not(any(unix, windows)))]
mod absent;
#[cfg(all(test, any(unix, windows)))]
mod tests;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(any(unix, windows)))]
pub(crate) use absent::{Listener, Stream, connect, host};
#[cfg(unix)]
pub(crate) use unix::{Listener, Stream, connect, host};
#[cfg(windows)]
pub(crate) use windows::{Listener, Stream, connect, host};

/// The result of connecting to the owner of a file.
#[cfg_attr(not(windows), allow(dead_code, reason = "a socket has a queue, and its owner refuses strangers"))]
pub(crate) enum Connected {
    /// A process listens.
    Stream(Stream),
    /// No process listens.
    Nobody,
    /// A process listens or has ended just now: it takes no further client at this moment.
    Busy,
    /// A process of another user listens.
    Stranger,
}

/// The path of a file that may not exist yet, by which every process names it alike.
pub(crate) fn named(file: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = file.canonicalize() {
        return Ok(found);
    }
    let name = file.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
}
