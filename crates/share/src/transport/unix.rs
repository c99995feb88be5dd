//! Unix sockets. The socket of a file is beside it, with rights for its user alone.

mod connect;

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub(crate) use self::connect::connect;
use super::{Accepted, LOOK};
use crate::place::Places;
use crate::user;

/// The socket of a file, on which its owner listens.
pub(crate) struct Listener {
    file: PathBuf,
    bound: Mutex<Bound>,
    /// When it was last time to look after the socket.
    looked: Mutex<Instant>,
    /// A pipe whose one end is closed to end the listening.
    ended: io::PipeReader,
    bell: Mutex<Option<io::PipeWriter>>,
    /// A descriptor that is given up to let a client in where there is no other: it is told why it
    /// is not served.
    spare: Mutex<Option<File>>,
}

/// A socket at its place.
struct Bound {
    listener: Arc<UnixListener>,
    socket: PathBuf,
    identity: Identity,
    /// The link beside the file that leads to the socket, where that is elsewhere.
    link: Option<PathBuf>,
}

/// The device and the number of a file, which no other file has while it is there.
type Identity = (u64, u64);

impl Listener {
    /// Binds the socket of a file, in place of one that an owner left that was killed.
    pub(crate) fn bind(file: &Path) -> io::Result<Self> {
        let (ended, bell) = io::pipe()?;
        let bound = Mutex::new(Bound::new(file)?);
        let (file, looked) = (file.to_owned(), Mutex::new(Instant::now()));
        Ok(Self {
            file,
            bound,
            looked,
            ended,
            bell: Mutex::new(Some(bell)),
            spare: Mutex::new(spare().ok()),
        })
    }

    /// Waits for a client, or until it is time to [look after](Self::look_after) the socket; none
    /// when the listener was closed.
    pub(crate) fn accept(&self) -> io::Result<Option<Accepted>> {
        let listener = Arc::clone(&self.bound.lock().listener);
        loop {
            self.keep_a_spare();
            let left = LOOK.saturating_sub(self.looked.lock().elapsed());
            if left.is_zero() {
                *self.looked.lock() = Instant::now();
                return Ok(Some(Accepted::Nobody));
            }
            let left = Timespec::try_from(left).map_err(|_| io::ErrorKind::InvalidInput)?;
            let mut both = [
                PollFd::new(&*listener, PollFlags::IN),
                PollFd::new(&self.ended, PollFlags::IN),
            ];
            if poll(&mut both, Some(&left)).is_err() {
                continue;
            }
            let [client, bell] = &both;
            if !bell.revents().is_empty() {
                return Ok(None);
            }
            if !client.revents().is_empty() {
                return match listener.accept() {
                    Ok((stream, _)) => Ok(Some(Accepted::Client(Stream(stream)))),
                    Err(error) if is_out_of_descriptors(&error) => {
                        self.accept_by_the_spare(&listener, error).map(Some)
                    }
                    Err(error) => Err(error),
                };
            }
        }
    }

    fn keep_a_spare(&self) {
        let mut place = self.spare.lock();
        if place.is_none() {
            *place = spare().ok();
        }
    }

    fn accept_by_the_spare(
        &self,
        listener: &UnixListener,
        error: io::Error,
    ) -> io::Result<Accepted> {
        if self.spare.lock().take().is_none() {
            // Other threads have taken even that one.
            return Err(error);
        }
        let (stream, _) = listener.accept()?;
        Ok(Accepted::Unserved(Stream(stream), error))
    }

    /// Makes the socket anew where it is gone or something else has its place; answers whether it
    /// did.
    pub(crate) fn look_after(&self) -> io::Result<bool> {
        let mut bound = self.bound.lock();
        // A listener that was closed stays so.
        if bound.is_in_place()? || self.bell.lock().is_none() {
            return Ok(false);
        }
        let fresh = Bound::new(&self.file)?;
        let before = std::mem::replace(&mut *bound, fresh);
        if before.socket != bound.socket {
            before.remove();
        }
        Ok(true)
    }

    /// Takes the socket away, and ends the waiting for clients.
    pub(crate) fn close(&self) {
        self.bell.lock().take();
        self.bound.lock().remove();
    }
}

impl Bound {
    /// Binds the socket of a file beside it, or elsewhere with a link to it.
    fn new(file: &Path) -> io::Result<Self> {
        let places = Places::of(file)?;
        let refused = match places.fits().then(|| listener(places.beside())) {
            Some(Ok((listener, identity))) => {
                return Ok(Self {
                    listener,
                    socket: places.beside().to_owned(),
                    identity,
                    link: None,
                });
            }
            Some(Err(error)) => Some(error),
            None => None,
        };
        let elsewhere = places
            .elsewhere()
            .and_then(|socket| Ok((listener(&socket)?, socket)));
        // What failed first says more.
        let ((listener, identity), socket) = elsewhere.map_err(|error| refused.unwrap_or(error))?;
        let linked = link(&socket, places.beside());
        if let Err(error) = &linked {
            tracing::debug!(%error, "no link beside the file says where its socket is");
        }
        Ok(Self {
            listener,
            socket,
            identity,
            link: linked.is_ok().then(|| places.beside().to_owned()),
        })
    }

    /// Whether the path of the socket, and the link to it, still lead to it.
    fn is_in_place(&self) -> io::Result<bool> {
        let linked = self
            .link
            .as_ref()
            .map_or(Ok(true), |link| leads_to(link, &self.socket))?;
        Ok(linked && identity(&self.socket)? == Some(self.identity))
    }

    /// Removes the socket and the link to it, unless others have their places by now.
    fn remove(&self) {
        let own = |link: &&PathBuf| matches!(leads_to(link, &self.socket), Ok(true));
        if let Some(link) = self.link.as_ref().filter(own) {
            let _gone_already = std::fs::remove_file(link);
        }
        if matches!(identity(&self.socket), Ok(Some(found)) if found == self.identity) {
            let _gone_already = std::fs::remove_file(&self.socket);
        }
    }
}

fn spare() -> io::Result<File> {
    File::open("/dev/null")
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE]
        .iter()
        .any(|out| error.raw_os_error() == Some(out.raw_os_error()))
}

/// The identity of what is at a path; none where nothing is.
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a path is a link to a socket.
fn leads_to(link: &Path, socket: &Path) -> io::Result<bool> {
    match std::fs::read_link(link) {
        Ok(target) => Ok(target == socket),
        // Nothing is there, or something that is no link.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Fails where something is at a place that no owner of this user has left there.
fn is_free(place: &Path) -> io::Result<()> {
    let in_the_way = |what: &str| {
        let reason = format!(
            "{what} is in the place of the socket {}: remove it, or rename it",
            place.display()
        );
        Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
    };
    match std::fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if found.file_type().is_socket() => Ok(()),
        Ok(found) if found.is_symlink() && found.uid() == user::own() => Ok(()),
        Ok(found) if found.is_symlink() => {
            in_the_way(&format!("a link of {}", user::name(found.uid())))
        }
        Ok(found) if found.is_dir() => in_the_way("a folder"),
        Ok(_) => in_the_way("a file"),
    }
}

/// Where something is made that will take a place.
fn fresh(place: &Path) -> PathBuf {
    place.with_extension(format!("{:x}.new", std::process::id()))
}

/// Listens at a place, instead of an owner that was killed there.
fn listener(socket: &Path) -> io::Result<(Arc<UnixListener>, Identity)> {
    is_free(socket)?;
    // The socket comes to its place with the rights that it keeps.
    let fresh = fresh(socket);
    let _no_leftover = std::fs::remove_file(&fresh);
    let listener = UnixListener::bind(&fresh)?;
    let placed = std::fs::set_permissions(&fresh, std::fs::Permissions::from_mode(0o600))
        .and_then(|()| identity(&fresh))
        .and_then(|found| std::fs::rename(&fresh, socket).map(|()| found));
    match placed {
        Ok(Some(identity)) => Ok((Arc::new(listener), identity)),
        Ok(None) => Err(io::ErrorKind::NotFound.into()),
        Err(error) => {
            let _not_in_place = std::fs::remove_file(&fresh);
            Err(error)
        }
    }
}

/// Says by a link beside the file where its socket is.
fn link(socket: &Path, beside: &Path) -> io::Result<()> {
    is_free(beside)?;
    placed(socket, beside)
}

/// Puts a link in its place, or leaves nothing.
fn placed(socket: &Path, beside: &Path) -> io::Result<()> {
    let fresh = fresh(beside);
    let _no_leftover = std::fs::remove_file(&fresh);
    std::os::unix::fs::symlink(socket, &fresh)?;
    std::fs::rename(&fresh, beside).inspect_err(|_| {
        let _not_in_place = std::fs::remove_file(&fresh);
    })
}

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned()
}

/// A connection to another process.
pub(crate) struct Stream(UnixStream);

impl Stream {
    /// Limits how long a read waits.
    pub(crate) fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.0.set_read_timeout(limit)
    }

    /// Limits how long a write waits.
    pub(crate) fn set_write_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.0.set_write_timeout(limit)
    }

    /// Ends the connection; reads and writes that wait end at once.
    pub(crate) fn shutdown(&self) {
        let _gone = self.0.shutdown(Shutdown::Both);
    }

    /// Whether the other end belongs to another user. The mode of the socket keeps others out on
    /// every system, and most tell the user of the other end as well.
    pub(crate) fn is_stranger(&self) -> bool {
        self.user().is_some_and(|peer| peer != user::own())
    }

    /// The user at the other end; none where the system does not tell.
    #[cfg(target_os = "linux")]
    fn user(&self) -> Option<u32> {
        Some(
            rustix::net::sockopt::socket_peercred(&self.0)
                .ok()?
                .uid
                .as_raw(),
        )
    }

    #[cfg(any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd",
        target_os = "dragonfly"
    ))]
    fn user(&self) -> Option<u32> {
        Some(nix::unistd::getpeereid(&self.0).ok()?.0.as_raw())
    }

    #[cfg(not(any(
        target_os = "linux",
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "netbsd",
        target_os = "dragonfly"
    )))]
    fn user(&self) -> Option<u32> {
        None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_cannot_be_put_in_its_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let beside = folder.path().join("a.annals.socket");
        link(Path::new("/run/elsewhere/a.socket"), &beside).unwrap();
        std::fs::remove_file(&beside).unwrap();
        // A link takes the place of no folder.
        std::fs::create_dir(&beside).unwrap();
        assert!(placed(Path::new("/run/elsewhere/a.socket"), &beside).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
