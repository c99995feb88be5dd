//! The owner of a file: answers the calls of other processes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use annals_engine::{Error, ErrorReport};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::frame::{self, Kind};
use crate::gate::Gate;
use crate::message::{Hello, Refusal};
use crate::serve::{Caller, Serve};
use crate::transport::{self, Listener, Stream};
use crate::{Call, Settings, Version, Welcome, carry};

/// How long a client may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(5);

/// The pause after a client could not be let in.
const PAUSE: Duration = Duration::from_millis(10);

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
    listener: Listener,
    /// The streams of clients, by number.
    streams: Mutex<HashMap<u64, Arc<Stream>>>,
    next: AtomicU64,
    clients: Mutex<Vec<JoinHandle<()>>>,
}

/// The owner of a file, which listens for it. Only the process that holds the lock of the file
/// may make one; it ends before the lock is given up.
pub(crate) struct Owner {
    shared: Arc<Shared>,
    /// The thread that listens.
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl Owner {
    /// Listens for a file.
    pub(crate) fn bind(
        file: &Path,
        server: Arc<dyn Serve>,
        settings: Settings,
        own: Vec<String>,
        version: Version,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            server,
            gate: Gate::new(),
            version,
            settings,
            own,
            host: transport::host(),
            listener: Listener::bind(file)?,
            streams: Mutex::default(),
            next: AtomicU64::new(0),
            clients: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("annals-owner".to_owned());
        let listening = thread.spawn(move || own.listen())?;
        Ok(Self { shared, listening: Mutex::new(Some(listening)) })
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

    /// Ends: lets the calls in flight come to their end, and listens no longer.
    fn end(&self) {
        self.shared.gate.close();
        // From here on nobody finds this owner; the lock of the file is still held.
        self.shared.listener.close();
        let listening = self.listening.lock().take();
        if let Some(thread) = listening {
            let _ended = thread.join();
        }
        for stream in self.shared.streams.lock().values() {
            stream.shutdown();
        }
        let me = std::thread::current().id();
        for client in std::mem::take(&mut *self.shared.clients.lock()) {
            if client.thread().id() != me {
                let _ended = client.join();
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn listen(self: Arc<Self>) {
        loop {
            let admitted = match self.listener.accept() {
                Ok(Some(stream)) => self.admit(stream),
                Ok(None) => return,
                Err(error) => {
                    // The process may have no more files to open: not again at once.
                    std::thread::sleep(PAUSE);
                    Err(error)
                }
            };
            if let Err(error) = admitted {
                tracing::warn!(%error, "a client could not be admitted");
            }
        }
    }

    /// Serves a client on a thread of its own.
    fn admit(self: &Arc<Self>, stream: Stream) -> io::Result<()> {
        let (number, stream) = (self.next.fetch_add(1, Ordering::Relaxed), Arc::new(stream));
        let mut streams = self.streams.lock();
        if streams.len() >= CLIENTS {
            return Err(io::Error::other("too many clients at once"));
        }
        streams.insert(number, Arc::clone(&stream));
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
    fn attend(&self, mut stream: &Stream) -> io::Result<()> {
        stream.set_read_timeout(Some(INTRODUCTION))?;
        if stream.is_stranger() {
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

    fn answer(&self, mut stream: &Stream, body: &[u8]) -> io::Result<()> {
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

fn send(mut to: &Stream, kind: Kind, message: &impl Serialize) -> io::Result<()> {
    frame::write(&mut to, kind, &serde_json::to_vec(message)?)
}

/// A client as the caller of a call.
struct Client<'a> {
    stream: &'a Stream,
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
