//! The owner of a file: answers the calls of other processes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annals_engine::{Error, ErrorReport};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::frame::{self, Kind};
use crate::gate::Gate;
use crate::message::{Hello, Refusal};
use crate::serve::{Caller, Serve};
use crate::transport::{self, Accepted, Listener, Stream};
use crate::{Call, Settings, Version, Welcome, carry};

/// How long a client may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(5);

/// How long a client may take nothing of what is written to it. A call whose client stands still
/// would keep its thread, and the pages that it reads, for ever.
const WRITE: Duration = Duration::from_secs(60);

/// How long an owner that ends waits for a client that neither reads nor writes, and lets a call
/// that reads or writes go on. What such a call has stored so far stays.
const GRACE: Duration = Duration::from_secs(2);

/// How often an owner that ends looks for such clients.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a file may be away from its path before an owner that works for others alone gives it
/// up.
const AWAY: Duration = Duration::from_secs(10);

/// The pause after a client could not be let in.
const PAUSE: Duration = Duration::from_millis(10);

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
    /// Whether this process owns the file for others alone: nobody misses an owner whose file has
    /// moved.
    for_others: AtomicBool,
    /// The most connections at once.
    most: usize,
    /// The connections of clients, by number.
    connections: Mutex<HashMap<u64, Arc<Connection>>>,
    next: AtomicU64,
    clients: Mutex<Vec<JoinHandle<()>>>,
}

/// The connection to a client.
struct Connection {
    stream: Stream,
    /// Since when a call waits for the client to read or to write.
    waits: Mutex<Option<Instant>>,
}

impl Connection {
    fn new(stream: Stream) -> Self {
        Self {
            stream,
            waits: Mutex::default(),
        }
    }

    /// Reads from the client, or writes to it.
    fn wait<T>(&self, exchange: impl FnOnce(&mut &Stream) -> io::Result<T>) -> io::Result<T> {
        *self.waits.lock() = Some(Instant::now());
        let done = exchange(&mut &self.stream);
        *self.waits.lock() = None;
        done
    }

    /// Ends the connection where the client has let a call wait for so long.
    fn end_when_still_for(&self, long: Duration) {
        if self
            .waits
            .lock()
            .is_some_and(|since| since.elapsed() >= long)
        {
            self.stream.shutdown();
        }
    }
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
        (version, most): (Version, usize),
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
            for_others: AtomicBool::new(false),
            most,
            connections: Mutex::default(),
            next: AtomicU64::new(0),
            clients: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("annals-owner".to_owned());
        let listening = thread.spawn(move || own.listen())?;
        Ok(Self {
            shared,
            listening: Mutex::new(Some(listening)),
        })
    }

    /// Carries out a call of this process itself; none when the file is being given up.
    pub(crate) fn call(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
        let _inside = self.shared.gate.enter()?;
        match self.shared.server.is_in_place() {
            Ok(true) => {}
            Ok(false) => return Some(Err(carry::moved(&self.shared.file, std::process::id()))),
            Err(error) => return Some(Err(error)),
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

    /// Says that this process owns the file for others alone.
    pub(crate) fn own_for_others(&self) {
        self.shared.for_others.store(true, Ordering::Relaxed);
    }

    /// Ends: lets the calls in flight come to their end, and listens no longer. A call does not
    /// wait for a client that stands still.
    fn end(&self) {
        self.shared.gate.shut();
        while !self.shared.gate.is_empty_within(GLANCE) {
            for connection in self.shared.connections.lock().values() {
                connection.end_when_still_for(GRACE);
            }
        }
        // From here on nobody finds this owner; the lock of the file is still held.
        self.shared.listener.close();
        let listening = self.listening.lock().take();
        if let Some(thread) = listening {
            let _ended = thread.join();
        }
        for connection in self.shared.connections.lock().values() {
            connection.stream.shutdown();
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
        let mut away = None;
        loop {
            let admitted = match self.listener.accept() {
                Ok(Some(Accepted::Client(stream))) => self.admit(stream),
                Ok(Some(Accepted::Unserved(stream, error))) => self.turn_away(&stream, error),
                Ok(Some(Accepted::Nobody)) => self.look_after(&mut away),
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

    /// Keeps the owner reachable while its file is in place, and gives a file up that is not:
    /// nobody finds its owner any more. `away` is since when it is not.
    fn look_after(&self, away: &mut Option<Instant>) -> io::Result<()> {
        if self
            .server
            .is_in_place()
            .map_err(|error| io::Error::other(error.to_string()))?
        {
            *away = None;
            if self.listener.look_after()? {
                tracing::warn!(file = %self.file.display(), "the socket was gone or replaced, and was made anew");
            }
            return Ok(());
        }
        let since = *away.get_or_insert_with(Instant::now);
        if self.for_others.load(Ordering::Relaxed) && since.elapsed() >= AWAY {
            tracing::warn!(file = %self.file.display(), "the file was moved or replaced: this process gives it up");
            self.gate.shut();
        }
        Ok(())
    }

    /// Tells a client that this process cannot serve it.
    fn turn_away(&self, stream: &Stream, error: io::Error) -> io::Result<()> {
        stream.set_write_timeout(Some(PAUSE))?;
        send(
            stream,
            Kind::Refused,
            &Refusal::Unable {
                pid: std::process::id(),
                why: error.to_string(),
            },
        )?;
        Err(error)
    }

    /// Serves a client on a thread of its own.
    fn admit(self: &Arc<Self>, stream: Stream) -> io::Result<()> {
        let (number, connection) = (
            self.next.fetch_add(1, Ordering::Relaxed),
            Arc::new(Connection::new(stream)),
        );
        let mut connections = self.connections.lock();
        if connections.len() >= self.most {
            drop(connections);
            let crowd = format!(
                "it serves {} connections already, and no more at once",
                self.most
            );
            let crowd = io::Error::other(crowd);
            return self.turn_away(&connection.stream, crowd);
        }
        connections.insert(number, Arc::clone(&connection));
        drop(connections);
        let own = Arc::clone(self);
        let thread = std::thread::Builder::new().name("annals-client".to_owned());
        let served = {
            let connection = Arc::clone(&connection);
            move || {
                if let Err(error) = own.attend(&connection) {
                    tracing::debug!(%error, "a client ended");
                }
                own.connections.lock().remove(&number);
            }
        };
        let client = match thread.spawn(served) {
            Ok(client) => client,
            Err(error) => {
                self.connections.lock().remove(&number);
                return self.turn_away(&connection.stream, error);
            }
        };
        let mut clients = self.clients.lock();
        clients.retain(|client| !client.is_finished());
        clients.push(client);
        Ok(())
    }

    /// Serves a client until it ends.
    fn attend(&self, connection: &Connection) -> io::Result<()> {
        let mut stream = &connection.stream;
        stream.set_read_timeout(Some(INTRODUCTION))?;
        stream.set_write_timeout(Some(WRITE))?;
        if stream.is_stranger() {
            return send(stream, Kind::Refused, &Refusal::Stranger);
        }
        let Some((Kind::Hello, hello)) = frame::read(&mut stream)? else {
            return Ok(());
        };
        let hello: Hello = serde_json::from_slice(&hello)?;
        let same = hello.version.protocol == self.version.protocol;
        match self.refusal() {
            Some(refusal) => send(stream, Kind::Refused, &refusal)?,
            None if same => send(stream, Kind::Welcome, &self.welcome())?,
            None => {
                let refusal = Refusal::Protocol {
                    version: self.version.clone(),
                    pid: std::process::id(),
                };
                send(stream, Kind::Refused, &refusal)?;
            }
        }
        stream.set_read_timeout(None)?;
        // An owner that left a connected process would have it load the file and the embedder again
        // at its next call.
        let _guest = self.gate.receive();
        while let Some((kind, body)) = frame::read(&mut stream)? {
            match kind {
                Kind::Drain if self.own.is_empty() => {
                    self.gate.shut();
                    return Ok(());
                }
                Kind::Drain => send(
                    stream,
                    Kind::Refused,
                    &Refusal::Keeps {
                        own: self.own.clone(),
                    },
                )?,
                Kind::Call if same => self.answer(connection, &body)?,
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
        let pid = std::process::id();
        match self.server.is_in_place() {
            Ok(true) => None,
            Ok(false) => Some(Refusal::Moved { pid }),
            Err(error) => Some(Refusal::Unable {
                pid,
                why: error.to_string(),
            }),
        }
    }

    fn answer(&self, connection: &Connection, body: &[u8]) -> io::Result<()> {
        let stream = &connection.stream;
        let call: Call = serde_json::from_slice(body)?;
        let Some(_inside) = self.gate.enter() else {
            return send(stream, Kind::Refused, &Refusal::Draining);
        };
        if let Some(refusal) = self.refusal() {
            return send(stream, Kind::Refused, &refusal);
        }
        let caller = Client {
            connection,
            gate: &self.gate,
            lost: RefCell::new(false),
        };
        let Some(answer) = carry::carry_out(&*self.server, &call, &caller) else {
            return send(stream, Kind::Refused, &Refusal::Draining);
        };
        if caller.lost.into_inner() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let failed = |error: &Error| {
            connection.wait(|_| send(stream, Kind::Failed, &ErrorReport::from(error)))
        };
        match answer {
            Ok(answer) => connection
                .wait(|stream| frame::write(stream, Kind::Answer, &answer))
                .or_else(|error| match error.kind() {
                    io::ErrorKind::InvalidInput => failed(&Error::bad_input(error.to_string())),
                    _ => Err(error),
                }),
            Err(error) => failed(&error),
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
    connection: &'a Connection,
    gate: &'a Gate,
    /// Whether the other end has ended: the call has nobody to answer.
    lost: RefCell<bool>,
}

impl Client<'_> {
    /// Reads from the client, or writes to it, unless this owner ends.
    fn exchange<T>(&self, exchange: impl FnOnce(&mut &Stream) -> io::Result<T>) -> io::Result<T> {
        if self.gate.is_closed_for(GRACE) {
            self.lost.replace(true);
            return Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the process that owns the file ends",
            ));
        }
        self.tell(exchange)
    }

    fn tell<T>(&self, exchange: impl FnOnce(&mut &Stream) -> io::Result<T>) -> io::Result<T> {
        let result = self.connection.wait(exchange);
        if result.is_err() {
            self.lost.replace(true);
        }
        result
    }
}

impl Caller for Client<'_> {
    fn progress(&self, progress: &RawValue) -> io::Result<()> {
        self.tell(|stream| frame::write(stream, Kind::Progress, progress.get().as_bytes()))
    }

    fn input(&self, most: usize) -> io::Result<Vec<u8>> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        self.exchange(|stream| {
            frame::write(stream, Kind::Pull, &most.to_le_bytes())?;
            match frame::read(stream)? {
                Some((Kind::Input, bytes)) if bytes.len() <= most as usize => Ok(bytes),
                Some((Kind::Input, _)) => Err(io::ErrorKind::InvalidData.into()),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            }
        })
    }

    fn output(&self, bytes: &[u8]) -> io::Result<()> {
        self.exchange(|stream| frame::write(stream, Kind::Output, bytes))
    }
}
