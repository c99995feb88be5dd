use std::time::{Duration, Instant};

use annals_storage::StorageError;
use parking_lot::{Condvar, Mutex};

use crate::connection::{Connection, Server};

/// The most connections at once. A server has 100 by default, for all its clients.
const MOST: usize = 48;
/// Those among them that are kept for writes: a snapshot that waits for one keeps no write waiting.
const FOR_WRITES: usize = 2;
/// How long one is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// A connection that rests longer is closed: whatever lies between may have forgotten it.
const REST: Duration = Duration::from_secs(60);
/// A snapshot that nobody has any more is ended after so long, so that the server can clean up.
const LINGER: Duration = Duration::from_secs(1);

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Write,
}

/// Connections to one database, which are used again.
pub(crate) struct Pool {
    server: Server,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    open: usize,
}

impl Pool {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server,
            state: Mutex::new(State::default()),
            returned: Condvar::new(),
        }
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    pub(crate) fn place(&self) -> &str {
        self.server.place()
    }

    /// An idle connection, or a new one; waits where as many are in use as there may be.
    pub(crate) fn take(&self, purpose: Purpose) -> Result<Connection, StorageError> {
        let most = if purpose == Purpose::Write {
            MOST
        } else {
            MOST - FOR_WRITES
        };
        let until = Instant::now() + PATIENCE;
        let mut state = self.state.lock();
        loop {
            while let Some(connection) = state.idle.pop() {
                if !connection.client.is_closed() && connection.idle_since.elapsed() < REST {
                    return Ok(connection);
                }
                state.open -= 1;
            }
            if state.open < most {
                state.open += 1;
                break;
            }
            if self.returned.wait_until(&mut state, until).timed_out() {
                let reason = format!("all {most} connections are in use");
                return Err(StorageError::Server {
                    doing: format!("use {}", self.place()),
                    reason,
                });
            }
        }
        drop(state);
        Connection::open(&self.server).inspect_err(|_| self.close_one())
    }

    /// Takes a connection back that is fit to be used again.
    pub(crate) fn put_back(&self, mut connection: Connection) {
        connection.idle_since = Instant::now();
        self.state.lock().idle.push(connection);
        self.returned.notify_one();
    }

    /// Counts a connection that was given up.
    pub(crate) fn close_one(&self) {
        self.state.lock().open -= 1;
        self.returned.notify_one();
    }

    /// Closes what rests: where one connection was lost, the others were mostly lost with it.
    pub(crate) fn close_idle(&self) {
        let idle = {
            let mut state = self.state.lock();
            let idle = std::mem::take(&mut state.idle);
            state.open -= idle.len();
            idle
        };
        drop(idle);
        self.returned.notify_all();
    }

    /// Ends the transactions of snapshots that are gone.
    pub(crate) fn end_snapshots(&self) {
        let begun = {
            let mut state = self.state.lock();
            let gone = |one: &mut Connection| one.begun && one.idle_since.elapsed() > LINGER;
            state.idle.extract_if(.., gone).collect::<Vec<_>>()
        };
        for mut connection in begun {
            match connection.end() {
                Ok(()) => self.put_back(connection),
                Err(_) => self.close_one(),
            }
        }
    }
}
