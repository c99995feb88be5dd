use std::time::Duration;

/// How much of a server its clients may take. Whoever meets a limit is told which one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Connections at once; 256 by default.
    pub connections: usize,
    /// Connections at once of each other user that have not brought a token yet, where the system
    /// tells the users of this machine apart (Linux), and of everybody else together; 32 by
    /// default. They take no place of those that have.
    pub newcomers: usize,
    /// How long such a connection may be without a token; 10 seconds by default.
    pub proof: Duration,
    /// Calls of the memory at once; 16 by default. Each takes a thread; others wait.
    pub calls: usize,
    /// Imports and exports at once; 4 by default.
    pub streams: usize,
    /// How long a call may wait for its turn; 5 seconds by default.
    pub queue: Duration,
    /// How long a call may take; 60 seconds by default.
    pub call: Duration,
    /// How long the head of a request may take, and a connection may be without one; 30 seconds by
    /// default.
    pub head: Duration,
    /// How long the body of a request may take; 30 seconds by default.
    pub body: Duration,
    /// How long a client may read nothing of its answer; 30 seconds by default.
    pub answer: Duration,
    /// How often the token or the session of a stream (events, an import, an export) is looked at
    /// again; 15 seconds by default.
    pub recheck: Duration,
    /// The bytes of the body of a request; 4 MiB by default.
    pub body_bytes: usize,
    /// The memories of a page, and the hits of an answer; 500 by default.
    pub page: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let moment = Duration::from_secs(30);
        Self {
            connections: 256,
            newcomers: 32,
            proof: Duration::from_secs(10),
            calls: 16,
            streams: 4,
            queue: Duration::from_secs(5),
            call: Duration::from_secs(60),
            head: moment,
            body: moment,
            answer: moment,
            recheck: Duration::from_secs(15),
            body_bytes: 4 << 20,
            page: 500,
        }
    }
}

impl Limits {
    pub(crate) const fn of_connections(&self) -> annals_connections::Limits {
        let Self {
            connections,
            newcomers,
            proof,
            head,
            answer,
            ..
        } = *self;
        annals_connections::Limits {
            connections,
            newcomers,
            proof,
            asks_for_token: true,
            head,
            answer,
        }
    }
}
