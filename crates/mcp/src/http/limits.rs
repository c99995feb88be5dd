//! How much of a server its clients may take.

use std::time::Duration;

/// How many clients a server over HTTP takes at once, and how long each may keep it waiting.
/// Whoever meets a limit is told which one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Connections at once; 256 by default.
    pub connections: usize,
    /// Connections at once of each other user that have not brought the token yet, where the system
    /// tells the users of this machine apart (Linux), and of everybody else together; 32 by
    /// default. They take no place of those that have.
    pub newcomers: usize,
    /// How long such a connection may be without the token; two seconds by default.
    pub proof: Duration,
    /// Sessions at once; 256 by default. One that nobody uses ends after five minutes.
    pub sessions: usize,
    /// How long the head of a request may take, and a connection may be without one; 30 seconds by
    /// default.
    pub head: Duration,
    /// How long the body of a request may take; 30 seconds by default.
    pub body: Duration,
    /// The bytes of the body of a request; 4 MiB by default.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let moment = Duration::from_secs(30);
        let proof = Duration::from_secs(2);
        let (connections, newcomers, sessions) = (256, 32, 256);
        Self {
            connections,
            newcomers,
            proof,
            sessions,
            head: moment,
            body: moment,
            body_bytes: 4 << 20,
        }
    }
}

impl Limits {
    /// What holds for connections. A client that reads nothing is given up as one that sends
    /// nothing.
    pub(super) fn of_connections(&self, asks_for_token: bool) -> annals_connections::Limits {
        let Self {
            connections,
            newcomers,
            proof,
            head,
            ..
        } = *self;
        annals_connections::Limits {
            connections,
            newcomers,
            proof,
            asks_for_token,
            head,
            answer: head,
        }
    }

    /// Sets how many connections there may be at once.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets how many connections of a user there may be that have not brought the token, and for
    /// how long.
    #[must_use]
    pub fn newcomers(mut self, newcomers: usize, proof: Duration) -> Self {
        (self.newcomers, self.proof) = (newcomers, proof);
        self
    }

    /// Sets how many sessions there may be at once.
    #[must_use]
    pub fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Sets how long the head and the body of a request may take.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        (self.head, self.body) = (patience, patience);
        self
    }
}
