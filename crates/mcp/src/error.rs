use std::net::SocketAddr;

/// Why a server cannot begin, or ended before it was told to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The threads or timers of the server cannot be made.
    #[error("cannot start the server: {0}")]
    Runtime(#[source] std::io::Error),
    /// The address is taken, or not one of this machine.
    #[error("cannot listen at {address}: {source}; name another address")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The address can be reached from other machines and no token is asked for.
    #[error(
        "{address} can be reached from other machines: give a token, or use an address of this machine"
    )]
    NoToken {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// Every user of this machine reaches the address, and it was not said that no token is asked
    /// for.
    #[error(
        "every user of this machine reaches {address}: give a token, or say that none is asked for"
    )]
    NoLocalToken {
        /// The address that was asked for.
        address: SocketAddr,
    },
    /// Connections can no longer be accepted.
    #[error("the server ended: {0}")]
    Ended(#[source] std::io::Error),
    /// The client broke the protocol before it began, or the stream failed.
    #[error("the client could not be served: {0}")]
    Protocol(String),
}
