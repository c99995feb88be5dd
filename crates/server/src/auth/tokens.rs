//! Tokens of programs, kept as hashes in a file beside the database, for its user alone.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use annals::Timestamp;
use annals_private::OpenOwn;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::{Digest, Grant, Secret};
use crate::ServeError;

/// What a token begins with, so that people and scanners know what it is.
const PREFIX: &str = "annals_";

/// The tokens of a database at once.
const MOST: usize = 1000;

/// A file that is longer holds something else.
const LONGEST: u64 = 4 << 20;

const NAME_CHARS: usize = 100;

/// How long others that change tokens are waited for. Each of them writes one small file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause between two looks at the lock.
const PAUSE: Duration = Duration::from_millis(5);

/// A token to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// What it is for, in the words of whoever made it.
    pub name: String,
    /// What its holder may do.
    pub grant: Grant,
    /// When it ends; never without one.
    pub expires_at: Option<Timestamp>,
}

/// A token as it is listed: all but the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TokenInfo {
    /// The name by which it is revoked: 8 hexadecimal digits.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// What its holder may do.
    #[serde(flatten)]
    pub grant: Grant,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl TokenInfo {
    /// Whether it still lets anybody in.
    #[must_use]
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }
}

/// For how long a link can be used, in milliseconds.
const LINK_MILLIS: i64 = 10 * 60 * 1000;

/// Links at once; the oldest make room.
const MOST_LINKS: usize = 16;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    #[serde(flatten)]
    info: TokenInfo,
    sha256: Digest,
}

/// A link that lets one browser in, once.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Link {
    sha256: Digest,
    expires_at: Timestamp,
}

/// The form of the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    tokens: Vec<Record>,
    links: Vec<Link>,
}

impl Default for Stored {
    fn default() -> Self {
        Self {
            version: VERSION,
            tokens: Vec::new(),
            links: Vec::new(),
        }
    }
}

const VERSION: u32 = 1;

/// The tokens of a database. A server sees at once what another process makes or revokes.
#[derive(Debug)]
pub struct TokenStore {
    place: Place,
    wait: Duration,
    read: Mutex<Option<(Stamp, Arc<Stored>)>>,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Memory(Mutex<Stored>),
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    number: u64,
}

impl TokenStore {
    /// The tokens of a database, in the file beside it.
    #[must_use]
    pub fn beside(database: &Path) -> Self {
        Self::at(Place::File(annals::storage::beside(database, ".tokens")))
    }

    /// Tokens that end with this process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::at(Place::Memory(Mutex::default()))
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            wait: PATIENCE,
            read: Mutex::default(),
        }
    }

    /// Waits no longer than this for another process that changes tokens; 10 seconds by default.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Makes a token, and answers it once: only its hash is kept.
    ///
    /// # Errors
    /// [`ServeError::BadToken`] for one without a name or a right; when the file cannot be written.
    pub fn create(&self, new: NewToken, now: Timestamp) -> Result<(TokenInfo, String), ServeError> {
        let refused = |why: &str| Err(ServeError::BadToken(why.to_owned()));
        let name = new.name.trim().to_owned();
        if name.is_empty()
            || name.chars().count() > NAME_CHARS
            || name.chars().any(char::is_control)
        {
            return refused(
                "a token has a name of 1 to 100 characters, none of them a control character",
            );
        }
        if new.grant.rights.is_empty() || new.grant.namespaces.is_empty() {
            return refused("a token has at least one right and one namespace");
        }
        if new.expires_at.is_some_and(|end| end <= now) {
            return refused("a token ends after it was made");
        }
        let secret = Secret::random()?;
        let token = format!("{PREFIX}{}", secret.reveal());
        let id = Secret::random()?.reveal().chars().take(8).collect();
        let info = TokenInfo {
            id,
            name,
            grant: new.grant,
            created_at: now,
            expires_at: new.expires_at,
        };
        let record = Record {
            info: info.clone(),
            sha256: Digest::of(&token),
        };
        self.change(|stored| {
            stored.tokens.retain(|known| known.info.is_alive(now));
            if stored.tokens.len() >= MOST {
                return Err(ServeError::BadToken(format!(
                    "there are {MOST} tokens already; revoke one"
                )));
            }
            stored.tokens.push(record);
            Ok(())
        })?;
        Ok((info, token))
    }

    /// The tokens, the oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self) -> Result<Vec<TokenInfo>, ServeError> {
        Ok(self
            .stored()?
            .tokens
            .iter()
            .map(|record| record.info.clone())
            .collect())
    }

    /// Takes a token away, by its id; answers whether there was one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn revoke(&self, id: &str) -> Result<bool, ServeError> {
        self.change(|stored| {
            let before = stored.tokens.len();
            stored.tokens.retain(|record| record.info.id != id);
            Ok(stored.tokens.len() < before)
        })
    }

    /// Makes the code of a link that lets one browser in, once, within ten minutes.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn make_link(&self, now: Timestamp) -> Result<String, ServeError> {
        let code = Secret::random()?;
        let link = Link {
            sha256: code.digest(),
            expires_at: now.plus_millis(LINK_MILLIS),
        };
        self.change(|stored| {
            stored.links.retain(|link| now < link.expires_at);
            if stored.links.len() >= MOST_LINKS {
                stored.links.remove(0);
            }
            stored.links.push(link);
            Ok(())
        })?;
        Ok(code.reveal().to_owned())
    }

    /// Takes a link by its code, which works no more; answers whether it was one.
    pub(crate) fn take_link(&self, code: &str, now: Timestamp) -> Result<bool, ServeError> {
        let given = Digest::of(code);
        if !self
            .stored()?
            .links
            .iter()
            .any(|link| link.sha256.matches(&given))
        {
            return Ok(false);
        }
        self.change(|stored| {
            let Some(place) = stored
                .links
                .iter()
                .position(|link| link.sha256.matches(&given))
            else {
                return Ok(false);
            };
            Ok(now < stored.links.swap_remove(place).expires_at)
        })
    }

    /// The token that somebody brings. Every hash is compared, in a time that tells nothing of
    /// them.
    pub(crate) fn find(
        &self,
        token: &str,
        now: Timestamp,
    ) -> Result<Option<TokenInfo>, ServeError> {
        let given = Digest::of(token);
        let mut found = None;
        for record in &self.stored()?.tokens {
            if record.sha256.matches(&given) {
                found = Some(record.info.clone());
            }
        }
        Ok(found.filter(|info| info.is_alive(now)))
    }

    /// Whether the token of an id still lets anybody in.
    pub(crate) fn is_alive(&self, id: &str, now: Timestamp) -> Result<bool, ServeError> {
        Ok(self
            .stored()?
            .tokens
            .iter()
            .any(|record| record.info.id == id && record.info.is_alive(now)))
    }

    fn stored(&self) -> Result<Arc<Stored>, ServeError> {
        let path = match &self.place {
            Place::Memory(stored) => return Ok(Arc::new(stored.lock().clone())),
            Place::File(path) => path,
        };
        let failed = |source| ServeError::Tokens {
            path: path.clone(),
            source,
        };
        let Some(stamp) = stamp(path).map_err(failed)? else {
            return Ok(Arc::default());
        };
        let mut read = self.read.lock();
        if let Some((known, stored)) = &*read
            && *known == stamp
        {
            return Ok(Arc::clone(stored));
        }
        let stored = Arc::new(read_file(path)?);
        *read = Some((stamp, Arc::clone(&stored)));
        Ok(stored)
    }

    fn change<T>(
        &self,
        work: impl FnOnce(&mut Stored) -> Result<T, ServeError>,
    ) -> Result<T, ServeError> {
        let path = match &self.place {
            Place::Memory(stored) => return work(&mut stored.lock()),
            Place::File(path) => path,
        };
        let failed = |source| ServeError::Tokens {
            path: path.clone(),
            source,
        };
        // Two processes that change tokens at once lose none.
        let _lock = self.lock(path)?;
        let mut stored = if stamp(path).map_err(failed)?.is_some() {
            read_file(path)?
        } else {
            Stored::default()
        };
        let answer = work(&mut stored)?;
        write_file(path, &stored).map_err(failed)?;
        Ok(answer)
    }

    /// Waits until no other process changes the tokens of a file.
    fn lock(&self, path: &Path) -> Result<File, ServeError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let failed = |source| ServeError::Tokens {
            path: path.clone(),
            source,
        };
        let lock = open_lock(&path).map_err(failed)?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if began.elapsed() < self.wait => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(ServeError::BusyTokens { path }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

/// The state of what is at a path, and not of what a link there leads to.
fn stamp(path: &Path) -> io::Result<Option<Stamp>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(Stamp {
            length: found.len(),
            changed: found.modified().ok(),
            number: number(&found),
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn number(found: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

#[cfg(not(unix))]
const fn number(_: &std::fs::Metadata) -> u64 {
    0
}

/// Reads the file. One that somebody else could have put there, itself or by a link, is none.
fn read_file(path: &Path) -> Result<Stored, ServeError> {
    let failed = |source| ServeError::Tokens {
        path: path.to_owned(),
        source,
    };
    let file = OpenOwn::new().in_place().open(path).map_err(failed)?;
    if annals_private::is_open_to_others(&file.metadata().map_err(failed)?) {
        return Err(ServeError::OpenTokens {
            path: path.to_owned(),
        });
    }
    let mut text = String::new();
    file.take(LONGEST)
        .read_to_string(&mut text)
        .map_err(failed)?;
    let bad = |reason: String| ServeError::BadTokens {
        path: path.to_owned(),
        reason,
    };
    let stored: Stored = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    if stored.version != VERSION {
        return Err(bad(format!(
            "its version is {}, and this program knows {VERSION}",
            stored.version
        )));
    }
    Ok(stored)
}

/// Writes the file beside its place, for its user alone, and puts it there whole.
fn write_file(path: &Path, stored: &Stored) -> io::Result<()> {
    let text = serde_json::to_string_pretty(stored)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut fresh = tempfile::Builder::new()
        .prefix(".annals-tokens")
        .tempfile_in(folder)?;
    writeln!(fresh, "{text}")?;
    fresh.as_file().sync_all()?;
    fresh.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(unix)]
fn open_lock(path: &Path) -> io::Result<File> {
    OpenOwn::new().append().in_place().open(path)
}

/// What is open to be written at its end alone cannot be locked there.
#[cfg(not(unix))]
fn open_lock(path: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Right, Scope};

    fn new(name: &str) -> NewToken {
        let grant = Grant {
            namespaces: [Scope::all()].into(),
            rights: [Right::Read].into(),
        };
        NewToken {
            name: name.to_owned(),
            grant,
            expires_at: None,
        }
    }

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn a_token_is_found_by_its_secret_until_it_is_revoked_by_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        let (server, program) = (TokenStore::beside(&database), TokenStore::beside(&database));
        assert!(server.find("annals_guess", NOW).unwrap().is_none());
        let (info, token) = program.create(new("bot"), NOW).unwrap();
        assert_eq!(token.len(), PREFIX.len() + 64);
        assert_eq!(server.find(&token, NOW).unwrap(), Some(info.clone()));
        assert_eq!(server.list().unwrap(), std::slice::from_ref(&info));
        assert!(program.revoke(&info.id).unwrap() && !program.revoke(&info.id).unwrap());
        assert!(server.find(&token, NOW).unwrap().is_none());
    }

    #[test]
    fn a_token_ends_at_its_time_and_goes_with_the_next_one() {
        let store = TokenStore::in_memory();
        let end = NOW.plus_millis(1000);
        let (_, token) = store
            .create(
                NewToken {
                    expires_at: Some(end),
                    ..new("short")
                },
                NOW,
            )
            .unwrap();
        assert!(
            store.find(&token, NOW).unwrap().is_some()
                && store.find(&token, end).unwrap().is_none()
        );
        store.create(new("next"), end).unwrap();
        assert_eq!(store.list().unwrap().len(), 1);
        assert!(
            store
                .create(
                    NewToken {
                        expires_at: Some(NOW),
                        ..new("late")
                    },
                    NOW
                )
                .is_err()
        );
        assert!(store.create(new("  "), NOW).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_file_holds_hashes_for_its_user_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        let store = TokenStore::beside(&database);
        let (_, token) = store.create(new("bot"), NOW).unwrap();
        let path = folder.path().join("a.annals.tokens");
        let secret = token.strip_prefix(PREFIX).unwrap();
        assert!(!std::fs::read_to_string(&path).unwrap().contains(secret));
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(
            TokenStore::beside(&database).list(),
            Err(ServeError::OpenTokens { .. })
        ));
    }

    /// What a store says that is asked for its tokens, and told to make one.
    #[cfg(unix)]
    fn refusals(database: &Path) -> [ServeError; 2] {
        let store = TokenStore::beside(database);
        [
            store.list().map(drop).unwrap_err(),
            store.create(new("bot"), NOW).map(drop).unwrap_err(),
        ]
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_of_this_user_lets_nobody_in() {
        use annals_private::Refusal;
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (theirs, database) = (
            folder.path().join("b.annals"),
            folder.path().join("a.annals"),
        );
        TokenStore::beside(&theirs).create(new("bot"), NOW).unwrap();
        let tokens = folder.path().join("a.annals.tokens");
        let is_refused = |error: &ServeError| match error {
            ServeError::Tokens { source, .. } => Refusal::of(source).is_some(),
            _ => false,
        };
        let missing = folder.path().join("elsewhere");
        for target in [folder.path().join("b.annals.tokens"), missing] {
            symlink(&target, &tokens).unwrap();
            let refused = refusals(&database);
            assert!(refused.iter().all(is_refused), "{refused:?}");
            std::fs::remove_file(&tokens).unwrap();
        }
        let made = std::process::Command::new("mkfifo").arg(&tokens).status();
        assert!(made.unwrap().success());
        let refused = refusals(&database);
        assert!(refused.iter().all(is_refused), "{refused:?}");
        std::fs::remove_file(&tokens).unwrap();

        let lock = folder.path().join("a.annals.tokens.lock");
        std::fs::remove_file(&lock).unwrap();
        let missing = folder.path().join("made");
        symlink(&missing, &lock).unwrap();
        let refused = TokenStore::beside(&database).create(new("bot"), NOW);
        assert!(is_refused(&refused.map(drop).unwrap_err()) && !missing.exists());
        std::fs::remove_file(&lock).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&lock).status();
        assert!(made.unwrap().success());
        let refused = TokenStore::beside(&database).create(new("bot"), NOW);
        assert!(is_refused(&refused.map(drop).unwrap_err()));
    }

    #[test]
    fn a_lock_that_another_process_keeps_is_not_waited_for_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        let store = TokenStore::beside(&database).wait(Duration::from_millis(20));
        store.create(new("bot"), NOW).unwrap();
        let held = open_lock(&folder.path().join("a.annals.tokens.lock")).unwrap();
        held.lock().unwrap();
        let busy = store.create(new("other"), NOW).unwrap_err();
        assert!(matches!(busy, ServeError::BusyTokens { .. }), "{busy}");
        assert_eq!(store.list().unwrap().len(), 1, "to read them needs no lock");
        held.unlock().unwrap();
        store.create(new("other"), NOW).unwrap();
    }

    #[test]
    fn a_link_works_once_and_not_for_long() {
        let store = TokenStore::in_memory();
        let link = store.make_link(NOW).unwrap();
        assert!(!store.take_link("guessed", NOW).unwrap());
        assert!(store.take_link(&link, NOW).unwrap() && !store.take_link(&link, NOW).unwrap());
        let late = store.make_link(NOW).unwrap();
        assert!(
            !store
                .take_link(&late, NOW.plus_millis(LINK_MILLIS))
                .unwrap()
        );
    }

    #[test]
    fn tokens_that_are_made_at_once_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.annals");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let store = TokenStore::beside(&database);
                scope.spawn(move || store.create(new(&format!("bot {number}")), NOW).unwrap());
            }
        });
        assert_eq!(TokenStore::beside(&database).list().unwrap().len(), 4);
    }
}
