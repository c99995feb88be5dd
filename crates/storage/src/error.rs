//! Errors of storage. Each message says what was being done, to what, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annals_private::Refusal;

use crate::Keyspace;
use crate::hex::shown_key;

/// Why storage could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// Stored bytes are not what was written. Nothing that could be wrong is returned.
    #[error(
        "{doing}: stored data are damaged ({detail}); keep the file, and restore a backup, or save what can be \
         read into a new file with `annals db repair`"
    )]
    Corruption {
        /// The operation, and the file or key that it worked on.
        doing: String,
        /// The mismatch.
        detail: String,
    },
    /// A stored value is what was written, and not what its table says.
    #[error(
        "{keyspace}: the value of key {key} is damaged: {reason}; \
         restore a backup, or save the rest with `annals db repair`"
    )]
    Damaged {
        /// The keyspace of the table.
        keyspace: Keyspace,
        /// The first bytes of the key, in hexadecimal.
        key: String,
        /// The fault.
        reason: String,
    },
    /// The operating system refused a read or a write.
    #[error("{doing}: {source}; check the disk and the rights of the file, then try again")]
    Io {
        /// The operation, and the file that it worked on.
        doing: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// No more files can be opened by this process, or by the system. Nothing is wrong with the one
    /// that was meant.
    #[error(
        "{doing}: too many files are open ({source}); end what is not needed, or let more be open (`ulimit -n`), then \
         try again"
    )]
    TooManyFiles {
        /// The operation, and the file that it worked on.
        doing: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The disk, or the quota, is full. Earlier commits are intact.
    #[error("{doing}: no space is left ({source}); free some space, then try again")]
    DiskFull {
        /// The operation, and the file that it worked on.
        doing: String,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A write can be seen, and is not durable, because the file cannot be synced: it may be kept
    /// or be lost with the power.
    #[error(
        "{source}; it is not known whether this write is kept: look again once the file can be written"
    )]
    Unsettled {
        /// Why it is not durable.
        #[source]
        source: Box<StorageError>,
    },
    /// A write of a request was carried out before, and its answer is not known any more.
    #[error(
        "this call was carried out, at least in part, by a process that ended before it answered; \
         nothing was done twice: look at the result, and repeat what is missing as a new call"
    )]
    Repeated,
    /// A server that keeps the data refused, or could not be reached.
    #[error(
        "{doing}: {reason}; check that the server runs, and the address and the rights, then try again"
    )]
    Server {
        /// The operation, and the server that it worked on.
        doing: String,
        /// What the server says, or what is wrong with the way to it.
        reason: String,
    },
    /// A copy would be written where there is something.
    #[error("{place} is not empty; name another place to copy to")]
    NotEmpty {
        /// The file, or the server and the database.
        place: String,
    },
    /// What is copied was written to meanwhile; the copy is not used.
    #[error("{place} was written to while it was copied; end whoever writes to it, and copy again")]
    SourceChanged {
        /// The file, or the server and the database.
        place: String,
    },
    /// Another process owns the data on a server.
    #[error(
        "{place} is owned by {owner}, for {seconds} s unless it renews that or ends; end that process, or wait for it"
    )]
    Leased {
        /// The server and the database.
        place: String,
        /// The process, as it named itself.
        owner: String,
        /// How long its lease lasts unless it renews it.
        seconds: u64,
    },
    /// Another process has taken over the data on a server, or may have: this one could not renew
    /// its lease.
    #[error(
        "{place}: this process does not own it any more, and has written nothing since; open it again"
    )]
    Fenced {
        /// The server and the database.
        place: String,
    },
    /// The file or its folder does not allow writing.
    #[error(
        "{}: cannot be written ({source}); give this user the right to write the file and its folder",
        path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The folder that should hold the file does not exist.
    #[error("{}: the folder {} does not exist; create it first", path.display(), folder(path))]
    NoFolder {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file belongs to another user, who could read and change what is stored in it.
    #[error(
        "{} belongs to {owner}, who could read and change what is stored in it; use a file of your own in a folder \
         that only you can write, or allow this one with ANNALS_ALLOW_FOREIGN=1 (`Options::foreign`)",
        path.display()
    )]
    Foreign {
        /// The file, or the link that leads to it.
        path: PathBuf,
        /// The other user.
        owner: String,
    },
    /// The path leads to a folder, a device or something else that is not a file.
    #[error("{}: not a regular file; name a file", path.display())]
    NotAFile {
        /// The path asked for.
        path: PathBuf,
    },
    /// The file holds something else; it was not touched.
    #[error(
        "{}: not a database of this program ({detail}); name another file, this one was not touched",
        path.display()
    )]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// How it was noticed.
        detail: String,
    },
    /// A newer version of the program wrote the file.
    #[error(
        "{what}: format version {found} is newer than {supported}, the newest that this program knows; use \
         a newer version of the program"
    )]
    TooNew {
        /// The file, or the record inside it.
        what: String,
        /// The version found.
        found: u32,
        /// The newest version known.
        supported: u32,
    },
    /// A version of the format so old that it can no longer be migrated.
    #[error(
        "{what}: format version {found} is older than {supported}, the oldest that this program can \
         migrate; migrate it with an older version of the program first"
    )]
    TooOld {
        /// The file, or the record inside it.
        what: String,
        /// The version found.
        found: u32,
        /// The oldest version that can be migrated.
        supported: u32,
    },
    /// Another handle or process has the file open.
    #[error(
        "{}: in use by {holder}{}; close it there, or wait longer: one process at a time may write the file",
        path.display(), after(*waited)
    )]
    Locked {
        /// The file.
        path: PathBuf,
        /// The process that has it open.
        holder: Holder,
        /// How long this call waited for it.
        waited: Duration,
    },
    /// A file would be written where there is one.
    #[error("{}: there is a file already; name another one, or have it replaced", path.display())]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// The file system does not lock files: two processes would damage a database on it.
    #[error(
        "{}: the file system does not lock files ({source}); put the database on a disk of this machine",
        path.display()
    )]
    NoLocks {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The handle was opened for reading only.
    #[error("{what}: the file was opened for reading only; open it for writing")]
    OpenedReadOnly {
        /// The operation, and the thing that it worked on.
        what: String,
    },
    /// The caller broke a rule of the interface.
    #[error("{detail}")]
    Misuse {
        /// The rule, and what to do instead.
        detail: String,
    },
    /// The job given to a write panicked. Nothing of it was kept; the store goes on.
    #[error("the write was dropped because its job panicked: {message}")]
    JobPanicked {
        /// The message of the panic.
        message: String,
    },
    /// The handle or snapshot belongs to a file that was closed, or opened again after a failed
    /// read or write.
    #[error(
        "{what}: the file was closed or opened again meanwhile; take a new snapshot, or open the file again"
    )]
    Closed {
        /// The operation, and the thing that it worked on.
        what: String,
    },
    /// An earlier failure made this handle unusable.
    #[error("the store was closed to further use: {reason}; open the file again")]
    Poisoned {
        /// The failure.
        reason: String,
    },
    /// The engine gave a transaction up because of another one, several times in a row.
    #[error(
        "the write was given up by the engine {attempts} times in a row because of other writes; try again later"
    )]
    Aborted {
        /// How often it was tried.
        attempts: u32,
    },
    /// A value could not be turned into bytes, or back.
    #[error(transparent)]
    Codec(#[from] crate::codec::CodecError),
}

/// The process that has a file open.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// This very process, through another handle.
    ThisProcess,
    /// A process that could be found.
    Process {
        /// Its number.
        pid: u32,
        /// The name of its program, when it could be read.
        program: Option<String>,
    },
    /// Some process that the system does not name.
    Unknown,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ThisProcess => f.write_str("this process, through another handle"),
            Self::Process {
                pid,
                program: Some(program),
            } => write!(f, "{program} (process {pid})"),
            Self::Process { pid, program: None } => write!(f, "process {pid}"),
            Self::Unknown => f.write_str("another process"),
        }
    }
}

fn after(waited: Duration) -> String {
    if waited.is_zero() {
        String::new()
    } else {
        format!(" (waited {:.1} s)", waited.as_secs_f64())
    }
}

fn folder(path: &Path) -> String {
    path.parent()
        .map_or_else(String::new, |p| p.display().to_string())
}

impl StorageError {
    /// Whether stored bytes are damaged.
    #[must_use]
    pub fn is_corruption(&self) -> bool {
        matches!(
            self,
            Self::Corruption { .. } | Self::Damaged { .. } | Self::Codec(_)
        )
    }

    pub(crate) fn corruption(doing: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Corruption {
            doing: doing.into(),
            detail: detail.into(),
        }
    }

    /// The error for a value that its table cannot read.
    #[must_use]
    pub fn damaged(keyspace: Keyspace, key: &[u8], reason: impl Into<String>) -> Self {
        Self::Damaged {
            keyspace,
            key: shown_key(key),
            reason: reason.into(),
        }
    }

    /// The error for a value of a version that the program does not know.
    #[must_use]
    pub fn newer(keyspace: Keyspace, key: &[u8], version: u8, newest: u8) -> Self {
        let what = format!("{keyspace}: the value of key {}", shown_key(key));
        Self::TooNew {
            what,
            found: version.into(),
            supported: newest.into(),
        }
    }

    pub(crate) fn misuse(detail: impl Into<String>) -> Self {
        Self::Misuse {
            detail: detail.into(),
        }
    }

    /// Sorts an error of the operating system.
    pub(crate) fn io(doing: impl Into<String>, source: io::Error) -> Self {
        let doing = doing.into();
        match Refusal::of(&source) {
            Some(Refusal::Foreign { path, owner }) => {
                return Self::Foreign {
                    path: path.clone(),
                    owner: owner.clone(),
                };
            }
            Some(Refusal::NotAFile { path, .. }) => return Self::NotAFile { path: path.clone() },
            _ => {}
        }
        if is_too_many_files(&source) {
            return Self::TooManyFiles { doing, source };
        }
        match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::DiskFull { doing, source },
            _ => Self::Io { doing, source },
        }
    }

    /// The same error once more, for the other members of a group that failed together.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Corruption { doing, detail } => Self::Corruption {
                doing: doing.clone(),
                detail: detail.clone(),
            },
            Self::Damaged {
                keyspace,
                key,
                reason,
            } => Self::Damaged {
                keyspace: *keyspace,
                key: key.clone(),
                reason: reason.clone(),
            },
            Self::Io { doing, source } => Self::Io {
                doing: doing.clone(),
                source: io_again(source),
            },
            Self::TooManyFiles { doing, source } => Self::TooManyFiles {
                doing: doing.clone(),
                source: io_again(source),
            },
            Self::Repeated => Self::Repeated,
            Self::Unsettled { source } => Self::Unsettled {
                source: Box::new(source.again()),
            },
            Self::DiskFull { doing, source } => Self::DiskFull {
                doing: doing.clone(),
                source: io_again(source),
            },
            Self::ReadOnly { path, source } => Self::ReadOnly {
                path: path.clone(),
                source: io_again(source),
            },
            Self::NoFolder { path } => Self::NoFolder { path: path.clone() },
            Self::Foreign { path, owner } => Self::Foreign {
                path: path.clone(),
                owner: owner.clone(),
            },
            Self::NotAFile { path } => Self::NotAFile { path: path.clone() },
            Self::NotADatabase { path, detail } => Self::NotADatabase {
                path: path.clone(),
                detail: detail.clone(),
            },
            Self::TooNew {
                what,
                found,
                supported,
            } => Self::TooNew {
                what: what.clone(),
                found: *found,
                supported: *supported,
            },
            Self::TooOld {
                what,
                found,
                supported,
            } => Self::TooOld {
                what: what.clone(),
                found: *found,
                supported: *supported,
            },
            Self::Locked {
                path,
                holder,
                waited,
            } => Self::Locked {
                path: path.clone(),
                holder: holder.clone(),
                waited: *waited,
            },
            Self::FileExists { path } => Self::FileExists { path: path.clone() },
            Self::NoLocks { path, source } => Self::NoLocks {
                path: path.clone(),
                source: io_again(source),
            },
            Self::OpenedReadOnly { what } => Self::OpenedReadOnly { what: what.clone() },
            Self::Misuse { detail } => Self::Misuse {
                detail: detail.clone(),
            },
            Self::JobPanicked { message } => Self::JobPanicked {
                message: message.clone(),
            },
            Self::Closed { what } => Self::Closed { what: what.clone() },
            Self::Poisoned { reason } => Self::Poisoned {
                reason: reason.clone(),
            },
            Self::Aborted { attempts } => Self::Aborted {
                attempts: *attempts,
            },
            Self::Codec(error) => Self::Codec(error.clone()),
            Self::Server { doing, reason } => Self::Server {
                doing: doing.clone(),
                reason: reason.clone(),
            },
            Self::Leased {
                place,
                owner,
                seconds,
            } => Self::Leased {
                place: place.clone(),
                owner: owner.clone(),
                seconds: *seconds,
            },
            Self::SourceChanged { place } => Self::SourceChanged {
                place: place.clone(),
            },
            Self::NotEmpty { place } => Self::NotEmpty {
                place: place.clone(),
            },
            Self::Fenced { place } => Self::Fenced {
                place: place.clone(),
            },
        }
    }
}

/// Whether the system says that no more files can be open: the library has no kind of error for it.
fn is_too_many_files(error: &io::Error) -> bool {
    // ENFILE and EMFILE, the same numbers on all systems of Unix; ERROR_TOO_MANY_OPEN_FILES.
    let codes: &[i32] = if cfg!(windows) { &[4] } else { &[23, 24] };
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

fn io_again(source: &io::Error) -> io::Error {
    match source.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(source.kind(), source.to_string()),
    }
}

/// The text of a caught panic.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "no message".to_owned()
    }
}
