//! The state of a session between two hooks: which memories were shown, and how far its
//! transcript was read. The texts of neither.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use annals::{Injection, MemoryId};
use annals_clients::HeldFile;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Call, HookError, Hooks};

/// Sessions that were not heard of for so long are forgotten.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);

/// Prompts that wait to be noted, at most: where no hook ever keeps anything, the file stays small.
const UNNOTED: usize = 50;

/// The memories that a session was shown since its last compaction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ShownInSession {
    /// The host and the session, for people.
    pub(crate) host: String,
    pub(crate) session: String,
    pub(crate) project: String,
    pub(crate) memories: Vec<ShownMemory>,
    /// Whether it was compacted: its own earlier turns are no longer before the model.
    pub(crate) compacted: bool,
    /// What was put into prompts and is not noted in the database yet, with the namespaces: only
    /// hooks that keep something write to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unnoted: Vec<(String, Injection)>,
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

impl ShownInSession {
    /// Forgets what was shown before, which is not before the model any more.
    pub(crate) fn begin_anew(&mut self, before: &Self) {
        self.memories.retain(|memory| !before.contains(memory));
        self.compacted = true;
    }

    /// Adds memories that were shown now.
    pub(crate) fn extend(&mut self, shown: impl IntoIterator<Item = ShownMemory>) {
        for memory in shown {
            if !self.contains(&memory) {
                self.memories.push(memory);
            }
        }
    }

    /// Takes note that answers repeated memories; answers those that none had repeated before.
    pub(crate) fn mark_used(&mut self, repeated: Vec<ShownMemory>) -> Vec<ShownMemory> {
        let mut first = Vec::new();
        for memory in repeated {
            let own = self
                .memories
                .iter_mut()
                .find(|own| own.is(&memory) && !own.used);
            if let Some(own) = own {
                own.used = true;
                first.push(memory);
            }
        }
        first
    }

    /// Remembers what was put into a prompt until a hook may write it down.
    pub(crate) fn put_into_prompt(&mut self, injections: Vec<(String, Injection)>) {
        self.unnoted.extend(injections);
        let too_many = self.unnoted.len().saturating_sub(UNNOTED);
        self.unnoted.drain(..too_many);
    }

    fn contains(&self, memory: &ShownMemory) -> bool {
        self.memories.iter().any(|own| own.is(memory))
    }
}

impl ShownMemory {
    fn is(&self, other: &Self) -> bool {
        self.id == other.id && self.namespace == other.namespace
    }
}

impl Hooks {
    pub(crate) fn shown(&self, call: &Call) -> Result<ShownInSession, HookError> {
        Ok(read_json(&self.session_file(call, "shown"))?.unwrap_or_default())
    }

    /// Changes what is noted of shown memories. No other hook of the session changes it meanwhile.
    pub(crate) fn change_shown<T>(
        &self,
        call: &Call,
        change: impl FnOnce(&mut ShownInSession) -> T,
    ) -> Result<T, HookError> {
        change_json(&self.session_file(call, "shown"), change)
    }

    pub(crate) fn cursor(&self, call: &Call) -> Result<Cursor, HookError> {
        Ok(read_json(&self.session_file(call, "cursor"))?.unwrap_or_default())
    }

    /// Moves the cursor of a session on from where it was when a hook began to read. Where another
    /// hook has come further in the same transcript meanwhile, its cursor stays.
    pub(crate) fn move_cursor(
        &self,
        call: &Call,
        began: &Cursor,
        reached: &Cursor,
    ) -> Result<(), HookError> {
        change_json(&self.session_file(call, "cursor"), |kept: &mut Cursor| {
            let stored = reached.stored || kept.stored;
            let went_on = kept != began && kept.transcript == reached.transcript;
            if !went_on || kept.bytes < reached.bytes {
                kept.clone_from(reached);
            }
            if went_on {
                kept.stored = stored;
            }
        })
    }

    /// The session of a project that was last shown something, by any host.
    ///
    /// # Errors
    /// [`HookError::File`] when a file cannot be read.
    pub fn latest_session(&self, namespace: &str) -> Result<Option<String>, HookError> {
        let mut latest: Option<(SystemTime, String)> = None;
        for (path, changed) in self.session_files() {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !name.ends_with(".shown.json")
                || latest.as_ref().is_some_and(|(time, _)| *time >= changed)
            {
                continue;
            }
            if let Some(shown) =
                read_json::<ShownInSession>(&path)?.filter(|shown| shown.project == namespace)
            {
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
        let Ok(entries) = fs::read_dir(self.folder.join("sessions")) else {
            return Vec::new();
        };
        let file =
            |entry: fs::DirEntry| Some((entry.path(), entry.metadata().ok()?.modified().ok()?));
        entries.filter_map(Result::ok).filter_map(file).collect()
    }

    /// The name of a session may be anything; a file is called by its number.
    fn session_file(&self, call: &Call, what: &str) -> PathBuf {
        let bytes = call
            .host
            .name()
            .bytes()
            .chain([0])
            .chain(call.session.bytes());
        let number = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        self.folder
            .join("sessions")
            .join(format!("{number:016x}.{what}.json"))
    }
}

/// Reads a file; `None` where there is none, and where it is damaged: all of it can be made again.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, HookError> {
    match fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        read => Ok(serde_json::from_slice(&read.map_err(HookError::file("read", path))?).ok()),
    }
}

/// Changes a file in one step, under a lock: two hooks may come at once, and neither loses what the
/// other one writes. The state is made again where the power takes it, so the disk is not waited
/// for.
fn change_json<V, T>(path: &Path, change: impl FnOnce(&mut V) -> T) -> Result<T, HookError>
where
    V: Default + Serialize + DeserializeOwned,
{
    let held = hold(path)?;
    let mut value: V = held
        .bytes()
        .and_then(|bytes| serde_json::from_slice(bytes).ok())
        .unwrap_or_default();
    let answer = change(&mut value);
    let text = serde_json::to_vec(&value).map_err(|error| HookError::Input(error.to_string()))?;
    replace(path, &text)?;
    Ok(answer)
}

/// Holds a file for a change, in a folder that nobody else may look into.
pub(crate) fn hold(path: &Path) -> Result<HeldFile, HookError> {
    make_folder(path.parent().unwrap_or(Path::new("")))?;
    Ok(HeldFile::hold(path)?)
}

pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), HookError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    make_folder(folder)?;
    let mut file =
        tempfile::NamedTempFile::new_in(folder).map_err(HookError::file("write", path))?;
    file.write_all(bytes)
        .map_err(HookError::file("write", path))?;
    file.persist(path)
        .map_err(|error| HookError::file("write", path)(error.error))?;
    Ok(())
}

/// Makes a folder that nobody else may look into.
pub(crate) fn make_folder(folder: &Path) -> Result<(), HookError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(HookError::file("make", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call::read("codex", "Stop", br#"{"session_id":"s"}"#).unwrap()
    }

    fn memory(number: u8) -> ShownMemory {
        ShownMemory {
            namespace: "p".to_owned(),
            id: MemoryId::from_bytes([number; 16]),
            used: false,
        }
    }

    #[test]
    fn hooks_of_a_session_that_come_at_once_lose_nothing_of_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Hooks::beside(&folder.path().join("a.annals"));
        let together = std::sync::Barrier::new(32);
        std::thread::scope(|scope| {
            for number in 0..32 {
                let (hooks, together) = (&hooks, &together);
                scope.spawn(move || {
                    together.wait();
                    hooks
                        .change_shown(&call(), |shown| shown.extend([memory(number), memory(100)]))
                        .unwrap();
                });
            }
        });
        let mut numbers: Vec<MemoryId> = hooks
            .shown(&call())
            .unwrap()
            .memories
            .iter()
            .map(|one| one.id)
            .collect();
        numbers.sort();
        assert_eq!(
            numbers,
            (0..32)
                .chain([100])
                .map(|number| memory(number).id)
                .collect::<Vec<_>>()
        );
        let used = hooks
            .change_shown(&call(), |shown| {
                shown.mark_used(vec![memory(1), memory(1), memory(99)])
            })
            .unwrap();
        assert_eq!(used, [memory(1)]);
        assert!(
            hooks
                .change_shown(&call(), |shown| shown.mark_used(vec![memory(1)]))
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn a_compaction_forgets_what_was_shown_before_it_began() {
        let before = ShownInSession {
            memories: vec![memory(1)],
            ..ShownInSession::default()
        };
        let mut shown = ShownInSession {
            memories: vec![memory(1), memory(2)],
            ..ShownInSession::default()
        };
        shown.begin_anew(&before);
        assert_eq!((shown.memories, shown.compacted), (vec![memory(2)], true));
    }

    #[test]
    fn a_cursor_never_goes_back_behind_another_hook() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Hooks::beside(&folder.path().join("a.annals"));
        let at = |bytes| Cursor {
            transcript: "/t".into(),
            bytes,
            ..Cursor::default()
        };
        hooks
            .move_cursor(
                &call(),
                &Cursor::default(),
                &Cursor {
                    stored: true,
                    ..at(50)
                },
            )
            .unwrap();
        hooks
            .move_cursor(&call(), &Cursor::default(), &at(20))
            .unwrap();
        assert_eq!(
            hooks.cursor(&call()).unwrap(),
            Cursor {
                stored: true,
                ..at(50)
            }
        );
        // The transcript was written anew, and no other hook came meanwhile.
        let began = hooks.cursor(&call()).unwrap();
        hooks.move_cursor(&call(), &began, &at(10)).unwrap();
        assert_eq!(hooks.cursor(&call()).unwrap(), at(10));
        let other = Cursor {
            transcript: "/u".into(),
            ..at(5)
        };
        hooks.move_cursor(&call(), &began, &other).unwrap();
        assert_eq!(hooks.cursor(&call()).unwrap(), other);
    }
}
