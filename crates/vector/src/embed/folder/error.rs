use std::io;
use std::path::{Path, PathBuf};

use annals_types::EmbedError;

/// The cause of an error, whatever library it came from.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a model folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file or folder that every model needs is not there.
    #[error("{} is missing; {advice}", path.display())]
    Missing {
        /// The path looked for.
        path: PathBuf,
        /// Advice for the user.
        advice: String,
    },
    /// A file is there and cannot be understood.
    #[error("{} cannot be used: {reason}; {advice}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
        /// Advice for the user.
        advice: String,
        /// The reader's own complaint, where it has one.
        #[source]
        source: Option<Cause>,
    },
    /// The model is sound, and asks for something that this engine does not do.
    #[error("{} asks for {what}, which is not supported; {advice}", path.display())]
    Unsupported {
        /// The file that asks for it.
        path: PathBuf,
        /// The unsupported feature.
        what: String,
        /// Advice for the user.
        advice: String,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// The operation, e.g. `read`.
        action: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
    /// A name that cannot be a folder of its own below the models folder.
    #[error("{name:?} cannot be the name of a model: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Another model has the name already.
    #[error("{} already holds another model; remove it or import under another name", path.display())]
    Exists {
        /// The folder of the installed model.
        path: PathBuf,
    },
    /// ONNX Runtime, which runs the model, cannot be used.
    #[cfg(feature = "onnx")]
    #[error(transparent)]
    Runtime(#[from] crate::embed::onnx::RuntimeError),
}

impl ModelError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    pub(crate) fn broken(
        path: &Path,
        reason: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::Broken {
            path: path.to_path_buf(),
            reason: reason.into(),
            advice: advice.into(),
            source: None,
        }
    }

    pub(crate) fn unreadable(
        path: &Path,
        reason: impl Into<String>,
        advice: impl Into<String>,
        source: impl Into<Cause>,
    ) -> Self {
        Self::Broken {
            path: path.to_path_buf(),
            reason: reason.into(),
            advice: advice.into(),
            source: Some(source.into()),
        }
    }
}

impl From<ModelError> for EmbedError {
    fn from(error: ModelError) -> Self {
        let advice = match &error {
            ModelError::Missing { advice, .. }
            | ModelError::Broken { advice, .. }
            | ModelError::Unsupported { advice, .. } => advice.clone(),
            #[cfg(feature = "onnx")]
            ModelError::Runtime(runtime) => runtime.advice().to_owned(),
            _ => "look at the model folder".to_owned(),
        };
        let reason = match &error {
            ModelError::Missing { path, .. } => format!("{} is missing", path.display()),
            ModelError::Broken { path, reason, .. } => format!("{}: {reason}", path.display()),
            ModelError::Unsupported { path, what, .. } => {
                format!("{} asks for {what}, which is not supported", path.display())
            }
            ModelError::Io { source, .. } => format!("{error}: {source}"),
            #[cfg(feature = "onnx")]
            ModelError::Runtime(runtime) => runtime.reason(),
            _ => error.to_string(),
        };
        Self::Unavailable {
            what: "the embedding model".to_owned(),
            reason,
            advice,
        }
    }
}
