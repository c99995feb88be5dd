//! The way to the socket of a file, which nobody is waited for at without end.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Stream;
use crate::place::Places;
use crate::transport::{Connected, Stranger};
use crate::user::{self, Rights};

/// Connects to the owner of a file. Nothing is sent to a process of another user.
pub(crate) fn connect(file: &Path) -> io::Result<Connected> {
    for place in Places::of(file)?.to_try()? {
        let stream = match connect_in_time(&place) {
            Ok(stream) => Stream(stream),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(crowded(place)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                match Rights::of(&place) {
                    Ok(socket) if socket.owner != user::own() => {
                        return Ok(Connected::Stranger(Stranger {
                            user: Some(socket.owner),
                            place,
                        }));
                    }
                    _ => return Err(error),
                }
            }
            // Nobody listens there, or it is no socket.
            Err(error) if is_nobody(&error) => continue,
            Err(error) => return Err(error),
        };
        let folder = place.parent().unwrap_or(Path::new("/"));
        let (socket, folder) = match (Rights::of(&place), Rights::of(folder)) {
            (Ok(socket), Ok(folder)) => (socket, folder),
            // The owner has ended just now.
            _ => continue,
        };
        return Ok(
            match user::stranger(user::own(), stream.user(), socket, folder) {
                Some(user) => Connected::Stranger(Stranger {
                    user: Some(user),
                    place,
                }),
                None => Connected::Stream(stream),
            },
        );
    }
    Ok(Connected::Nobody)
}

/// How long a process waits for its turn at a socket. The owner takes clients as they come; a
/// process that takes none could keep others for ever.
const QUEUE: Duration = Duration::from_secs(2);

/// Connects to a socket, or fails with [`io::ErrorKind::WouldBlock`] where others wait in front of
/// it for too long.
#[cfg(target_os = "linux")]
fn connect_in_time(place: &Path) -> io::Result<UnixStream> {
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    };
    let address = SocketAddrUnix::new(place)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let until = Instant::now() + QUEUE;
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            Err(rustix::io::Errno::AGAIN) if Instant::now() < until => std::thread::sleep(TURN),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// The pause between two attempts to get in.
#[cfg(target_os = "linux")]
const TURN: Duration = Duration::from_millis(5);

/// Other systems refuse a client at once where too many wait.
#[cfg(not(target_os = "linux"))]
fn connect_in_time(place: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(place)
}

/// The answer of a socket in front of which too many wait. Nobody says who listens there: the owner
/// of the socket is asked.
fn crowded(place: PathBuf) -> Connected {
    match Rights::of(&place) {
        Ok(socket) if socket.owner != user::own() => Connected::Stranger(Stranger {
            user: Some(socket.owner),
            place,
        }),
        _ => Connected::Busy,
    }
}

/// Whether nobody listens where this says that a connection was not made.
fn is_nobody(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::NotADirectory)
        // What is at the place is no socket, or one of another kind.
        || [Errno::NOTSOCK, Errno::PROTOTYPE, Errno::LOOP]
            .iter()
            .any(|nobody| error.raw_os_error() == Some(nobody.raw_os_error()))
}
