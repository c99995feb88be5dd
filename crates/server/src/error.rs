use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server could not be started, or tokens not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be taken.
    #[error(
        "cannot listen at {address}: {source}; name another one, or end the program that has it"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The runtime could not be started.
    #[error("cannot start threads: {0}")]
    Runtime(#[source] io::Error),
    /// The file of tokens cannot be read or written.
    #[error("the tokens in {}: {source}", path.display())]
    Tokens {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file of tokens holds something else.
    #[error("{} holds no tokens: {reason}; remove it, and make new tokens", path.display())]
    BadTokens {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Other users can read the file of tokens.
    #[error("other users can read or change {}; take their rights away", path.display())]
    OpenTokens {
        /// The file.
        path: PathBuf,
    },
    /// Another process keeps the lock of the tokens.
    #[error("another process keeps {} locked; try again once it has ended", path.display())]
    BusyTokens {
        /// The file of the lock.
        path: PathBuf,
    },
    /// A token is not allowed as it was described.
    #[error("{0}")]
    BadToken(String),
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}
