//! Unix sockets. The socket of a file is beside it, with rights for its user alone.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};

use super::Connected;
use crate::place;

/// The socket of a file, on which its owner listens.
pub(crate) struct Listener {
    listener: UnixListener,
    socket: PathBuf,
    /// A pipe whose one end is closed to end the listening.
    ended: io::PipeReader,
    bell: Mutex<Option<io::PipeWriter>>,
}

impl Listener {
    /// Binds the socket of a file, in place of one that an owner left that was killed.
    pub(crate) fn bind(file: &Path) -> io::Result<Self> {
        let mut bound = Err(io::Error::from(io::ErrorKind::Unsupported));
        for place in place::sockets(file, true)? {
            bound = listener(&place).map(|listener| (listener, place));
            if bound.is_ok() {
                break;
            }
        }
        let (listener, socket) = bound?;
        let (ended, bell) = io::pipe()?;
        Ok(Self { listener, socket, ended, bell: Mutex::new(Some(bell)) })
    }

    /// Waits for a client; none when the listener was closed.
    pub(crate) fn accept(&self) -> io::Result<Option<Stream>> {
        loop {
            let mut both = [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.ended, PollFlags::IN)];
            if poll(&mut both, None).is_err() {
                continue;
            }
            let [_, bell] = &both;
            if !bell.revents().is_empty() {
                return Ok(None);
            }
            return self.listener.accept().map(|(stream, _)| Some(Stream(stream)));
        }
    }

    /// Takes the socket away, and ends the waiting for clients.
    pub(crate) fn close(&self) {
        let _gone_already = std::fs::remove_file(&self.socket);
        self.bell.lock().take();
    }
}

/// Listens at a place, instead of an owner that was killed there.
fn listener(socket: &Path) -> io::Result<UnixListener> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // The socket comes to its place with the rights that it keeps.
    let fresh = socket.with_extension(format!("{:x}.new", std::process::id()));
    let _no_leftover = std::fs::remove_file(&fresh);
    let listener = UnixListener::bind(&fresh)?;
    std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&fresh, socket)?;
    Ok(listener)
}

/// Connects to the owner of a file.
pub(crate) fn connect(file: &Path) -> io::Result<Connected> {
    let stream = place::sockets(file, false)?.iter().find_map(|place| UnixStream::connect(place).ok());
    Ok(stream.map_or(Connected::Nobody, |stream| Connected::Stream(Stream(stream))))
}

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// A connection to another process.
pub(crate) struct Stream(UnixStream);

impl Stream {
    /// Limits how long a read waits.
    pub(crate) fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.0.set_read_timeout(limit)
    }

    /// Ends the connection; reads and writes that wait end at once.
    pub(crate) fn shutdown(&self) {
        let _gone = self.0.shutdown(Shutdown::Both);
    }

    /// Whether the other end belongs to another user. The mode of the socket keeps others out on
    /// every system; Linux tells the user of the other end as well.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_stranger(&self) -> bool {
        let peer = rustix::net::sockopt::socket_peercred(&self.0);
        !peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn is_stranger(&self) -> bool {
        false
    }

    /// The process at the other end, where it is known.
    #[cfg(target_os = "linux")]
    pub(crate) fn process(&self) -> Option<u32> {
        let peer = rustix::net::sockopt::socket_peercred(&self.0).ok()?;
        u32::try_from(peer.pid.as_raw_pid()).ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn process(&self) -> Option<u32> {
        None
    }
}

impl Read for &Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(into)
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.0).flush()
    }
}
