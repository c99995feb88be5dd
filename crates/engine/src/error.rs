use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::error_report::{Cause, ErrorReport};
use annals_graph::GraphError;
use annals_lifecycle::LifecycleError;
use annals_recall::RecallError;
use annals_records::RecordError;
use annals_storage::{Keyspace, StorageError};
use annals_text::{Damage, TextError};
use annals_types::profile::BadProfile;
use annals_types::{EmbedError, InvalidValue, JudgeError, NamespaceId, Wording};
use annals_vector::VectorError;

/// The longest that whoever was asked is left alone, whatever they ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// The kinds of failure that a program can tell apart in an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// A memory or namespace that was named does not exist.
    NotFound,
    /// A value, file or line that was given is not allowed.
    Invalid,
    /// The request contradicts the stored state: an id or a name is taken.
    Conflict,
    /// Stored bytes are not what was written.
    Corrupt,
    /// The operating system refused a read or a write.
    Io,
    /// Another process, or another handle, has the file open.
    Locked,
    /// The call needs a part of this process, such as a clock or a model of its own, and the file
    /// is open in another one.
    NotShared,
    /// The file was written by a newer version.
    TooNew,
    /// The file was written by a version too old to be read.
    TooOld,
    /// The file or its folder does not allow writing.
    ReadOnly,
    /// No space is left.
    Full,
    /// The file holds something else.
    NotADatabase,
    /// The embedder cannot work.
    Embedder,
    /// An earlier failure closed the handle.
    Poisoned,
    /// Anything else; a mistake in annals or in how it is called.
    Internal,
}

/// The kind of thing that was named and does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missing {
    /// A memory.
    Memory,
    /// A namespace.
    Namespace,
    /// An entity of the graph.
    Entity,
    /// A triple of the graph.
    Triple,
    /// A merge of two entities.
    Merge,
    /// A profile.
    Profile,
    /// A kind of memories in the profile: another one was named, or none where one must be. Tells
    /// of an [`Invalid`](ErrorKind::Invalid) error.
    Kind,
    /// A job of a profile.
    Job,
    /// A piece of background work.
    Task,
    /// A memory that waits for a verdict.
    Review,
    /// A proposal.
    Proposal,
    /// Two memories that may contradict each other.
    Suspicion,
    /// A decision.
    Decision,
    /// A language, or a file of its messages.
    Language,
}

/// Any failure of annals: what was being done, to what, and what can be done about it.
pub struct Error(Box<Source>);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Source {
    #[error(transparent)]
    Invalid(#[from] InvalidValue),
    #[error(transparent)]
    Profile(#[from] BadProfile),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Text(#[from] TextError),
    #[error(transparent)]
    Vector(#[from] VectorError),
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Recall(#[from] RecallError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("line {line}: {reason}")]
    BadLine {
        line: u64,
        reason: String,
        wording: Option<Wording>,
    },
    #[error("{reason}")]
    BadInput {
        reason: String,
        wording: Option<Wording>,
    },
    #[error("{reason}")]
    Missing { what: Missing, reason: String },
    #[error("{reason}")]
    Taken { reason: String },
    #[error(
        "a value of {keyspace} is damaged: {reason}; restore a backup, or save what can be read with `annals db repair`"
    )]
    Damaged { keyspace: Keyspace, reason: String },
    #[error("namespace number {} has another profile by now", namespace.0)]
    Left { namespace: NamespaceId },
    #[error("{doing}: {source}")]
    Io {
        doing: String,
        source: std::io::Error,
    },
    #[error("{reason}")]
    Judge {
        reason: String,
        /// The same without what was answered.
        logged: String,
        /// Asking the same again would bring the same.
        lasting: bool,
        /// No judge or model is available.
        away: bool,
        /// The pause that the judge or model asked for.
        wait: Option<Duration>,
    },
    #[error("{reason}")]
    Internal { reason: String },
    /// An error of another process.
    #[error("{text}")]
    Reported {
        report: ErrorReport,
        text: String,
        source: Option<Box<Cause>>,
    },
    #[error("{source}")]
    Other {
        kind: ErrorKind,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// An error of a crate or an extension above the engine, which callers tell apart by its kind.
    pub fn other(
        kind: ErrorKind,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Source::Other {
            kind,
            source: source.into(),
        }
        .into()
    }

    #[doc(hidden)]
    pub fn bad_line(line: u64, reason: impl fmt::Display) -> Self {
        Self::bad_line_worded(line, reason, None)
    }

    /// As [`bad_line`](Self::bad_line), with what the reason says apart from its words.
    #[doc(hidden)]
    pub fn bad_line_worded(line: u64, reason: impl fmt::Display, wording: Option<Wording>) -> Self {
        Source::BadLine {
            line,
            reason: reason.to_string(),
            wording,
        }
        .into()
    }

    /// A profile that cannot be used, and the line where it says so, if it does.
    pub(crate) fn bad_profile(
        line: Option<usize>,
        reason: impl fmt::Display,
        mut wording: Wording,
    ) -> Self {
        let Some(line) = line else {
            return Self::bad_input_worded(reason.to_string(), Some(wording));
        };
        wording.places.insert("line".to_owned(), line.to_string());
        Self::bad_input_worded(format!("line {line}: {reason}"), Some(wording))
    }

    #[doc(hidden)]
    pub fn bad_input(reason: impl Into<String>) -> Self {
        Self::bad_input_worded(reason, None)
    }

    /// As [`bad_input`](Self::bad_input), with what the reason says apart from its words.
    #[doc(hidden)]
    pub fn bad_input_worded(reason: impl Into<String>, wording: Option<Wording>) -> Self {
        Source::BadInput {
            reason: reason.into(),
            wording,
        }
        .into()
    }

    #[doc(hidden)]
    pub fn name_taken(reason: impl Into<String>) -> Self {
        Source::Taken {
            reason: reason.into(),
        }
        .into()
    }

    #[doc(hidden)]
    pub fn internal(reason: impl Into<String>) -> Self {
        Source::Internal {
            reason: reason.into(),
        }
        .into()
    }

    /// A stored value that passed its checksum and is none of those that are written.
    pub(crate) fn damaged(keyspace: Keyspace, reason: impl fmt::Display) -> Self {
        Source::Damaged {
            keyspace,
            reason: reason.to_string(),
        }
        .into()
    }

    /// A namespace that has another profile than the one by which work is done.
    #[doc(hidden)]
    pub fn left(namespace: NamespaceId) -> Self {
        Source::Left { namespace }.into()
    }

    /// Whether work by the rules of a profile has ended for a namespace: it was deleted, or has
    /// another profile.
    #[doc(hidden)]
    pub fn has_left(&self) -> bool {
        matches!(&*self.0, Source::Left { .. }) || self.is_gone()
    }

    /// Whether a namespace was deleted while something was done for it.
    #[doc(hidden)]
    pub fn is_gone(&self) -> bool {
        matches!(&*self.0, Source::Record(RecordError::NamespaceGone { .. }))
    }

    /// Something that was named and does not exist.
    #[doc(hidden)]
    pub fn not_found(what: Missing, reason: impl Into<String>) -> Self {
        Source::Missing {
            what,
            reason: reason.into(),
        }
        .into()
    }

    /// A judge that has no answer.
    #[doc(hidden)]
    pub fn judge(error: &JudgeError) -> Self {
        let cause =
            std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
        let lasting = matches!(
            error,
            JudgeError::BadAnswer { .. } | JudgeError::Refused { .. }
        );
        let (away, wait) = match error {
            JudgeError::Unavailable { wait, .. } => (true, *wait),
            _ => (false, None),
        };
        let (reason, logged) = (format!("{error}{cause}"), error.without_answer());
        Source::Judge {
            reason,
            logged,
            lasting,
            away,
            wait,
        }
        .into()
    }

    /// The text that a log may show: no part of an answer, and no part of a refused text.
    #[doc(hidden)]
    pub fn logged(&self) -> String {
        match &*self.0 {
            Source::Judge { logged, .. } => logged.clone(),
            _ if self.is_invalid() || self.is_conflict() => format!("{:?}", self.kind()),
            _ => self.to_string(),
        }
    }

    /// Whether somebody answered, and would answer the same if asked again.
    pub(crate) fn is_lasting(&self) -> bool {
        matches!(&*self.0, Source::Judge { lasting: true, .. })
    }

    /// Whether nobody was there who could be asked, whatever the question.
    #[doc(hidden)]
    pub fn is_away(&self) -> bool {
        match &*self.0 {
            Source::Judge { away, .. } => *away,
            Source::Reported { report, .. } => report.away,
            _ => false,
        }
    }

    /// How long whoever was asked wants to be left alone, in milliseconds, at most a day.
    pub(crate) fn wait_millis(&self) -> i64 {
        match &*self.0 {
            Source::Judge {
                wait: Some(wait), ..
            } => i64::try_from((*wait).min(LONGEST_WAIT).as_millis()).unwrap_or(i64::MAX),
            _ => 0,
        }
    }

    pub(crate) fn is_judge(&self) -> bool {
        matches!(&*self.0, Source::Judge { .. })
    }

    pub(crate) fn is_no_review(&self) -> bool {
        matches!(&*self.0, Source::Lifecycle(LifecycleError::NoReview { .. }))
    }

    /// A handle that an earlier failure closed.
    pub(crate) fn poisoned(reason: &str) -> Self {
        StorageError::Poisoned {
            reason: reason.to_owned(),
        }
        .into()
    }

    /// Whether index and snapshot were taken at different moments: take both again.
    pub(crate) fn is_outdated(&self) -> bool {
        matches!(&*self.0, Source::Recall(error) if error.is_outdated())
    }

    /// Whether only derived text data are damaged: they can be dropped and derived again.
    pub(crate) fn is_derived_damage(&self) -> bool {
        let damaged = |error: &TextError| matches!(error, TextError::DamagedSegment { .. });
        match &*self.0 {
            Source::Recall(RecallError::Text(error)) | Source::Text(error) => damaged(error),
            _ => false,
        }
    }

    #[doc(hidden)]
    pub fn io(doing: impl Into<String>, source: std::io::Error) -> Self {
        Source::Io {
            doing: doing.into(),
            source,
        }
        .into()
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    /// Whether a memory or namespace that was named does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::NotFound
    }

    /// The kind of thing that does not exist, where a file of annals can hold it.
    #[must_use]
    pub fn missing(&self) -> Option<Missing> {
        self.0.missing()
    }

    /// What it says, apart from its words, where a program can say it in another language.
    #[must_use]
    pub fn wording(&self) -> Option<Wording> {
        crate::error_wording::wording(&self.0)
    }

    /// Whether something that was given is not allowed.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.kind() == ErrorKind::Invalid
    }

    /// Whether what was asked contradicts what is stored.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.kind() == ErrorKind::Conflict
    }

    /// Whether stored bytes are damaged.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        self.kind() == ErrorKind::Corrupt
    }

    /// Whether a stored value cannot be understood: it is damaged, or of a newer program.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self.kind(), ErrorKind::Corrupt | ErrorKind::TooNew)
    }

    /// Whether the operating system refused a read or a write.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::Io | ErrorKind::ReadOnly | ErrorKind::Full
        )
    }

    /// Whether the file is open elsewhere.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.kind() == ErrorKind::Locked
    }

    /// Whether the embedder cannot work.
    #[must_use]
    pub fn is_embedder(&self) -> bool {
        self.kind() == ErrorKind::Embedder
    }

    /// The line of an import at which it stopped, counted from 1.
    #[must_use]
    pub fn import_line(&self) -> Option<u64> {
        match &*self.0 {
            Source::BadLine { line, .. } => Some(*line),
            Source::Reported { report, .. } => report.line,
            _ => None,
        }
    }
}

impl Source {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid(_) | Self::Profile(_) | Self::BadLine { .. } | Self::BadInput { .. } => {
                ErrorKind::Invalid
            }
            Self::Storage(error) => storage_kind(error),
            Self::Record(error) => record_kind(error),
            Self::Lifecycle(error) => lifecycle_kind(error),
            Self::Graph(error) => graph_kind(error),
            Self::Text(error) => text_kind(error),
            Self::Damaged { .. } => ErrorKind::Corrupt,
            Self::Vector(error) => vector_kind(error),
            Self::Embed(_) => ErrorKind::Embedder,
            Self::Recall(error) => recall_kind(error),
            Self::Io { source, .. } => io_kind(source),
            Self::Missing { .. } => ErrorKind::NotFound,
            Self::Refused(refusal) => refusal.kind(),
            Self::Taken { .. } | Self::Left { .. } => ErrorKind::Conflict,
            Self::Judge { .. } | Self::Internal { .. } => ErrorKind::Internal,
            Self::Reported { report, .. } => report.kind,
            Self::Other { kind, .. } => *kind,
        }
    }

    fn missing(&self) -> Option<Missing> {
        match self {
            Self::Missing { what, .. } => Some(*what),
            Self::Refused(refusal) => refusal.missing(),
            Self::Reported { report, .. } => report.missing,
            Self::Record(RecordError::NoNamespace { .. } | RecordError::NamespaceGone { .. }) => {
                Some(Missing::Namespace)
            }
            Self::Record(RecordError::NotFound { .. } | RecordError::NoOrigin { .. }) => {
                Some(Missing::Memory)
            }
            Self::Graph(GraphError::NoEntity { .. }) => Some(Missing::Entity),
            Self::Graph(GraphError::NoTriple { .. }) => Some(Missing::Triple),
            Self::Graph(GraphError::NoMerge { .. }) => Some(Missing::Merge),
            Self::Lifecycle(LifecycleError::UnknownKind { .. } | LifecycleError::NoKind { .. }) => {
                Some(Missing::Kind)
            }
            Self::Lifecycle(LifecycleError::NoJob { .. }) => Some(Missing::Job),
            Self::Lifecycle(LifecycleError::NoTask { .. }) => Some(Missing::Task),
            Self::Lifecycle(LifecycleError::NoReview { .. }) => Some(Missing::Review),
            _ => None,
        }
    }
}

fn io_kind(error: &std::io::Error) -> ErrorKind {
    match error.kind() {
        std::io::ErrorKind::NotFound => ErrorKind::NotFound,
        std::io::ErrorKind::StorageFull
        | std::io::ErrorKind::QuotaExceeded
        | std::io::ErrorKind::FileTooLarge => ErrorKind::Full,
        std::io::ErrorKind::PermissionDenied => ErrorKind::ReadOnly,
        _ => ErrorKind::Io,
    }
}

fn storage_kind(error: &StorageError) -> ErrorKind {
    match error {
        StorageError::Corruption { .. } | StorageError::Damaged { .. } | StorageError::Codec(_) => {
            ErrorKind::Corrupt
        }
        StorageError::Io { .. }
        | StorageError::TooManyFiles { .. }
        | StorageError::Server { .. } => ErrorKind::Io,
        StorageError::Unsettled { source } => storage_kind(source),
        StorageError::Repeated | StorageError::SourceChanged { .. } => ErrorKind::Conflict,
        StorageError::DiskFull { .. } => ErrorKind::Full,
        StorageError::ReadOnly { .. }
        | StorageError::OpenedReadOnly { .. }
        | StorageError::Foreign { .. } => ErrorKind::ReadOnly,
        StorageError::NoFolder { .. } => ErrorKind::NotFound,
        StorageError::NotAFile { .. }
        | StorageError::FileExists { .. }
        | StorageError::NotEmpty { .. } => ErrorKind::Invalid,
        StorageError::NoLocks { .. } => ErrorKind::Io,
        StorageError::NotADatabase { .. } => ErrorKind::NotADatabase,
        StorageError::TooNew { .. } => ErrorKind::TooNew,
        StorageError::TooOld { .. } => ErrorKind::TooOld,
        StorageError::Locked { .. } | StorageError::Leased { .. } | StorageError::Fenced { .. } => {
            ErrorKind::Locked
        }
        StorageError::Poisoned { .. } => ErrorKind::Poisoned,
        _ => ErrorKind::Internal,
    }
}

fn record_kind(error: &RecordError) -> ErrorKind {
    match error {
        RecordError::Storage(error) => storage_kind(error),
        RecordError::NoNamespace { .. }
        | RecordError::NamespaceGone { .. }
        | RecordError::NotFound { .. }
        | RecordError::NoOrigin { .. } => ErrorKind::NotFound,
        RecordError::NamespaceExists { .. }
        | RecordError::IdTaken { .. }
        | RecordError::PositionTaken { .. }
        | RecordError::Superseded { .. } => ErrorKind::Conflict,
        RecordError::Invalid { .. }
        | RecordError::BadChronicle { .. }
        | RecordError::OwnOrigin { .. } => ErrorKind::Invalid,
        RecordError::Full { .. } => ErrorKind::Full,
        _ => ErrorKind::Internal,
    }
}

fn lifecycle_kind(error: &LifecycleError) -> ErrorKind {
    match error {
        LifecycleError::Storage(error) => storage_kind(error),
        LifecycleError::BadProfile(_)
        | LifecycleError::UnknownZone { .. }
        | LifecycleError::TooManyClasses { .. }
        | LifecycleError::UnknownKind { .. }
        | LifecycleError::NoKind { .. }
        | LifecycleError::UnknownSource { .. }
        | LifecycleError::UnknownClass { .. } => ErrorKind::Invalid,
        LifecycleError::NoJob { .. }
        | LifecycleError::NoTask { .. }
        | LifecycleError::NoReview { .. } => ErrorKind::NotFound,
        LifecycleError::Stale { .. }
        | LifecycleError::ClaimLost { .. }
        | LifecycleError::Claimed { .. } => ErrorKind::Conflict,
        _ => ErrorKind::Internal,
    }
}

fn graph_kind(error: &GraphError) -> ErrorKind {
    match error {
        GraphError::Storage(error) => storage_kind(error),
        GraphError::Caller { source } => caller_kind(source.as_ref()),
        GraphError::NoEntity { .. }
        | GraphError::NoTriple { .. }
        | GraphError::NoRow { .. }
        | GraphError::NoMerge { .. }
        | GraphError::NoMemory { .. } => ErrorKind::NotFound,
        GraphError::Taken { .. } => ErrorKind::Conflict,
        GraphError::Full { .. } => ErrorKind::Full,
        GraphError::Export { source } => io_kind(source),
        _ => ErrorKind::Invalid,
    }
}

/// The kind of an error that a function of this layer returned to the graph.
fn caller_kind(source: &(dyn std::error::Error + 'static)) -> ErrorKind {
    let record = source.downcast_ref().map(record_kind);
    record
        .or_else(|| source.downcast_ref().map(Error::kind))
        .unwrap_or(ErrorKind::Internal)
}

fn text_kind(error: &TextError) -> ErrorKind {
    match error {
        TextError::Storage(error) => storage_kind(error),
        TextError::DamagedForward {
            damage: Damage::Version,
            ..
        } => ErrorKind::TooNew,
        TextError::DamagedForward { .. } | TextError::DamagedSegment { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Internal,
    }
}

fn vector_kind(error: &VectorError) -> ErrorKind {
    match error {
        VectorError::Storage(error) => storage_kind(error),
        VectorError::Damaged { .. } => ErrorKind::Corrupt,
        VectorError::TooNew { .. } => ErrorKind::TooNew,
        VectorError::WrongLength { .. }
        | VectorError::NotFinite { .. }
        | VectorError::Zero
        | VectorError::BadDims { .. } => ErrorKind::Embedder,
        _ => ErrorKind::Internal,
    }
}

fn recall_kind(error: &RecallError) -> ErrorKind {
    match error {
        RecallError::Invalid(_) => ErrorKind::Invalid,
        RecallError::Record(error) => record_kind(error),
        RecallError::Text(error) => text_kind(error),
        RecallError::Vector(error) => vector_kind(error),
        RecallError::Graph(error) => graph_kind(error),
        _ => ErrorKind::Internal,
    }
}

macro_rules! from {
    ($($source:ty),+) => {
        $(impl From<$source> for Error {
            fn from(source: $source) -> Self {
                Source::from(source).into()
            }
        })+
    };
}

from!(
    InvalidValue,
    BadProfile,
    StorageError,
    RecordError,
    LifecycleError,
    GraphError,
    TextError,
    VectorError,
    EmbedError,
    RecallError,
    Refusal
);

impl From<ErrorReport> for Error {
    fn from(report: ErrorReport) -> Self {
        let text = report.texts.first().cloned().unwrap_or_default();
        let source = Cause::chain(report.texts.get(1..).unwrap_or_default());
        Source::Reported {
            report,
            text,
            source,
        }
        .into()
    }
}

impl From<Source> for Error {
    fn from(source: Source) -> Self {
        Self(Box::new(source))
    }
}

impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("message", &self.to_string())
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_pointer_and_crosses_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }

    #[test]
    fn it_tells_its_kind_and_its_line() {
        let error = Error::from(InvalidValue::Empty { field: "text" });
        assert_eq!(
            error.to_string(),
            "text is empty; give at least one visible character"
        );
        assert!(error.is_invalid() && !error.is_corrupt());
        assert_eq!(Error::bad_line(7, "no JSON").import_line(), Some(7));
    }

    #[test]
    fn what_a_layer_below_met_keeps_its_kind() {
        let full = || StorageError::DiskFull {
            doing: "write".to_owned(),
            source: std::io::Error::from(std::io::ErrorKind::StorageFull),
        };
        let newer = VectorError::TooNew {
            what: "vector",
            version: 9,
        };
        let damaged = VectorError::Damaged {
            what: "vector",
            detail: "short".to_owned(),
        };
        let caller = |source| GraphError::Caller { source };
        let kinds = [
            (Error::from(VectorError::Storage(full())), ErrorKind::Full),
            (Error::from(newer), ErrorKind::TooNew),
            (Error::from(damaged), ErrorKind::Corrupt),
            (
                Error::from(RecallError::Vector(full().into())),
                ErrorKind::Full,
            ),
            (
                Error::from(RecallError::Text(full().into())),
                ErrorKind::Full,
            ),
            (
                Error::from(caller(Box::new(RecordError::from(full())))),
                ErrorKind::Full,
            ),
            (
                Error::from(caller(Box::new(Error::from(full())))),
                ErrorKind::Full,
            ),
        ];
        for (error, kind) in kinds {
            assert_eq!(error.kind(), kind, "{error}");
        }
        assert!(Error::from(VectorError::Storage(full())).is_io());
    }
}
