//! With other processes: who holds the file, and what is left after kill -9.

#![cfg(any(unix, windows))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use annals_storage::{Holder, KeyRange, Keyspace, Options, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.notes");
const HEAD: Keyspace = Keyspace::new("test.head");

/// Not a test of its own: what the other process runs, when one of the tests below starts it.
#[test]
fn in_the_other_process() {
    let Ok(path) = std::env::var("ANNALS_TEST_FILE") else {
        return;
    };
    if path == "-" {
        return create_as_told();
    }
    let store = Store::open(path).unwrap();
    println!("\nopen {}", store.commit().0);
    let writers = std::env::var("ANNALS_TEST_WRITERS").map_or(0, |n| n.parse().unwrap());
    if writers == 0 {
        // Holds the file until it is killed, or its parent goes away.
        let _ = std::io::stdin().read(&mut [0]);
        return;
    }
    std::thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                loop {
                    // Two keyspaces that must agree: the number of notes, and the notes.
                    let job = |tx: &mut annals_storage::Transaction<'_>| {
                        let count = tx
                            .get(HEAD, b"n")?
                            .map_or(0, |s| u32::from_be_bytes(s.body.try_into().unwrap()));
                        tx.put(HEAD, b"n", 1, &(count + 1).to_be_bytes())?;
                        tx.put(NOTES, &count.to_be_bytes(), 1, &vec![7; 300])
                    };
                    let (_, commit) = store.write::<_, StorageError>(job).unwrap();
                    println!("\ndone {}", commit.0);
                }
            });
        }
    });
}

/// For each line, a path and a key: opens the file, writes the key, closes it, and says so.
fn create_as_told() {
    println!("\nopen 0");
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (path, key) = line.split_once('\t').unwrap();
        let options = Options::default().wait(Duration::from_secs(600));
        let store = options.open(path).unwrap();
        store
            .write::<_, StorageError>(|tx| tx.put(NOTES, key.as_bytes(), 1, b"kept"))
            .unwrap();
        drop(store);
        println!("\ndone 1");
    }
}

fn start(path: &Path, writers: u32) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "in_the_other_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("ANNALS_TEST_FILE", path)
        .env("ANNALS_TEST_WRITERS", writers.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    read_until(&mut lines, "open ");
    (child, lines)
}

/// The number on the next line that begins so.
fn read_until(lines: &mut impl std::io::BufRead, begin: &str) -> u64 {
    loop {
        let mut line = String::new();
        assert!(
            lines.read_line(&mut line).unwrap() > 0,
            "the other process ended before it said {begin:?}"
        );
        if let Some(number) = line.strip_prefix(begin) {
            return number.trim().parse().unwrap();
        }
    }
}

#[test]
fn the_process_that_holds_the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let (mut child, _lines) = start(&path, 0);
    let error = Store::open(&path).unwrap_err();
    let StorageError::Locked { holder, .. } = &error else {
        panic!("{error}")
    };
    if cfg!(target_os = "linux") {
        assert!(
            matches!(holder, Holder::Process { pid, program: Some(_) } if *pid == child.id()),
            "{error}"
        );
        assert!(
            error.to_string().contains(&child.id().to_string()),
            "{error}"
        );
    } else {
        assert_eq!(*holder, Holder::Unknown, "{error}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    Store::open(&path).unwrap();
}

/// Again and again: other processes write, one is killed, what they had acknowledged is there.
#[test]
fn nothing_acknowledged_is_lost_by_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let mut acknowledged = 0;
    for round in 0..12_u64 {
        let (mut child, mut lines) = start(&path, if round % 2 == 0 { 1 } else { 4 });
        for _ in 0..round * 5 % 23 + 1 {
            acknowledged = acknowledged.max(read_until(&mut lines, "done "));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        // The last line may be cut in the middle of its number.
        let whole = rest.rfind('\n').map_or("", |end| &rest[..end]);
        let seen = whole
            .lines()
            .filter_map(|line| line.strip_prefix("done ")?.trim().parse().ok());
        acknowledged = seen.fold(acknowledged, u64::max);

        let store = Store::open(&path).unwrap();
        assert!(
            store.commit().0 >= acknowledged,
            "round {round}: {} of {acknowledged}",
            store.commit().0
        );
        let snapshot = store.snapshot().unwrap();
        let count = snapshot
            .get(HEAD, b"n")
            .unwrap()
            .map_or(0, |s| u32::from_be_bytes(s.body.try_into().unwrap()));
        let mut notes = 0;
        let all = KeyRange::prefix(NOTES, b"");
        let mut count_notes = |_: usize, key: &[u8], _: u8, _: &[u8]| {
            assert_eq!(key, u32::to_be_bytes(notes));
            notes += 1;
            Ok(std::ops::ControlFlow::Continue(()))
        };
        snapshot.scan(&[all], &mut count_notes).unwrap();
        assert_eq!(
            (u64::from(count), count),
            (store.commit().0, notes),
            "round {round}"
        );
        drop(snapshot);
        let report = store.validate().unwrap();
        assert!(report.is_sound(), "round {round}: {:?}", report.damaged);
    }
    assert!(acknowledged > 50);
}

/// A folder in memory, where there is one: locks are the same there, and nothing waits for a disk.
fn folder_in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

/// Processes that open one file which is not there yet: each creates it or waits for who does, and
/// none takes it from another.
#[test]
fn processes_that_create_one_file_lose_nothing() {
    const ROUNDS: u32 = 200;
    let folder = folder_in_memory();
    let mut others: Vec<_> = (0..10).map(|_| start(Path::new("-"), 0)).collect();
    for together in [2, 4, 10] {
        for round in 0..ROUNDS {
            let path = folder.path().join(format!("{together}-{round}.annals"));
            for (number, (child, _)) in others.iter_mut().take(together).enumerate() {
                writeln!(
                    child.stdin.as_mut().unwrap(),
                    "{}\tkey {number}",
                    path.display()
                )
                .unwrap();
            }
            for (_, lines) in others.iter_mut().take(together) {
                read_until(lines, "done ");
            }
            let store = Store::open(&path).unwrap();
            let snapshot = store.snapshot().unwrap();
            for number in 0..together {
                let found = snapshot
                    .get(NOTES, format!("key {number}").as_bytes())
                    .unwrap();
                assert!(
                    found.is_some(),
                    "{together} processes, round {round}: what process {number} wrote is lost"
                );
            }
            assert_eq!(store.commit().0, together as u64);
            drop((snapshot, store));
            std::fs::remove_file(path).unwrap();
        }
    }
    for (mut child, _) in others {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
