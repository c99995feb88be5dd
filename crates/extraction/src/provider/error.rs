use std::time::Duration;

use annals_types::JudgeError;

/// Why a model gave no answer. Nothing that is stored changes because of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// The caller does not want the answer any more.
    #[error("{what} was not waited for: the call was cancelled")]
    Cancelled {
        /// The provider.
        what: String,
    },
    /// It cannot be reached, or has too much to do.
    #[error("{what} is not available: {reason}; {advice}")]
    Unavailable {
        /// The provider.
        what: String,
        /// The failure.
        reason: String,
        /// Advice for the user.
        advice: String,
        /// How long it asks to be left alone, if it does.
        wait: Option<Duration>,
    },
    /// It does not take this question: the key, the model or the prompt is at fault.
    #[error("{what} refused: {reason}; {advice}")]
    Refused {
        /// The provider.
        what: String,
        /// The reason that it gave.
        reason: String,
        /// Advice for the user.
        advice: String,
    },
    /// It answered something that is no answer of its protocol.
    #[error(
        "{what} answered what is no reply: {answer:?}; check that the address is that of its API (often it ends in /v1)"
    )]
    BadAnswer {
        /// The provider.
        what: String,
        /// The answer, shortened.
        answer: String,
    },
    /// A transcript holds no answer to this question.
    #[error("the transcript has no further answer for {purpose:?}")]
    NotRecorded {
        /// The purpose of the request.
        purpose: String,
    },
    /// A transcript cannot be read or written.
    #[error("line {line} of the transcript is no recorded exchange: {reason}")]
    BadTranscript {
        /// The line, from 1 on.
        line: usize,
        /// The fault.
        reason: String,
    },
}

impl ProviderError {
    /// Whether asking again later may help.
    #[must_use]
    pub const fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Cancelled { .. } | Self::Unavailable { .. } | Self::BadAnswer { .. }
        )
    }
}

impl From<ProviderError> for JudgeError {
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Unavailable {
                what, reason, wait, ..
            } => Self::Unavailable { what, reason, wait },
            ProviderError::BadAnswer { what, answer } => Self::BadAnswer { what, answer },
            refused @ ProviderError::Refused { .. } => Self::Refused {
                what: "the language model".to_owned(),
                source: Box::new(refused),
            },
            other => Self::Failed {
                what: "the language model".to_owned(),
                source: Box::new(other),
            },
        }
    }
}
