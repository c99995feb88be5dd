//! Named pipes. The pipe of a file is named after its path, and opens for its user alone.
//!
//! A read of a pipe can neither be given a limit nor be ended by another thread where it is waited
//! for in the call itself: so reads and writes overlap, by tokio, and the caller waits for them.

mod driver;
mod security;

use std::future::pending;
use std::io::{self, Read, Write};
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;
use std::time::Duration;

use driver::driver;
use futures_lite::future::{block_on, or};
use parking_lot::Mutex;
use tokio::net::windows::named_pipe::{
    ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions,
};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;
use windows_sys::Win32::Foundation::ERROR_PIPE_BUSY;
use xxhash_rust::xxh3::xxh3_64;

use super::{Accepted, Connected, LOOK, Stranger, named};

/// The instances of a pipe that wait for clients: so many may come at once. A further one comes
/// again after a pause.
const LISTENING: usize = 8;

/// How often a client comes again at most, and the pause before it does.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(1);

/// The name of the pipe of a file.
fn name(file: &Path) -> io::Result<String> {
    let path: Vec<u8> = named(file)?
        .as_os_str()
        .encode_wide()
        .flat_map(u16::to_le_bytes)
        .collect();
    Ok(format!(r"\\.\pipe\annals-{:016x}", xxh3_64(&path)))
}

/// The pipe of a file, on which its owner listens.
pub(crate) struct Listener {
    clients: Mutex<mpsc::Receiver<NamedPipeServer>>,
    /// One for each instance that waits for a client.
    tasks: Mutex<JoinSet<()>>,
}

impl Listener {
    /// Makes the pipe of a file.
    pub(crate) fn bind(file: &Path) -> io::Result<Self> {
        let (name, driver) = (name(file)?, driver()?);
        let _driver = driver.enter();
        let mut instances = vec![first_instance(&name)?];
        while instances.len() < LISTENING {
            instances.push(instance(&name)?);
        }
        let (sender, clients) = mpsc::channel(LISTENING);
        let mut tasks = JoinSet::new();
        for instance in instances {
            tasks.spawn_on(listen(name.clone(), instance, sender.clone()), &driver);
        }
        Ok(Self {
            clients: Mutex::new(clients),
            tasks: Mutex::new(tasks),
        })
    }

    /// Waits for a client, or until it is time to [look after](Self::look_after) the pipe; none
    /// when the listener was closed.
    pub(crate) fn accept(&self) -> io::Result<Option<Accepted>> {
        let driver = driver()?;
        let _driver = driver.enter();
        let mut clients = self.clients.lock();
        let client = async {
            clients
                .recv()
                .await
                .map(|pipe| Accepted::Client(Stream::new(Pipe::Server(pipe))))
        };
        let nobody = async {
            sleep(LOOK).await;
            Some(Accepted::Nobody)
        };
        Ok(block_on(or(client, nobody)))
    }

    /// Nobody can take the name of a pipe that is open.
    pub(crate) fn look_after(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Lets no further client in, and ends the waiting for clients.
    pub(crate) fn close(&self) {
        block_on(self.tasks.lock().shutdown());
    }
}

/// The first instance of a pipe: nobody else has made a pipe of that name.
///
/// A pipe stays while a client has it open, even if its owner was killed: so where the name is
/// taken by a pipe of this user, this is another instance of it. The rights of the pipe are those
/// of its first instance, and by them only this user can have made it.
fn first_instance(name: &str) -> io::Result<NamedPipeServer> {
    match security::create(ServerOptions::new().first_pipe_instance(true), name) {
        Err(error) if is_taken(&error) => {}
        made => return made,
    }
    let further = instance(name)?;
    if security::is_own(&further)? {
        return Ok(further);
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "a process of another user has made the pipe",
    ))
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied || is_busy(error)
}

fn is_busy(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|code| code.cast_unsigned() == ERROR_PIPE_BUSY)
}

fn instance(name: &str) -> io::Result<NamedPipeServer> {
    security::create(&ServerOptions::new(), name)
}

/// Lets clients in at one instance after the other.
async fn listen(
    name: String,
    mut waiting: NamedPipeServer,
    clients: mpsc::Sender<NamedPipeServer>,
) {
    loop {
        if let Err(error) = waiting.connect().await {
            // The client has gone before it was let in.
            tracing::debug!(%error, "a client left");
            let _not_connected = waiting.disconnect();
            sleep(PAUSE).await;
            continue;
        }
        let next = loop {
            match instance(&name) {
                Ok(next) => break next,
                Err(error) => tracing::warn!(%error, "a pipe could not be made"),
            }
            sleep(100 * PAUSE).await;
        };
        if clients
            .send(std::mem::replace(&mut waiting, next))
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Connects to the owner of a file.
pub(crate) fn connect(file: &Path) -> io::Result<Connected> {
    let (name, driver) = (name(file)?, driver()?);
    let _driver = driver.enter();
    for _ in 0..ATTEMPTS {
        // The process at the other end may learn who this one is: it cannot act as this one.
        match ClientOptions::new().open(&name) {
            Ok(pipe) if security::is_own(&pipe)? => {
                return Ok(Connected::Stream(Stream::new(Pipe::Client(pipe))));
            }
            Ok(_) => return Ok(Connected::Stranger(stranger(&name))),
            Err(error) if is_busy(&error) => std::thread::sleep(PAUSE),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => return Ok(Connected::Nobody),
                io::ErrorKind::PermissionDenied => return Ok(Connected::Stranger(stranger(&name))),
                _ => return Err(error),
            },
        }
    }
    Ok(Connected::Busy)
}

fn stranger(name: &str) -> Stranger {
    Stranger {
        user: None,
        place: name.into(),
    }
}

/// The name of this machine; empty where the environment has none.
pub(crate) fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// A connection to another process.
pub(crate) struct Stream {
    pipe: Pipe,
    limit: Mutex<Option<Duration>>,
    write_limit: Mutex<Option<Duration>>,
    shut: watch::Sender<bool>,
}

enum Pipe {
    Server(NamedPipeServer),
    Client(NamedPipeClient),
}

impl Stream {
    fn new(pipe: Pipe) -> Self {
        Self {
            pipe,
            limit: Mutex::default(),
            write_limit: Mutex::default(),
            shut: watch::Sender::new(false),
        }
    }

    /// Limits how long a read waits.
    pub(crate) fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        *self.limit.lock() = limit;
        Ok(())
    }

    /// Limits how long a write waits.
    pub(crate) fn set_write_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        *self.write_limit.lock() = limit;
        Ok(())
    }

    /// Ends the connection; reads and writes that wait end at once.
    pub(crate) fn shutdown(&self) {
        self.shut.send_replace(true);
    }

    /// Whether the other end belongs to another user: Windows lets none in.
    pub(crate) fn is_stranger(&self) -> bool {
        false
    }

    /// The process that listens at the other end.
    pub(crate) fn process(&self) -> Option<u32> {
        match &self.pipe {
            Pipe::Server(_) => None,
            Pipe::Client(pipe) => security::server_process(pipe.as_raw_handle()),
        }
    }

    /// Waits until the pipe is ready, for so long at most.
    fn wait(
        &self,
        limit: Option<Duration>,
        ready: impl Future<Output = io::Result<()>>,
    ) -> io::Result<()> {
        let driver = driver()?;
        let _driver = driver.enter();
        let mut shut = self.shut.subscribe();
        let ended = async {
            let _ended = shut.wait_for(|shut| *shut).await;
            Err(io::ErrorKind::BrokenPipe.into())
        };
        let late = async {
            match limit {
                Some(limit) => sleep(limit).await,
                None => pending().await,
            }
            Err(io::ErrorKind::TimedOut.into())
        };
        block_on(or(ended, or(ready, late)))
    }
}

impl Read for &Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let limit = *self.limit.lock();
        loop {
            let read = match &self.pipe {
                Pipe::Server(pipe) => pipe.try_read(into),
                Pipe::Client(pipe) => pipe.try_read(into),
            };
            let waited = match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(limit, async {
                        match &self.pipe {
                            Pipe::Server(pipe) => pipe.readable().await,
                            Pipe::Client(pipe) => pipe.readable().await,
                        }
                    })
                }
                Err(error) => Err(error),
                Ok(read) => return Ok(read),
            };
            match waited {
                // As at a socket: the other end has ended.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
                waited => waited?,
            }
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let limit = *self.write_limit.lock();
        loop {
            let written = match &self.pipe {
                Pipe::Server(pipe) => pipe.try_write(bytes),
                Pipe::Client(pipe) => pipe.try_write(bytes),
            };
            match written {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(limit, async {
                        match &self.pipe {
                            Pipe::Server(pipe) => pipe.writable().await,
                            Pipe::Client(pipe) => pipe.writable().await,
                        }
                    })?
                }
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
