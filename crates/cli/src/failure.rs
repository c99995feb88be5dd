use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;

use annals::{ErrorKind, Missing};
use serde_json::{Value, json};

use crate::visible;

/// How the program ends. The numbers are documented in the README and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Failed = 1,
    Usage = 2,
    NotFound = 3,
    Invalid = 4,
    Locked = 5,
    Damaged = 6,
    Version = 7,
    Unwritable = 8,
    Embedder = 9,
}

impl Exit {
    const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Invalid => "invalid",
            Self::Locked => "locked",
            Self::Damaged => "damaged",
            Self::Version => "version",
            Self::Unwritable => "unwritable",
            Self::Embedder => "embedder",
        }
    }
}

/// Why a command ended: what was being done, to what, and what can be done about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) advice: Option<String>,
    pub(crate) file: Option<Box<Path>>,
    pub(crate) line: Option<u64>,
    causes: Vec<String>,
    /// The reader of the output went away: nothing is left to be said.
    pub(crate) silent: bool,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Display) -> Self {
        let message = message.to_string();
        Self { exit, message, advice: None, file: None, line: None, causes: Vec::new(), silent: false }
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Something of a file that was named and does not exist.
    pub(crate) fn missing(what: Missing, message: impl Display) -> Self {
        Self { advice: whereabouts(what), ..Self::new(Exit::NotFound, message) }
    }

    pub(crate) fn invalid(message: impl Display) -> Self {
        Self::new(Exit::Invalid, message)
    }

    /// A file that could not be read or written; `doing` as in "read the config file".
    pub(crate) fn file(doing: &str, path: &Path, cause: &io::Error) -> Self {
        let exit = match cause.kind() {
            io::ErrorKind::NotFound => Exit::NotFound,
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded => Exit::Unwritable,
            _ => Exit::Failed,
        };
        let advice = match cause.kind() {
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied => "check the rights of the file and its folder",
            io::ErrorKind::ReadOnlyFilesystem => "choose a folder that can be written",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space on the disk and try again",
            io::ErrorKind::IsADirectory => "name a file, not a folder",
            _ => "check the path and the disk",
        };
        Self::new(exit, format!("cannot {doing} {}: {cause}", path.display())).advice(advice).at(path, None)
    }

    /// A failure of a call that writes to standard output itself. A reader that went away is no
    /// failure.
    pub(crate) fn of_output(error: annals::Error) -> Self {
        let mut silent = false;
        let mut cause = error.source();
        while let Some(inner) = cause {
            silent |= inner.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe);
            cause = inner.source();
        }
        Self { silent, ..Self::from(error) }
    }

    #[must_use]
    pub(crate) fn advice(mut self, advice: impl Display) -> Self {
        self.advice = Some(advice.to_string());
        self
    }

    #[must_use]
    pub(crate) fn at(mut self, file: &Path, line: Option<u64>) -> Self {
        self.file = Some(file.into());
        self.line = line;
        self
    }

    #[must_use]
    pub(crate) fn caused_by(mut self, mut cause: Option<&(dyn Error + 'static)>) -> Self {
        while let Some(error) = cause {
            let text = error.to_string();
            // Many errors already end with the text of their source.
            if !self.message.contains(&text) && !self.causes.contains(&text) {
                self.causes.push(text);
            }
            cause = error.source();
        }
        self
    }

    pub(crate) fn text(&self, paint: crate::paint::Paint) -> String {
        let mut out = format!("{} {}\n", paint.error("error:"), visible::block(&self.message));
        for cause in &self.causes {
            out.push_str(&format!("  {} {}\n", paint.dim("because:"), visible::block(cause)));
        }
        if let Some(advice) = &self.advice {
            out.push_str(&format!("  {} {}\n", paint.dim("try:"), visible::block(advice)));
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let mut error = json!({ "kind": self.exit.word(), "exit_code": self.exit as u8, "message": self.message });
        if let Value::Object(fields) = &mut error {
            if let Some(advice) = &self.advice {
                fields.insert("advice".to_owned(), json!(advice));
            }
            if let Some(file) = &self.file {
                fields.insert("file".to_owned(), json!(file.to_string_lossy()));
            }
            if let Some(line) = self.line {
                fields.insert("line".to_owned(), json!(line));
            }
            if !self.causes.is_empty() {
                fields.insert("causes".to_owned(), json!(self.causes));
            }
        }
        json!({ "error": error })
    }
}

impl From<annals::Error> for Failure {
    fn from(error: annals::Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::NotFound => Exit::NotFound,
            ErrorKind::Invalid | ErrorKind::Conflict => Exit::Invalid,
            ErrorKind::Locked => Exit::Locked,
            ErrorKind::Corrupt | ErrorKind::NotADatabase => Exit::Damaged,
            ErrorKind::TooNew | ErrorKind::TooOld => Exit::Version,
            ErrorKind::ReadOnly | ErrorKind::Full => Exit::Unwritable,
            ErrorKind::Embedder => Exit::Embedder,
            _ => Exit::Failed,
        };
        Self { advice: error.missing().and_then(whereabouts), ..Self::new(exit, &error) }.caused_by(error.source())
    }
}

/// Where what there is can be seen.
fn whereabouts(missing: Missing) -> Option<String> {
    let told = match missing {
        Missing::Memory => "`annals list` shows the ids; was it another --namespace?",
        Missing::Namespace => "`annals namespace list` shows the names",
        Missing::Entity => "`annals graph entities` shows the numbers",
        Missing::Triple => "`annals graph triples` shows the numbers",
        Missing::Merge => "`annals graph merges` shows the numbers",
        Missing::Profile => "`annals profile list` shows the names",
        Missing::Language => "`annals language list` shows them",
        Missing::Kind => "name one of them with --kind",
        Missing::Job => "`annals jobs list` shows the profiles and their jobs",
        Missing::Task => "`annals queue list` shows the numbers",
        Missing::Review => "`annals review list` shows what waits for a verdict",
        Missing::Proposal => "`annals review proposals` shows what waits",
        Missing::Suspicion => "`annals review contradictions` shows the pairs",
        Missing::Decision => "`annals review decisions` shows the numbers",
        _ => return None,
    };
    Some(told.to_owned())
}

impl From<annals::InvalidValue> for Failure {
    fn from(error: annals::InvalidValue) -> Self {
        Self::invalid(error)
    }
}

impl From<annals_mcp::ServeError> for Failure {
    fn from(error: annals_mcp::ServeError) -> Self {
        Self::new(Exit::Failed, error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let silent = error.kind() == io::ErrorKind::BrokenPipe;
        let exit = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Exit::Unwritable,
            _ => Exit::Failed,
        };
        Self { silent, ..Self::new(exit, format!("cannot write the output: {error}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_words_of_an_error_are_shown_not_sent() {
        let failure = Failure::invalid("bad tag \u{1b}[2J").advice("take the \u{202e} out");
        let text = failure.text(crate::paint::Paint::PLAIN);
        assert_eq!(text, "error: bad tag \\u{1b}[2J\n  try: take the \\u{202e} out\n");
        assert_eq!(failure.json()["error"]["exit_code"], 4);
    }
}
