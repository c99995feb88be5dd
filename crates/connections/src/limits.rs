use std::time::Duration;

/// How many connections there may be, and how long each may keep the server waiting.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Connections at once of each other user that have not brought a token yet, where the system
    /// tells the users of this machine apart (Linux), and of everybody else together. They take no
    /// place of those that have.
    pub newcomers: usize,
    /// How long such a connection may be without a token.
    pub proof: Duration,
    /// Whether requests bring a token at all; without one all connections are alike.
    pub asks_for_token: bool,
    /// How long the head of a request may take, and a connection may be without one.
    pub head: Duration,
    /// How long a client may read nothing of its answer.
    pub answer: Duration,
}

/// What a client hears that is turned away: the body of a 503.
#[derive(Debug, Clone)]
pub struct Farewell {
    /// The media type of the answer.
    pub content_type: &'static str,
    /// Makes it of the reason.
    pub body: fn(&str) -> String,
}
