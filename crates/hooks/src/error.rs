use std::error::Error;
use std::path::{Path, PathBuf};

/// Why an event was not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The host, its event or its JSON cannot be understood.
    #[error("{0}")]
    Input(String),
    /// A file beside the database, or a transcript, cannot be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// As in "read".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The list of enabled projects is no list any more. It is left as it is.
    #[error(
        "{} is damaged and is left as it is ({reason}); mend it, or remove it and enable the projects again",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A settings file cannot be written.
    #[error(transparent)]
    Settings(#[from] annals_clients::Error),
    /// The database cannot be opened.
    #[error("cannot open the database: {0}")]
    Open(#[source] Box<dyn Error + Send + Sync>),
    /// The memory refuses or fails.
    #[error(transparent)]
    Memory(#[from] annals::Error),
}

impl HookError {
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File {
            doing,
            path,
            source,
        }
    }
}
