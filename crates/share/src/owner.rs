//! The owner of a file: answers the calls of other processes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use annals_engine::{Error, ErrorReport};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::frame::{self, Kind};
use crate::gate::Gate;
use crate::message::{Hello, Refusal};
use crate::serve::{Caller, Serve};
use crate::{Call, Settings, Version, Welcome, carry, place};

/// How long a client may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(5);

/// The most clients at once.
const CLIENTS: usize = 512;

/// The parts of an owner that its threads share.
struct Shared {
    file: PathBuf,
    server: Arc<dyn Serve>,
    gate: Arc<Gate>,
    version: Version,
    settings: Settings,
    own: Vec<String>,
    host: String,
    socket: PathBuf,
    /// The streams of clients, by number.
    streams: Mutex<HashMap<u64, UnixStream>>,
    next: AtomicU64,
    clients: Mutex<Vec<JoinHandle<()>>>,
}

/// The owner of a file, which listens beside it. Only the process that holds the lock of the file
/// may make one; it ends before the lock is given up.
pub(crate) struct Owner {
    shared: Arc<Shared>,
    /// The thread that listens, and the end of a pipe that is closed to end it.
    listening: Mutex<Option<(JoinHandle<()>, io::PipeWriter)>>,
}

impl Owner {
    /// Binds the socket of a file, in place of one that an owner left that was killed.
    pub(crate) fn bind(
        file: &Path,
        server: Arc<dyn Serve>,
        settings: Settings,
        own: Vec<String>,
        version: Version,
    ) -> io::Result<Self> {
        let mut bound = Err(io::Error::from(io::ErrorKind::Unsupported));
        for place in place::sockets(file, true)? {
            bound = listener(&place).map(|listener| (listener, place));
            if bound.is_ok() {
                break;
            }
        }
        let (listener, socket) = bound?;
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            server,
            gate: Gate::new(),
            version,
            settings,
            own,
            host,
            socket,
            streams: Mutex::default(),
            next: AtomicU64::new(0),
            clients: Mutex::default(),
        });
        let (ended, bell) = io::pipe()?;
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("annals-owner".to_owned());
        let listening = thread.spawn(move || own.listen(&listener, &ended))?;
        Ok(Self { shared, listening: Mutex::new(Some((listening, bell))) })
    }

    /// Carries out a call of this process itself; none when the file is being given up.
    pub(crate) fn call(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
        let _inside = self.shared.gate.enter()?;
        if !self.shared.server.is_in_place() {
            return Some(Err(carry::moved(&self.shared.file, std::process::id())));
        }
        carry::carry_out(&*self.shared.server, call, caller)
    }

    /// Facts about the file.
    pub(crate) fn welcome(&self) -> Welcome {
        self.shared.welcome()
    }

    /// The gate that calls pass: closed when the file is being given up.
    pub(crate) fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.shared.gate)
    }

    /// Ends: lets the calls in flight come to their end, and takes the socket away.
    fn end(&self) {
        self.shared.gate.close();
        // From here on nobody finds this owner; the lock of the file is still held.
        let _gone_already = std::fs::remove_file(&self.shared.socket);
        let listening = self.listening.lock().take();
        if let Some((thread, bell)) = listening {
            drop(bell);
            let _ended = thread.join();
        }
        for stream in self.shared.streams.lock().values() {
            let _gone = stream.shutdown(Shutdown::Both);
        }
        let me = std::thread::current().id();
        for client in std::mem::take(&mut *self.shared.clients.lock()) {
            if client.thread().id() != me {
                let _ended = client.join();
            }
        }
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

impl Drop for Owner {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn listen(self: Arc<Self>, listener: &UnixListener, ended: &io::PipeReader) {
        loop {
            let mut both = [PollFd::new(listener, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
            if poll(&mut both, None).is_err() {
                continue;
            }
            let [_, bell] = &both;
            if !bell.revents().is_empty() {
                return;
            }
            let Ok((stream, _)) = listener.accept() else { continue };
            if let Err(error) = self.admit(stream) {
                tracing::warn!(%error, "a client could not be admitted");
            }
        }
    }

    /// Serves a client on a thread of its own.
    fn admit(self: &Arc<Self>, stream: UnixStream) -> io::Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut streams = self.streams.lock();
        if streams.len() >= CLIENTS {
            return Err(io::Error::other("too many clients at once"));
        }
        streams.insert(number, stream.try_clone()?);
        drop(streams);
        let own = Arc::clone(self);
        let thread = std::thread::Builder::new().name("annals-client".to_owned());
        let client = thread.spawn(move || {
            if let Err(error) = own.attend(&stream) {
                tracing::debug!(%error, "a client ended");
            }
            own.streams.lock().remove(&number);
        })?;
        let mut clients = self.clients.lock();
        clients.retain(|client| !client.is_finished());
        clients.push(client);
        Ok(())
    }

    /// Serves a client until it ends.
    fn attend(&self, mut stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(INTRODUCTION))?;
        if is_stranger(stream) {
            return send(stream, Kind::Refused, &Refusal::Stranger);
        }
        let Some((Kind::Hello, hello)) = frame::read(&mut stream)? else { return Ok(()) };
        let hello: Hello = serde_json::from_slice(&hello)?;
        let same = hello.version.protocol == self.version.protocol;
        match self.refusal() {
            Some(refusal) => send(stream, Kind::Refused, &refusal)?,
            None if same => send(stream, Kind::Welcome, &self.welcome())?,
            None => {
                let refusal = Refusal::Protocol { version: self.version.clone(), pid: std::process::id() };
                send(stream, Kind::Refused, &refusal)?;
            }
        }
        stream.set_read_timeout(None)?;
        while let Some((kind, body)) = frame::read(&mut stream)? {
            match kind {
                Kind::Drain if self.own.is_empty() => {
                    self.gate.shut();
                    return Ok(());
                }
                Kind::Drain => send(stream, Kind::Refused, &Refusal::Keeps { own: self.own.clone() })?,
                Kind::Call if same => self.answer(stream, &body)?,
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(())
    }

    /// The reason why nobody is served at this moment, where there is one.
    fn refusal(&self) -> Option<Refusal> {
        if self.gate.is_closed() {
            return Some(Refusal::Draining);
        }
        (!self.server.is_in_place()).then(|| Refusal::Moved { pid: std::process::id() })
    }

    fn answer(&self, mut stream: &UnixStream, body: &[u8]) -> io::Result<()> {
        let call: Call = serde_json::from_slice(body)?;
        let Some(_inside) = self.gate.enter() else { return send(stream, Kind::Refused, &Refusal::Draining) };
        if let Some(refusal) = self.refusal() {
            return send(stream, Kind::Refused, &refusal);
        }
        let caller = Client { stream, lost: RefCell::new(false) };
        let Some(answer) = carry::carry_out(&*self.server, &call, &caller) else {
            return send(stream, Kind::Refused, &Refusal::Draining);
        };
        if caller.lost.into_inner() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        match answer {
            Ok(answer) => frame::write(&mut stream, Kind::Answer, &answer).or_else(|error| match error.kind() {
                io::ErrorKind::InvalidInput => {
                    let report = ErrorReport::from(&Error::bad_input(error.to_string()));
                    send(stream, Kind::Failed, &report)
                }
                _ => Err(error),
            }),
            Err(error) => send(stream, Kind::Failed, &ErrorReport::from(&error)),
        }
    }

    fn welcome(&self) -> Welcome {
        Welcome {
            version: self.version.clone(),
            features: Vec::new(),
            host: self.host.clone(),
            pid: std::process::id(),
            settings: self.settings.clone(),
            own: self.own.clone(),
            facts: self.server.facts(),
        }
    }
}

/// Whether the other end belongs to another user. The mode of the socket keeps others out on every
/// system; Linux tells the user of the other end as well.
#[cfg(target_os = "linux")]
fn is_stranger(stream: &UnixStream) -> bool {
    let peer = rustix::net::sockopt::socket_peercred(stream);
    !peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

#[cfg(not(target_os = "linux"))]
fn is_stranger(_: &UnixStream) -> bool {
    false
}

fn send(mut to: &UnixStream, kind: Kind, message: &impl Serialize) -> io::Result<()> {
    frame::write(&mut to, kind, &serde_json::to_vec(message)?)
}

/// A client as the caller of a call.
struct Client<'a> {
    stream: &'a UnixStream,
    /// Whether the other end has ended: the call has nobody to answer.
    lost: RefCell<bool>,
}

impl Client<'_> {
    fn kept<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result.is_err() {
            self.lost.replace(true);
        }
        result
    }
}

impl Caller for Client<'_> {
    fn progress(&self, progress: &RawValue) -> io::Result<()> {
        self.kept(frame::write(&mut &*self.stream, Kind::Progress, progress.get().as_bytes()))
    }

    fn input(&self, most: usize) -> io::Result<Vec<u8>> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        self.kept(frame::write(&mut &*self.stream, Kind::Pull, &most.to_le_bytes()))?;
        match self.kept(frame::read(&mut &*self.stream))? {
            Some((Kind::Input, bytes)) => Ok(bytes),
            _ => self.kept(Err(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    fn output(&self, bytes: &[u8]) -> io::Result<()> {
        self.kept(frame::write(&mut &*self.stream, Kind::Output, bytes))
    }
}
