use std::path::PathBuf;

/// Why no connection can even be tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The address of the server is none.
    #[error("{address:?} is no address of a server: {reason}")]
    BadAddress {
        /// The address, without any password that it held.
        address: String,
        /// The fault.
        reason: &'static str,
    },
    /// The key is not where it was said to be, or is none.
    #[error("no key from {origin}: {reason}")]
    NoKey {
        /// Where the key should come from.
        origin: String,
        /// The fault.
        reason: String,
    },
    /// The file of trusted certificates cannot be used.
    #[error("{} holds no certificates that can be trusted: {reason}", path.display())]
    BadCertificates {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
}
