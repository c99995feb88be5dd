use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;

use annals::{ErrorKind, Missing, Wording};
use annals_hooks::HookError;
use annals_private::Refusal;
use serde_json::{Value, json};

use crate::texts::{Language, closed_up_of, in_marks, in_words, language, text};
use crate::{port, visible};

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
        let message = in_words(message.to_string());
        Self {
            exit,
            message,
            advice: None,
            file: None,
            line: None,
            causes: Vec::new(),
            silent: false,
        }
    }

    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Something of a file that was named and does not exist.
    pub(crate) fn missing(what: Missing, message: impl Display) -> Self {
        Self {
            advice: whereabouts(what),
            ..Self::new(Exit::NotFound, message)
        }
    }

    pub(crate) fn invalid(message: impl Display) -> Self {
        Self::new(Exit::Invalid, message)
    }

    /// A file that could not be read or written; `doing` as in "read the config file".
    pub(crate) fn file(doing: &str, path: &Path, cause: &io::Error) -> Self {
        if let Some(refusal) = Refusal::of(cause) {
            return Self::refused(doing, path, refusal);
        }
        let exit = match cause.kind() {
            io::ErrorKind::NotFound => Exit::NotFound,
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded => Exit::Unwritable,
            _ => Exit::Failed,
        };
        let advice = match cause.kind() {
            io::ErrorKind::NotFound => text!("common-check-path"),
            io::ErrorKind::PermissionDenied => text!("common-check-rights"),
            io::ErrorKind::ReadOnlyFilesystem => text!("common-choose-folder"),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => text!("common-free-space"),
            io::ErrorKind::IsADirectory => text!("common-name-file-not-folder"),
            _ => text!("common-check-disk"),
        };
        let cause = of_system(cause);
        Self::new(
            exit,
            text!("common-cannot", doing, path = path.display(), cause),
        )
        .advice(advice)
        .at(path, None)
    }

    /// A file that is not used, because of what it is or whose it is.
    fn refused(doing: &str, path: &Path, refusal: &Refusal) -> Self {
        let cause = match refusal {
            Refusal::Foreign { path, owner } => {
                text!("common-foreign-file", path = path.display(), owner)
            }
            Refusal::NotAFile { path, .. } => text!("common-not-a-file", path = path.display()),
            Refusal::OtherNames { path } => text!("common-other-names", path = path.display()),
            other => other.to_string(),
        };
        Self::new(
            Exit::Unwritable,
            text!("common-cannot", doing, path = path.display(), cause),
        )
        .advice(text!("common-remove-foreign"))
        .at(path, None)
    }

    /// A failure of a call that writes to standard output itself. A reader that went away is no
    /// failure.
    pub(crate) fn of_output(error: annals::Error) -> Self {
        let mut silent = false;
        let mut cause = error.source();
        while let Some(inner) = cause {
            silent |= inner
                .downcast_ref::<io::Error>()
                .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe);
            cause = inner.source();
        }
        Self {
            silent,
            ..Self::from(error)
        }
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
        let mut said: Vec<String> = Vec::new();
        while let Some(error) = cause {
            let text = error.to_string();
            let shown = in_words(text.clone());
            let is_said = |by: &str| by.contains(&text) || by.contains(&shown);
            // Many errors already end with the text of their source.
            if !is_said(&self.message) && !said.iter().any(|said| is_said(said)) {
                self.causes.push(shown);
                said.push(text);
            }
            cause = error.source();
        }
        self
    }

    pub(crate) fn text(&self, paint: crate::paint::Paint) -> String {
        let line = |indent: &str, label: &str, painted: String, text: &str| {
            format!("{indent}{painted}{}{}\n", gap(label), visible::block(text))
        };
        let (error, because, advised) = (
            text!("common-error"),
            text!("common-because"),
            text!("common-try"),
        );
        let mut out = line("", &error, paint.error(&error), &self.message);
        for cause in &self.causes {
            out.push_str(&line("  ", &because, paint.dim(&because), cause));
        }
        if let Some(advice) = &self.advice {
            out.push_str(&line("  ", &advised, paint.dim(&advised), advice));
        }
        out
    }

    pub(crate) fn json(&self) -> Value {
        let mut error = json!({
            "kind": self.exit.word(), "exit_code": self.exit as u8, "message": self.message,
        });
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

/// What stands behind a label or a sentence: Chinese marks bring their own space along.
pub(crate) fn gap(label: &str) -> &'static str {
    if label.ends_with(['：', '。']) {
        ""
    } else {
        " "
    }
}

/// The words of the operating system about a failure, or those of the program for the kinds that
/// people meet.
pub(crate) fn of_system(cause: &io::Error) -> String {
    match (language(), cause.kind()) {
        (Language::Chinese, io::ErrorKind::NotFound) => text!("common-io-not-found"),
        (Language::Chinese, io::ErrorKind::PermissionDenied) => text!("common-io-denied"),
        (Language::Chinese, io::ErrorKind::AlreadyExists) => text!("common-io-exists"),
        (Language::Chinese, io::ErrorKind::IsADirectory) => text!("common-io-folder"),
        (Language::Chinese, io::ErrorKind::NotADirectory) => text!("common-io-no-folder"),
        (Language::Chinese, io::ErrorKind::ReadOnlyFilesystem) => text!("common-io-read-only"),
        (Language::Chinese, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            text!("common-io-full")
        }
        (Language::Chinese, io::ErrorKind::ConnectionRefused) => text!("common-io-refused"),
        (Language::Chinese, io::ErrorKind::TimedOut) => text!("common-io-timed-out"),
        // An error that was wrapped names a temporary file that nobody knows.
        _ => match cause.get_ref().and_then(|wrapped| wrapped.source()) {
            Some(inner) => inner.to_string(),
            None => cause.to_string(),
        },
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
        // In English the error itself is what failed; in Chinese it is the cause below a heading.
        let heading = match error.kind() {
            ErrorKind::NotFound => text!("common-failed-not-found", error),
            ErrorKind::Invalid => text!("common-failed-invalid", error),
            ErrorKind::Conflict => text!("common-failed-conflict", error),
            ErrorKind::Locked => text!("common-failed-locked", error),
            ErrorKind::Corrupt => text!("common-failed-corrupt", error),
            ErrorKind::NotADatabase => text!("common-failed-no-database", error),
            ErrorKind::TooNew => text!("common-failed-too-new", error),
            ErrorKind::TooOld => text!("common-failed-too-old", error),
            ErrorKind::ReadOnly => text!("common-failed-read-only", error),
            ErrorKind::Full => text!("common-failed-full", error),
            ErrorKind::Embedder => text!("common-failed-embedder", error),
            ErrorKind::Poisoned => text!("common-failed-poisoned", error),
            _ => text!("common-failed", error),
        };
        let advice = match error.kind() {
            ErrorKind::Corrupt => Some(text!("common-repair")),
            ErrorKind::Poisoned => Some(text!("common-poisoned")),
            _ => error.missing().and_then(whereabouts),
        };
        let failure = Self {
            advice,
            ..Self::new(exit, heading)
        };
        match error.wording().as_ref().and_then(cause) {
            Some(cause) => Self {
                causes: vec![cause],
                ..failure
            },
            None => failure.caused_by(Some(&error)),
        }
    }
}

/// What an error says, in the language of the run; `None` where its own words are in that language,
/// or nobody has put them into it.
pub(crate) fn cause(wording: &Wording) -> Option<String> {
    let wording = in_marks(wording);
    let text = annals_messages::cause(language().tag(), &wording)?;
    Some(closed_up_of(text, &wording))
}

/// Where what there is can be seen.
fn whereabouts(missing: Missing) -> Option<String> {
    let told = match missing {
        Missing::Memory => text!("common-see-memories"),
        Missing::Namespace => text!("common-see-namespaces"),
        Missing::Entity => text!("common-see-entities"),
        Missing::Triple => text!("common-see-triples"),
        Missing::Merge => text!("common-see-merges"),
        Missing::Profile => text!("common-see-profiles"),
        Missing::Language => text!("common-see-languages"),
        Missing::Kind => text!("common-see-kinds"),
        Missing::Job => text!("common-see-jobs"),
        Missing::Task => text!("common-see-queue"),
        Missing::Review => text!("common-see-reviews"),
        Missing::Proposal => text!("common-see-proposals"),
        Missing::Suspicion => text!("common-see-suspicions"),
        Missing::Decision => text!("common-see-decisions"),
        _ => return None,
    };
    Some(told)
}

impl From<annals::InvalidValue> for Failure {
    fn from(error: annals::InvalidValue) -> Self {
        let failure = Self::invalid(text!("common-failed-invalid", error));
        match cause(&error.wording()) {
            Some(cause) => Self {
                causes: vec![cause],
                ..failure
            },
            None => failure.caused_by(Some(&error)),
        }
    }
}

/// A server that does not start, with who has its address where that is another user.
fn unserved(error: &(dyn Error + 'static), address: Option<&std::net::SocketAddr>) -> Failure {
    let failure = Failure::new(Exit::Failed, text!("common-failed", error)).caused_by(Some(error));
    let by = address
        .map(|address| port::by(*address))
        .unwrap_or_default();
    if by.is_empty() {
        failure
    } else {
        failure.advice(text!("serve-token-told", by))
    }
}

impl From<&annals_clients::Error> for Failure {
    fn from(error: &annals_clients::Error) -> Self {
        use annals_clients::Error;
        let failure = match error {
            Error::Read { path, source } => return Self::file(&text!("common-read"), path, source),
            Error::Write { path, source } => {
                return Self::file(&text!("common-write"), path, source);
            }
            Error::NoProject { .. } | Error::NoHooks { .. } => Self::usage(error),
            Error::Changed { .. } | Error::Busy { .. } => Self::new(Exit::Locked, error),
            _ => Self::invalid(error),
        };
        let failure = failure.advice(error.advice());
        let line = error.line().and_then(|line| u64::try_from(line).ok());
        match error.path() {
            Some(path) => failure.at(path, line),
            None => failure,
        }
    }
}

impl From<HookError> for Failure {
    fn from(error: HookError) -> Self {
        match error {
            HookError::File {
                doing,
                path,
                source,
            } => Self::file(doing, &path, &source),
            HookError::Memory(error) => error.into(),
            HookError::Settings(error) => Self::from(&error),
            damaged @ HookError::Damaged { .. } => Self::new(Exit::Damaged, damaged),
            other => Self::new(Exit::Failed, other),
        }
    }
}

impl From<annals_mcp::ServeError> for Failure {
    fn from(error: annals_mcp::ServeError) -> Self {
        let address = match &error {
            annals_mcp::ServeError::Listen { address, .. } => Some(address),
            _ => None,
        };
        unserved(&error, address)
    }
}

impl From<annals_server::ServeError> for Failure {
    fn from(error: annals_server::ServeError) -> Self {
        if let annals_server::ServeError::BusyTokens { .. } = error {
            return Self::new(Exit::Locked, error);
        }
        let address = match &error {
            annals_server::ServeError::Listen { address, .. } => Some(address),
            _ => None,
        };
        unserved(&error, address)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let silent = error.kind() == io::ErrorKind::BrokenPipe;
        let exit = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Exit::Unwritable,
            _ => Exit::Failed,
        };
        Self {
            silent,
            ..Self::new(
                exit,
                text!("common-cannot-output", error = of_system(&error)),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_words_of_an_error_are_shown_not_sent() {
        let failure = Failure::invalid("bad tag \u{1b}[2J").advice("take the \u{202e} out");
        let text = failure.text(crate::paint::Paint::PLAIN);
        assert_eq!(
            text,
            "error: bad tag \\u{1b}[2J\n  try: take the \\u{202e} out\n"
        );
        assert_eq!(failure.json()["error"]["exit_code"], 4);
    }
}
