//! The state of a session between two hooks: which memories were shown, and how far its
//! transcript was read. The texts of neither.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use annals::MemoryId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Call, HookError, Hooks};

/// Sessions that were not heard of for so long are forgotten.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);

/// The memories that a session was shown since its last compaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ShownInSession {
    /// The host and the session, for people.
    pub(crate) host: String,
    pub(crate) session: String,
    pub(crate) project: String,
    pub(crate) memories: Vec<ShownMemory>,
    /// Whether it was compacted: its own earlier turns are no longer before the model.
    pub(crate) compacted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShownMemory {
    pub(crate) namespace: String,
    pub(crate) id: MemoryId,
    /// Whether an answer repeated it, which counts once.
    #[serde(default)]
    pub(crate) used: bool,
}

/// How far a transcript was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Cursor {
    pub(crate) transcript: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// The last message that was read.
    pub(crate) message: Option<String>,
    /// Whether a turn was stored: where the database has none, it is another one.
    pub(crate) stored: bool,
}

impl Hooks {
    pub(crate) fn shown(&self, call: &Call) -> Result<ShownInSession, HookError> {
        Ok(read_json(&self.session_file(call, "shown"))?.unwrap_or_default())
    }

    pub(crate) fn set_shown(&self, call: &Call, shown: &ShownInSession) -> Result<(), HookError> {
        write_json(&self.session_file(call, "shown"), shown)
    }

    pub(crate) fn cursor(&self, call: &Call) -> Result<Cursor, HookError> {
        Ok(read_json(&self.session_file(call, "cursor"))?.unwrap_or_default())
    }

    pub(crate) fn set_cursor(&self, call: &Call, cursor: &Cursor) -> Result<(), HookError> {
        write_json(&self.session_file(call, "cursor"), cursor)
    }

    /// The session of a project that was last shown something, by any host.
    ///
    /// # Errors
    /// [`HookError::File`] when a file cannot be read.
    pub fn latest_session(&self, namespace: &str) -> Result<Option<String>, HookError> {
        let mut latest: Option<(SystemTime, String)> = None;
        for (path, changed) in self.session_files() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.ends_with(".shown.json") || latest.as_ref().is_some_and(|(time, _)| *time >= changed) {
                continue;
            }
            if let Some(shown) = read_json::<ShownInSession>(&path)?.filter(|shown| shown.project == namespace) {
                latest = Some((changed, shown.session));
            }
        }
        Ok(latest.map(|(_, session)| session))
    }

    /// Forgets sessions that were not heard of for long. A file that cannot be removed stays for
    /// the next time.
    pub(crate) fn forget_old_sessions(&self) {
        let now = SystemTime::now();
        for (path, changed) in self.session_files() {
            if now.duration_since(changed).is_ok_and(|age| age > KEPT) {
                let _removed = fs::remove_file(path);
            }
        }
    }

    fn session_files(&self) -> Vec<(PathBuf, SystemTime)> {
        let Ok(entries) = fs::read_dir(self.folder.join("sessions")) else { return Vec::new() };
        let file = |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?.modified().ok()?));
        entries.filter_map(Result::ok).filter_map(file).collect()
    }

    /// The name of a session may be anything; a file is called by its number.
    fn session_file(&self, call: &Call, what: &str) -> PathBuf {
        let bytes = call.host.name().bytes().chain([0]).chain(call.session.bytes());
        let number = bytes
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        self.folder.join("sessions").join(format!("{number:016x}.{what}.json"))
    }
}

/// Reads a file; `None` where there is none, and where it is damaged: all of it can be made again.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, HookError> {
    match fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => Ok(serde_json::from_slice(&read.map_err(HookError::file("read", path))?).ok()),
    }
}

/// Replaces a file in one step.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), HookError> {
    let text = serde_json::to_vec(value).map_err(|error| HookError::Input(error.to_string()))?;
    replace(path, &text)
}

pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), HookError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    make_folder(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(HookError::file("write", path))?;
    file.write_all(bytes).map_err(HookError::file("write", path))?;
    file.persist(path).map_err(|error| HookError::file("write", path)(error.error))?;
    Ok(())
}

/// Makes a folder that nobody else may look into.
pub(crate) fn make_folder(folder: &Path) -> Result<(), HookError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(HookError::file("make", folder))
}
