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
use std::time::Duration;

#[cfg(not(any(unix, windows)))]
pub(crate) use absent::{Listener, Stream, connect, host};
#[cfg(unix)]
pub(crate) use unix::{Listener, Stream, connect, host};
#[cfg(windows)]
pub(crate) use windows::{Listener, Stream, connect, host};

/// How often an owner looks after its file and its socket.
pub(crate) const LOOK: Duration = Duration::from_secs(1);

/// The end of a wait for clients.
pub(crate) enum Accepted {
    /// A client came.
    Client(Stream),
    /// A client came, and this process is out of what it takes to serve it.
    #[cfg_attr(
        not(unix),
        allow(dead_code, reason = "descriptors run out on Unix alone")
    )]
    Unserved(Stream, std::io::Error),
    /// Nobody came: it is time for the owner to look after its file.
    Nobody,
}

/// The user that listens in the place of the owner.
pub(crate) struct Stranger {
    /// Its number on Unix; none where the system gives users no numbers.
    pub(crate) user: Option<u32>,
    /// Where it listens.
    pub(crate) place: PathBuf,
}

/// The result of connecting to the owner of a file.
#[cfg_attr(not(windows), allow(dead_code, reason = "a socket has a queue"))]
pub(crate) enum Connected {
    /// A process listens.
    Stream(Stream),
    /// No process listens.
    Nobody,
    /// A process listens or has ended just now: it takes no further client at this moment.
    Busy,
    /// A process of another user listens: nothing was sent to it.
    Stranger(Stranger),
}

/// The path of a file that may not exist yet, by which every process names it alike.
pub(crate) fn named(file: &Path) -> io::Result<PathBuf> {
    if let Ok(found) = file.canonicalize() {
        return Ok(found);
    }
    let name = file
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
}
