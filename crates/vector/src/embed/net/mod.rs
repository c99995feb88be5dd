//! What the HTTP embedder and the hub client share: addresses, keys, waiting between attempts, the client itself.

mod address;
mod key;
#[cfg(test)]
pub(crate) mod server;
mod wait;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ureq::config::RedirectAuthHeaders;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

pub(crate) use address::Address;
pub use key::{ApiKey, KeySource};
pub(crate) use wait::{Pause, Waits, retry_after};

/// Why no connection can even be tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// The address of the server is none.
    #[error("{address:?} is no address of a server: {reason}")]
    BadAddress {
        /// The address, without any password that it held.
        address: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The key is not where it was said to be, or is none.
    #[error("no key from {origin}: {reason}")]
    NoKey {
        /// Where the key should come from.
        origin: String,
        /// What is wrong.
        reason: String,
    },
    /// The file of trusted certificates cannot be used.
    #[error("{} holds no certificates that can be trusted: {reason}", path.display())]
    BadCertificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// How long parts of an exchange may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) connect: Duration,
    /// The whole exchange; downloads have none.
    pub(crate) whole: Option<Duration>,
    /// Each time bytes are awaited.
    pub(crate) silence: Duration,
    pub(crate) redirects: u32,
}

/// The client for one server. Trusts Mozilla's certificates, or those in `certificates` or in the file that
/// `SSL_CERT_FILE` names, which is how companies add their own. Uses the proxy of the environment, except for this
/// machine itself.
pub(crate) fn agent(address: &Address, limits: Limits, certificates: Option<&Path>) -> Result<ureq::Agent, NetError> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let file = certificates.map(Path::to_path_buf).or(named).filter(|_| address.is_https());
    let roots = match file {
        Some(path) => RootCerts::from(read_certificates(&path)?.into_iter()),
        None => RootCerts::WebPki,
    };
    let mut config = ureq::Agent::config_builder()
        .user_agent(concat!("annals/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .max_redirects(limits.redirects)
        .max_redirects_will_error(limits.redirects > 0)
        // Storage that a hub points to has no business with the key of the hub.
        .redirect_auth_headers(RedirectAuthHeaders::SameHost)
        .timeout_connect(Some(limits.connect))
        .timeout_recv_response(Some(limits.silence))
        .timeout_per_read(Some(limits.silence))
        .timeout_global(limits.whole)
        .tls_config(TlsConfig::builder().root_certs(roots).build());
    if address.is_this_machine() {
        config = config.proxy(None);
    }
    Ok(config.build().new_agent())
}

fn read_certificates(path: &Path) -> Result<Vec<Certificate<'static>>, NetError> {
    let bad = |reason: String| NetError::BadCertificates { path: path.to_path_buf(), reason };
    let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| bad(error.to_string()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() { Err(bad("there is no certificate in it".to_owned())) } else { Ok(certificates) }
}
