//! Errors as they cross processes.

use std::fmt;

use serde::{Deserialize, Serialize};

use annals_types::Wording;

use crate::{Error, ErrorKind, Missing};

/// The most causes of an error that are told.
const CAUSES: usize = 16;

/// An [`Error`] as a value: its kind, its words and those of its causes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The kind of thing that does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// The line of an import at which it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Whether no judge or model is available.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
    /// What it says, apart from its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wording: Option<Wording>,
    /// The words of the error, then of its cause, and so on.
    pub texts: Vec<String>,
}

impl From<&Error> for ErrorReport {
    fn from(error: &Error) -> Self {
        let mut texts = vec![error.to_string()];
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause.filter(|_| texts.len() <= CAUSES) {
            texts.push(inner.to_string());
            cause = inner.source();
        }
        Self {
            kind: error.kind(),
            missing: error.missing(),
            line: error.import_line(),
            away: error.is_away(),
            wording: error.wording(),
            texts,
        }
    }
}

/// A cause of an error of another process.
#[derive(Debug)]
pub(crate) struct Cause {
    text: String,
    cause: Option<Box<Cause>>,
}

impl Cause {
    /// The chain of causes with these words, the nearest first.
    pub(crate) fn chain(texts: &[String]) -> Option<Box<Self>> {
        let (text, rest) = texts.split_first()?;
        Some(Box::new(Self {
            text: text.clone(),
            cause: Self::chain(rest),
        }))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorReport;
    use crate::{Error, ErrorKind, Missing};

    #[test]
    fn an_error_crosses_with_its_kind_and_its_causes() {
        let inner = std::io::Error::other(std::io::Error::other("the disk is away"));
        let errors = [
            Error::io("reading notes", inner),
            Error::not_found(Missing::Entity, "there is no entity 7"),
            Error::bad_line(3, "no JSON"),
            annals_types::InvalidValue::Empty { field: "text" }.into(),
            Error::other(ErrorKind::NotShared, "a clock does not cross"),
        ];
        for error in errors {
            let report = ErrorReport::from(&error);
            let text = serde_json::to_string(&report).unwrap();
            let crossed = Error::from(serde_json::from_str::<ErrorReport>(&text).unwrap());
            assert_eq!(ErrorReport::from(&crossed), report);
            assert_eq!(crossed.to_string(), error.to_string());
        }
    }
}
