use std::time::{Duration, Instant};

use annals_storage::StorageError;
use parking_lot::{Condvar, Mutex};
use postgres::Config;

use crate::connection::Connection;

/// The most connections at once. A server has 100 by default, for all its clients.
const MOST: usize = 32;
/// How long one is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections to one database, which are used again.
pub(crate) struct Pool {
    config: Config,
    place: String,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    open: usize,
}

impl Pool {
    pub(crate) fn new(config: Config, place: String) -> Self {
        Self { config, place, state: Mutex::new(State::default()), returned: Condvar::new() }
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// An idle connection, or a new one; waits where as many are in use as there may be.
    pub(crate) fn take(&self) -> Result<Connection, StorageError> {
        let until = Instant::now() + PATIENCE;
        let mut state = self.state.lock();
        loop {
            while let Some(connection) = state.idle.pop() {
                if !connection.client.is_closed() {
                    return Ok(connection);
                }
                state.open -= 1;
            }
            if state.open < MOST {
                state.open += 1;
                break;
            }
            if self.returned.wait_until(&mut state, until).timed_out() {
                let reason = format!("all {MOST} connections are in use");
                return Err(StorageError::Server { doing: format!("use {}", self.place), reason });
            }
        }
        drop(state);
        Connection::open(&self.config, &self.place).inspect_err(|_| self.close_one())
    }

    /// Takes a connection back that is fit to be used again.
    pub(crate) fn put_back(&self, connection: Connection) {
        self.state.lock().idle.push(connection);
        self.returned.notify_one();
    }

    /// Counts a connection that was given up.
    pub(crate) fn close_one(&self) {
        self.state.lock().open -= 1;
        self.returned.notify_one();
    }
}
