use std::io;
use std::path::{Path, PathBuf};

use crate::embed::folder::ModelError;
use annals_net::NetError;

/// Why a model could not be fetched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError {
    /// The address, the token or the certificates are wrong.
    #[error(transparent)]
    Net(#[from] NetError),
    /// That is no name of a repository or revision.
    #[error("{repo:?} is no model of a hub: {reason}")]
    BadRepo {
        /// The name.
        repo: String,
        /// The fault.
        reason: &'static str,
    },
    /// The hub does not show the model, or not to this user.
    #[error(
        "{url} answered {status}: check the name; a private or gated model needs a token in HF_TOKEN, and its \
             terms accepted on its page"
    )]
    Denied {
        /// The address asked for.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// The hub answered with an error.
    #[error("{url} answered {status}; try again later")]
    Refused {
        /// The address asked for.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// The hub could not be reached.
    #[error("no answer from {url} ({reason}); check the network, the proxy and HF_ENDPOINT")]
    Unreachable {
        /// The address asked for.
        url: String,
        /// The failure.
        reason: String,
    },
    /// The answer is no list of files.
    #[error("{url} answered something that is no list of a model's files: {reason}")]
    BadListing {
        /// The address asked for.
        url: String,
        /// The fault of the answer.
        reason: String,
    },
    /// The repository has not what is needed.
    #[error("{repo} has no {missing}; {advice}")]
    NoModel {
        /// The repository.
        repo: String,
        /// The missing file or part.
        missing: String,
        /// Advice for the user.
        advice: String,
    },
    /// The connection broke, again and again. The bytes that came are kept.
    #[error(
        "the connection broke off after {done} bytes of {file} ({reason}); pull again to go on from there"
    )]
    BrokenOff {
        /// The file.
        file: String,
        /// The bytes that are there.
        done: u64,
        /// The failure.
        reason: String,
    },
    /// A file came whole and is not what the hub announced. It has been thrown away.
    #[error(
        "{file} came with {got} instead of {expected}; pull again, and distrust the source if it stays so"
    )]
    Corrupt {
        /// The file.
        file: String,
        /// The size or hash that was announced.
        expected: String,
        /// The size or hash of what came.
        got: String,
    },
    /// Another process is fetching this model.
    #[error("{repo} is being pulled by another process; wait for it")]
    Busy {
        /// The repository.
        repo: String,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The operation.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// The fetched files are no model that can be used.
    #[error(transparent)]
    Folder(#[from] ModelError),
}

impl HubError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
