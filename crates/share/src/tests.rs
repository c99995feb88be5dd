use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use annals_engine::{Error, ErrorKind};
use serde_json::value::RawValue;

use crate::serve::{CallerInput, CallerOutput};
use crate::transport::{self, Connected, Listener, Stream};
use crate::{
    Call, Caller, Client, Difference, Lent, Open, Serve, Settings, Terms, Version, Welcome,
};

/// A server over a locked file that counts the calls that it carried out.
struct Counter {
    _lock: File,
    count: AtomicUsize,
    moved: Arc<AtomicBool>,
}

impl Serve for Counter {
    fn serve(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>> {
        Some(self.answer(call, caller))
    }

    fn is_in_place(&self) -> Result<bool, Error> {
        Ok(!self.moved.load(Ordering::SeqCst))
    }

    fn facts(&self) -> serde_json::Value {
        serde_json::Value::Null
    }
}

impl Counter {
    fn answer(&self, call: &Call, caller: &dyn Caller) -> Result<Vec<u8>, Error> {
        match call.name.as_str() {
            "count" => Ok(self
                .count
                .fetch_add(1, Ordering::SeqCst)
                .to_string()
                .into_bytes()),
            "copy" => {
                std::io::copy(&mut CallerInput::new(caller), &mut CallerOutput(caller))
                    .map_err(|error| Error::io("copying", error))?;
                caller
                    .progress(&RawValue::from_string("\"half\"".to_owned()).unwrap())
                    .unwrap();
                Ok(b"null".to_vec())
            }
            "pour" => loop {
                caller
                    .output(&[b'x'; 1 << 16])
                    .map_err(|error| Error::io("pouring", error))?;
            },
            "panic" => panic!("on purpose"),
            _ => Err(Error::bad_input("no such call")),
        }
    }
}

#[derive(Clone)]
pub(crate) struct Opener {
    file: PathBuf,
    settings: Settings,
    own: Vec<String>,
    opened: Arc<AtomicUsize>,
    moved: Arc<AtomicBool>,
}

impl Opener {
    pub(crate) fn new(folder: &Path) -> Self {
        let file = folder.join("a.annals");
        File::create(&file).unwrap();
        let (opened, moved) = Default::default();
        Self {
            file,
            settings: Settings::new(),
            own: Vec::new(),
            opened,
            moved,
        }
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// How often the file was opened.
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    pub(crate) fn with_own(&self, part: &str) -> Self {
        Self {
            own: vec![part.to_owned()],
            ..self.clone()
        }
    }

    pub(crate) fn client(&self) -> Result<Arc<Client>, Error> {
        self.client_of(Version::own())
    }

    fn client_of(&self, version: Version) -> Result<Arc<Client>, Error> {
        let wait = Duration::from_millis(400);
        Client::connect(
            &self.file,
            Box::new(self.clone()),
            Terms {
                wait,
                version,
                ..Terms::default()
            },
        )
    }
}

impl Open for Opener {
    fn open(&self, _: bool) -> Result<Arc<dyn Serve>, Error> {
        let lock = File::open(&self.file).unwrap();
        lock.try_lock()
            .map_err(|_| Error::other(ErrorKind::Locked, "the file is open in another process"))?;
        self.opened.fetch_add(1, Ordering::SeqCst);
        Ok(Arc::new(Counter {
            _lock: lock,
            count: AtomicUsize::new(0),
            moved: Arc::clone(&self.moved),
        }))
    }

    fn settings(&self) -> Settings {
        self.settings.clone()
    }

    fn difference(&self, owner: &Welcome) -> Result<Option<Difference>, Error> {
        let theirs = |name: &String| owner.settings.get(name).cloned();
        let other = self
            .settings
            .iter()
            .find(|(name, value)| theirs(name).as_ref() != Some(value));
        Ok(other.map(|(name, value)| Difference {
            name: name.clone(),
            theirs: theirs(name).unwrap_or_default(),
            ours: value.clone(),
        }))
    }

    fn own(&self) -> Vec<String> {
        self.own.clone()
    }
}

pub(crate) fn call(client: &Client, name: &str) -> Result<String, Error> {
    call_with(client, name, Lent::default())
}

fn call_with(client: &Client, name: &str, lent: Lent<'_>) -> Result<String, Error> {
    let nothing = RawValue::from_string("[]".to_owned()).unwrap();
    client
        .call(&Call::new(Vec::new(), name, nothing), lent)
        .map(|answer| String::from_utf8(answer).unwrap())
}

#[test]
fn the_first_owns_the_file_and_the_others_call_it() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let clients: Vec<_> = (0..8).map(|_| opener.client().unwrap()).collect();
    for (number, client) in clients.iter().enumerate() {
        assert_eq!(call(client, "count").unwrap(), number.to_string());
    }
    assert_eq!(opener.opened.load(Ordering::SeqCst), 1);
}

#[cfg(unix)]
#[test]
fn the_socket_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let owner = opener.client().unwrap();
    let socket = folder.path().join("a.annals.socket");
    assert_eq!(
        std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777,
        0o600
    );
    drop(owner);
    assert!(!socket.exists());
}

#[test]
fn many_at_once_make_one_owner() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let clients = Mutex::new(Vec::new());
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                let client = opener.client().unwrap();
                call(&client, "count").unwrap();
                clients.lock().unwrap().push(client);
            });
        }
    });
    assert_eq!(opener.opened.load(Ordering::SeqCst), 1);
    assert_eq!(call(&clients.lock().unwrap()[0], "count").unwrap(), "8");
}

#[test]
fn a_connected_process_keeps_the_owner_however_long_it_does_not_call() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let (owner, client) = (opener.client().unwrap(), opener.client().unwrap());
    std::thread::scope(|threads| {
        // A process is connected once it has called.
        assert_eq!(call(&client, "count").unwrap(), "0");
        let waiting = threads.spawn(|| owner.wait_idle(Duration::from_millis(1)));
        for number in 1..20 {
            std::thread::sleep(Duration::from_millis(5));
            assert_eq!(call(&client, "count").unwrap(), number.to_string());
            assert!(!waiting.is_finished());
        }
        drop(client);
        // It ends once nobody is connected.
        waiting.join().unwrap();
    });
    assert_eq!(opener.opened.load(Ordering::SeqCst), 1);
}

#[test]
fn another_takes_over_when_the_owner_ends() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let (owner, other) = (opener.client().unwrap(), opener.client().unwrap());
    assert_eq!(call(&other, "count").unwrap(), "0");
    drop(owner);
    assert_eq!(call(&other, "count").unwrap(), "0");
    assert_eq!(opener.opened.load(Ordering::SeqCst), 2);
}

/// A connection to the owner of a file.
fn connect(file: &Path) -> Stream {
    match transport::connect(file).unwrap() {
        Connected::Stream(stream) => stream,
        _ => panic!("nobody listens"),
    }
}

#[test]
fn the_place_of_an_owner_that_was_killed_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let killed = Listener::bind(&opener.file).unwrap();
    // A client that has not noticed yet.
    let _idle = connect(&opener.file);
    drop(killed);
    let (owner, other) = (opener.client().unwrap(), opener.client().unwrap());
    assert_eq!(
        (
            call(&owner, "count").unwrap(),
            call(&other, "count").unwrap()
        ),
        ("0".into(), "1".into())
    );
}

#[test]
fn a_client_with_parts_of_its_own_gets_the_file_from_an_owner_without() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let plain = opener.client().unwrap();
    let with_clock = opener.with_own("clock").client().unwrap();
    assert_eq!(with_clock.owner().unwrap().own, ["clock"]);
    assert_eq!(
        (
            call(&plain, "count").unwrap(),
            call(&with_clock, "count").unwrap()
        ),
        ("0".into(), "1".into())
    );
    let error = opener.with_own("model").client().map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotShared, "{error}");
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
}

#[test]
fn other_settings_are_not_shared() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path()).with_own("clock");
    let _owner = opener.client().unwrap();
    let settings = Settings::from([("time zone".to_owned(), "Europe/Berlin".to_owned())]);
    let error = Opener {
        settings,
        own: Vec::new(),
        ..opener.clone()
    }
    .client()
    .map(drop)
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotShared);
    assert!(error.to_string().contains("Europe/Berlin"), "{error}");
}

#[test]
fn one_that_only_reads_goes_through_its_like_and_asks_another_for_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let join =
        |opener: &Opener| Client::join(&opener.file, Box::new(opener.clone()), Terms::default());
    assert!(join(&opener).unwrap().is_none());
    let owner = opener.client().unwrap();
    assert_eq!(
        call(&join(&opener).unwrap().unwrap(), "count").unwrap(),
        "0"
    );
    let settings = Settings::from([("time zone".to_owned(), "Europe/Berlin".to_owned())]);
    let other = Opener {
        settings,
        ..opener.clone()
    };
    assert!(join(&other).unwrap().is_none());
    // The owner lets go of the file.
    let lock = File::open(&opener.file).unwrap();
    lock.lock().unwrap();
    drop(lock);
    drop(owner);
    let _keeps = opener.with_own("clock").client().unwrap();
    let error = join(&other).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotShared, "{error}");
}

#[test]
fn a_newer_client_gets_the_file_from_an_older_owner() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let older = opener.client().unwrap();
    let version = |protocol| Version {
        protocol,
        annals: "99.0.0".to_owned(),
    };
    let newer = opener.client_of(version(7)).unwrap();
    assert_eq!(call(&newer, "count").unwrap(), "0");
    let error = call(&older, "count").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooNew, "{error}");
}

#[test]
fn an_owner_that_does_not_answer_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let _silent = Listener::bind(&opener.file).unwrap();
    let began = Instant::now();
    let error = opener.client().map(drop).unwrap_err();
    assert!(
        error.is_locked() && error.to_string().contains("does not answer"),
        "{error}"
    );
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_file_that_is_open_without_being_shared_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let _alone = opener.open(true).unwrap();
    let error = opener.client().map(drop).unwrap_err();
    assert!(
        error.is_locked() && error.to_string().contains("does not share"),
        "{error}"
    );
}

#[test]
fn a_file_that_was_moved_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let (owner, other) = (opener.client().unwrap(), opener.client().unwrap());
    opener.moved.store(true, Ordering::SeqCst);
    for error in [
        call(&owner, "count").unwrap_err(),
        call(&other, "count").unwrap_err(),
        opener.client().map(drop).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Conflict);
        assert!(error.to_string().contains("moved or replaced"), "{error}");
    }
}

#[test]
fn readers_writers_and_functions_are_lent() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    for client in [opener.client().unwrap(), opener.client().unwrap()] {
        let (mut input, mut output, mut told) =
            (&b"words".repeat(100_000)[..], Vec::new(), Vec::new());
        let mut progress = |text: &RawValue| {
            told.push(text.get().to_owned());
            Ok(())
        };
        let wanted = input.to_vec();
        let (input, output) = (&mut input, &mut output);
        let lent = Lent {
            input: Some(input),
            output: Some(output),
            progress: Some(&mut progress),
            used: false,
        };
        call_with(&client, "copy", lent).unwrap();
        assert!(*output == wanted && told == ["\"half\""]);
        drop(client);
    }
}

#[test]
fn a_call_that_panics_ends_with_an_error_and_the_owner_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let (_owner, other) = (opener.client().unwrap(), opener.client().unwrap());
    let error = call(&other, "panic").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
    assert_eq!(call(&other, "count").unwrap(), "0");
    assert!(call(&other, "dance").unwrap_err().is_invalid());
}

#[test]
fn nonsense_on_the_socket_harms_nobody() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let opener = Opener::new(folder.path());
    let owner = opener.client().unwrap();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xFF; 64], &[0; 5], b""] {
        (&connect(&opener.file)).write_all(bytes).unwrap();
    }
    assert_eq!(call(&owner, "count").unwrap(), "0");
}

/// What goes wrong around a socket: other users, and paths that lead elsewhere.
#[cfg(unix)]
mod surroundings {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt};

    use super::*;

    fn socket(folder: &Path) -> PathBuf {
        folder.join("a.annals.socket")
    }

    /// Waits until something holds.
    fn until(what: &str, holds: impl Fn() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs something as another user; none where the system does not let this process be one.
    #[cfg(target_os = "linux")]
    #[expect(clippy::print_stderr, reason = "a test that cannot be run says so")]
    fn as_stranger<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
        use rustix::process::Uid;
        use rustix::thread::set_thread_res_uid;
        // Of this thread alone, which ends with the work.
        let stranger = Uid::from_raw(54_321);
        let done = std::thread::scope(|threads| {
            let thread = threads.spawn(|| {
                set_thread_res_uid(stranger, stranger, stranger)
                    .ok()
                    .map(|()| work())
            });
            thread.join().unwrap()
        });
        if done.is_none() {
            eprintln!(
                "SKIPPED: only an administrator can be two users, and this is {}",
                crate::user::own()
            );
        }
        done
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_of_another_user_in_the_place_of_the_owner_hears_nothing() {
        use std::io::Read as _;
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let opener = Opener::new(folder.path());
        let place = socket(folder.path());
        let bound = as_stranger(|| std::os::unix::net::UnixListener::bind(&place).unwrap());
        let Some(listener) = bound else { return };
        let error = opener.client().map(drop).unwrap_err();
        assert!(error.is_locked(), "{error}");
        for said in [
            "user 54321",
            "nothing was sent",
            socket(folder.path()).to_str().unwrap(),
        ] {
            assert!(error.to_string().contains(said), "{error}");
        }
        let mut heard = Vec::new();
        listener
            .accept()
            .unwrap()
            .0
            .read_to_end(&mut heard)
            .unwrap();
        assert_eq!(heard, b"");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_owner_serves_no_other_user() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let opener = Opener::new(folder.path());
        let _owner = opener.client().unwrap();
        let Some(kept_out) = as_stranger(|| opener.client().map(drop).unwrap_err()) else {
            return;
        };
        assert!(
            kept_out.is_locked() && kept_out.to_string().contains("user"),
            "{kept_out}"
        );
        // Even where somebody has loosened the socket.
        std::fs::set_permissions(socket(folder.path()), PermissionsExt::from_mode(0o666)).unwrap();
        let Some(refused) = as_stranger(|| opener.client().map(drop).unwrap_err()) else {
            return;
        };
        assert!(
            refused.is_locked() && refused.to_string().contains("user"),
            "{refused}"
        );
    }

    #[test]
    fn a_socket_that_was_removed_or_replaced_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let _owner = opener.client().unwrap();
        let place = socket(folder.path());
        let answers = || {
            opener
                .client()
                .is_ok_and(|client| call(&client, "count").is_ok())
        };
        std::fs::remove_file(&place).unwrap();
        until("the socket is not made anew", || place.exists());
        assert!(answers());
        let other = std::os::unix::net::UnixListener::bind(folder.path().join("other")).unwrap();
        std::fs::rename(folder.path().join("other"), &place).unwrap();
        let foreign = std::fs::metadata(&place).unwrap().ino();
        until("another socket stays", || {
            std::fs::metadata(&place).is_ok_and(|found| found.ino() != foreign)
        });
        drop(other);
        assert!(answers());
        assert_eq!(opener.opened.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_file_in_the_place_of_the_socket_stays_and_the_owner_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let _owner = opener.client().unwrap();
        let place = socket(folder.path());
        std::fs::remove_file(&place).unwrap();
        std::fs::write(folder.path().join("mine"), b"words of a person").unwrap();
        std::fs::rename(folder.path().join("mine"), &place).unwrap();
        until("the owner is not reached", || {
            opener
                .client()
                .is_ok_and(|client| call(&client, "count").is_ok())
        });
        assert_eq!(std::fs::read(&place).unwrap(), b"words of a person");
        assert_eq!(opener.opened.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn an_owner_removes_no_socket_but_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let (data, away) = (folder.path().join("data"), folder.path().join("away"));
        std::fs::create_dir(&data).unwrap();
        let old = Opener::new(&data);
        let first = old.client().unwrap();
        old.moved.store(true, Ordering::SeqCst);
        std::fs::rename(&data, &away).unwrap();
        std::fs::create_dir(&data).unwrap();
        let new = Opener::new(&data);
        let second = new.client().unwrap();
        drop(first);
        assert!(
            std::fs::metadata(socket(&data))
                .unwrap()
                .file_type()
                .is_socket()
        );
        assert_eq!(call(&new.client().unwrap(), "count").unwrap(), "0");
        drop(second);
        assert!(!socket(&data).exists());
    }

    #[test]
    fn an_owner_for_others_gives_up_a_file_that_was_moved() {
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let owner = opener.client().unwrap();
        opener.moved.store(true, Ordering::SeqCst);
        owner.wait_idle(Duration::MAX);
        drop(opener.open(true).unwrap());
    }

    #[test]
    fn a_client_that_stands_still_keeps_no_owner_from_ending() {
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let owner = opener.client().unwrap();
        let stream = connect(&opener.file);
        let hello = serde_json::to_vec(&crate::message::Hello {
            version: Version::own(),
        })
        .unwrap();
        crate::frame::write(&mut &stream, crate::frame::Kind::Hello, &hello).unwrap();
        let nothing = RawValue::from_string("[]".to_owned()).unwrap();
        let pour = serde_json::to_vec(&Call::new(Vec::new(), "pour", nothing)).unwrap();
        crate::frame::write(&mut &stream, crate::frame::Kind::Call, &pour).unwrap();
        // The welcome, and the first of what is poured.
        for _ in 0..2 {
            crate::frame::read(&mut &stream).unwrap().unwrap();
        }
        let began = Instant::now();
        drop(owner);
        assert!(began.elapsed() < Duration::from_secs(30));
        drop(opener.open(true).unwrap());
    }

    #[test]
    fn a_client_that_sends_more_than_it_was_asked_for_is_served_no_further() {
        use crate::frame::{self, Kind};
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let _owner = opener.client().unwrap();
        let answers = |more: usize| {
            let stream = connect(&opener.file);
            let hello = serde_json::to_vec(&crate::message::Hello {
                version: Version::own(),
            })
            .unwrap();
            frame::write(&mut &stream, Kind::Hello, &hello).unwrap();
            let nothing = RawValue::from_string("[]".to_owned()).unwrap();
            let copy = serde_json::to_vec(&Call::new(Vec::new(), "copy", nothing)).unwrap();
            frame::write(&mut &stream, Kind::Call, &copy).unwrap();
            frame::read(&mut &stream).unwrap().unwrap();
            let (kind, most) = frame::read(&mut &stream).unwrap().unwrap();
            assert_eq!(kind, Kind::Pull);
            let most = u32::from_le_bytes(most.try_into().unwrap()) as usize;
            // It may hang up while this is still being sent.
            let _unheard = frame::write(&mut &stream, Kind::Input, &vec![b'x'; most + more]);
            frame::read(&mut &stream)
                .ok()
                .flatten()
                .map(|(kind, _)| kind)
        };
        assert_eq!(answers(0), Some(Kind::Output));
        assert_ne!(answers(1), Some(Kind::Output));
    }

    #[test]
    fn more_clients_than_are_served_are_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let opener = Opener::new(folder.path());
        let terms = Terms {
            clients: 4,
            ..Terms::default()
        };
        let _owner = Client::connect(&opener.file, Box::new(opener.clone()), terms).unwrap();
        let crowd: Vec<Stream> = (0..4).map(|_| connect(&opener.file)).collect();
        let told = || match opener.client().map(drop) {
            Err(error) => error.to_string().contains("4 connections"),
            Ok(()) => false,
        };
        until("the crowd is not told of", told);
        drop(crowd);
        until("nobody is served any more", || opener.client().is_ok());
    }
}
