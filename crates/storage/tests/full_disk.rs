//! A file system of 6 MiB that fills up: what was acknowledged is there and can be read without a
//! byte of space.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use annals_storage::{Keyspace, Options, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.notes");

fn put(store: &Store, key: u32) -> Result<(), StorageError> {
    store
        .write::<_, StorageError>(|tx| tx.put(NOTES, &key.to_be_bytes(), 1, &[7; 3000]))
        .map(|_| ())
}

fn check(store: &Store, count: u32) {
    let snapshot = store.snapshot().unwrap();
    for key in 0..count {
        assert_eq!(
            snapshot
                .get(NOTES, &key.to_be_bytes())
                .unwrap()
                .unwrap()
                .body,
            [7; 3000],
            "{key} of {count}"
        );
    }
    assert!(store.validate().unwrap().is_sound());
}

/// Takes what is left of the file system.
fn fill(folder: &Path) {
    let mut bytes = vec![1; 1 << 20];
    while !bytes.is_empty() {
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("filler"))
            .unwrap();
        if std::io::Write::write_all(&mut file, &bytes).is_err() {
            bytes.truncate(bytes.len() / 2);
        }
    }
}

/// Not a test of its own: runs where the test below has mounted a small file system.
#[test]
fn on_a_small_file_system() {
    let Ok(folder) = std::env::var("ANNALS_TEST_SMALL_FOLDER").map(PathBuf::from) else {
        return;
    };
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"])
        .arg(&folder)
        .status();
    assert!(mounted.unwrap().success());
    let (path, ballast) = (folder.join("a.annals"), folder.join("ballast"));
    fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let store = Store::open(&path).unwrap();
    let mut count = 0;
    let full = loop {
        match put(&store, count) {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StorageError::DiskFull { .. }), "{full}");
    assert!(count > 500, "{count}");
    fill(&folder);
    for _ in 0..3 {
        check(&store, count);
        assert!(matches!(
            put(&store, count),
            Err(StorageError::DiskFull { .. })
        ));
    }
    assert!(matches!(
        store.compact(),
        Err(StorageError::DiskFull { .. })
    ));
    drop(store);
    for _ in 0..2 {
        let store = Store::open(&path).unwrap();
        check(&store, count);
        assert!(matches!(
            put(&store, count),
            Err(StorageError::DiskFull { .. })
        ));
        check(&store, count);
        drop(store);
        check(
            &Options::default().read_only(true).open(&path).unwrap(),
            count,
        );
    }
    let store = Store::open(&path).unwrap();
    check(&store, count);
    fs::remove_file(ballast).unwrap();
    put(&store, count).unwrap();
    check(&store, count + 1);
    drop(store);
    check(&Store::open(&path).unwrap(), count + 1);
}

#[test]
fn what_was_acknowledged_is_read_from_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let test = || {
        let mut test = Command::new("unshare");
        test.env("ANNALS_TEST_SMALL_FOLDER", folder.path());
        test
    };
    let me = std::env::current_exe().unwrap();
    let allowed = |extra: &[&str]| {
        let tried = test().args(extra).args(["--mount", "true"]).output();
        tried.is_ok_and(|tried| tried.status.success())
    };
    let Some(extra) = [&[][..], &["--user", "--map-root-user"]]
        .into_iter()
        .find(|extra| allowed(extra))
    else {
        assert!(
            std::env::var_os("CI").is_none(),
            "this machine lets nobody mount a file system"
        );
        eprintln!("not run: this machine lets nobody mount a file system");
        return;
    };
    let ran = test()
        .args(extra)
        .arg("--mount")
        .arg(me)
        .args(["--exact", "on_a_small_file_system", "--nocapture"])
        .output();
    let ran = ran.unwrap();
    assert!(
        ran.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
}
