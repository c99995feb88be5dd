//! What another user of the machine can do in a folder that others may write to.
#![cfg(unix)]
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use annals_storage::{Keyspace, Options, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.others");

/// Two users that are neither this one nor the administrator.
const ADA: u32 = 65_534;
const BOB: u32 = 65_533;

/// The folder in which a child of a test works as another user.
const FOLDER: &str = "ANNALS_TEST_FOLDER";

fn put(store: &Store, key: &[u8]) {
    store.write(|txn| txn.put(NOTES, key, 1, key)).unwrap();
}

fn has(store: &Store, key: &[u8]) -> bool {
    store.snapshot().unwrap().get(NOTES, key).unwrap().is_some()
}

fn is_root(folder: &Path) -> bool {
    let root = std::fs::metadata(folder).unwrap().uid() == 0;
    if !root {
        eprintln!("skipped: only the administrator can act as several users");
    }
    root
}

fn rights(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_database_of_another_user_is_used_only_where_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    if !is_root(folder.path()) {
        return;
    }
    std::fs::write(&path, b"").unwrap();
    rights(&path, 0o666);
    chown(&path, Some(BOB), None).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(&error, StorageError::Foreign { path: named, .. } if *named == path),
        "{error}"
    );
    assert!(error.to_string().contains("65533"), "{error}");
    put(&Options::default().foreign(true).open(&path).unwrap(), b"a");
    let reading = Options::default().read_only(true);
    assert!(matches!(
        reading.open(&path).unwrap_err(),
        StorageError::Foreign { .. }
    ));
    assert!(has(&reading.foreign(true).open(&path).unwrap(), b"a"));
    // A backup may be anybody's: whoever names it wants what is in it.
    let restored = folder.path().join("b.annals");
    annals_storage::restore(&path, &restored, &Options::default(), false).unwrap();
    assert!(has(&Store::open(&restored).unwrap(), b"a"));
}

#[test]
fn a_link_of_another_user_does_not_say_which_database_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (
        folder.path().join("a.annals"),
        folder.path().join("b.annals"),
    );
    put(&Store::open(&path).unwrap(), b"a");
    symlink(&path, &link).unwrap();
    assert!(has(&Store::open(&link).unwrap(), b"a"));
    if is_root(folder.path()) {
        std::os::unix::fs::lchown(&link, Some(BOB), None).unwrap();
        assert!(
            matches!(Store::open(&link).unwrap_err(), StorageError::Foreign { path, .. } if path == link)
        );
    }
}

#[test]
fn a_link_in_the_place_of_the_draft_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (
        folder.path().join("a.annals"),
        folder.path().join("letter.txt"),
    );
    put(&Store::open(&path).unwrap(), b"a");
    std::fs::write(&other, b"dear").unwrap();
    let _reader = Options::default().read_only(true).open(&path).unwrap();
    symlink(&other, folder.path().join("a.annals.compacting")).unwrap();
    let error = Options::default()
        .wait(Duration::from_millis(20))
        .open(&path)
        .unwrap_err();
    assert!(error.to_string().contains("a.annals.compacting"), "{error}");
    assert_eq!(std::fs::read(&other).unwrap(), b"dear");
}

#[test]
fn a_draft_of_another_user_keeps_nobody_from_writing() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_beside_a_foreign_draft(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    if !is_root(folder.path()) {
        return;
    }
    rights(folder.path(), 0o1777);
    let draft = folder.path().join("a.annals.compacting");
    std::fs::write(&draft, b"").unwrap();
    chown(&draft, Some(BOB), None).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args([
            "--exact",
            "a_draft_of_another_user_keeps_nobody_from_writing",
            "--nocapture",
        ])
        .uid(ADA)
        .gid(ADA);
    match child.env(FOLDER, folder.path()).current_dir("/").output() {
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        ),
        Err(error) => eprintln!("skipped: another user cannot run this test ({error})"),
    }
    assert!(folder.path().join("a.annals").exists() && draft.exists());
}

/// As a user that may not remove the draft.
fn write_beside_a_foreign_draft(folder: &Path) {
    let path = folder.join("a.annals");
    let store = Store::open(&path).unwrap();
    put(&store, b"a");
    let error = store.compact().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("a.annals.compacting") && text.contains("65533"),
        "{text}"
    );
    let backup = folder.join("b.annals");
    store.back_up(&backup, false).unwrap();
    assert!(has(&Store::open(&backup).unwrap(), b"a"));
}

#[test]
fn a_pipe_in_the_place_of_a_database_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for options in [
        Options::default(),
        Options::default().read_only(true),
        Options::default().foreign(true),
    ] {
        assert!(matches!(
            options.open(&path).unwrap_err(),
            StorageError::NotAFile { .. }
        ));
    }
}
