#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
//! Opening what is there, what is not, and what is something else: each its own message, and
//! nothing left half-written.

use std::fs;
use std::path::Path;

use annals_storage::{Holder, Keyspace, Options, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.notes");

fn put(store: &Store, key: &[u8]) {
    store
        .write::<_, StorageError>(|tx| tx.put(NOTES, key, 1, b"body"))
        .unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_was_written_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ä b.annals");
    for n in 1..=3_u8 {
        let store = Options::default().cache_bytes(1 << 20).open(&path).unwrap();
        assert_eq!(store.commit().0, u64::from(n) - 1);
        put(&store, &[n]);
    }
    let store = Store::open(&path).unwrap();
    assert_eq!(
        store
            .snapshot()
            .unwrap()
            .get(NOTES, &[2])
            .unwrap()
            .unwrap()
            .body,
        b"body"
    );
    let stats = store.stats().unwrap();
    assert_eq!((stats.commit, stats.format), (3, annals_storage::FORMAT));
    assert_eq!(stats.engine.file_bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(stats.engine.cache_bytes, 16 << 20);
    assert!(
        stats
            .engine
            .keyspaces
            .iter()
            .any(|k| k.name == "test.notes" && k.entries == 3 && k.bytes.is_none())
    );
    drop(store);
    assert_eq!(
        names(folder.path()),
        ["ä b.annals"],
        "one file, nothing beside it"
    );
}

#[test]
fn a_file_that_is_something_else_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    for text in [
        &b"Dear reader"[..],
        b"re",
        &[0; 4096 * 3],
        b"redb but not quite",
        &[7; 100_000],
    ] {
        fs::write(&path, text).unwrap();
        let outcome = Store::open(&path);
        if text.iter().all(|&byte| byte == 0) {
            // A new file that a crash left holds nothing, and is taken for a new one.
            put(&outcome.unwrap(), b"k");
            continue;
        }
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, StorageError::NotADatabase { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("letter.txt"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn zeros_with_something_behind_them_are_not_a_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk.img");
    let mut bytes = vec![0; 9000];
    bytes[8000] = 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(
        Store::open(&path),
        Err(StorageError::NotADatabase { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn an_empty_file_becomes_a_new_one() {
    let file = tempfile::NamedTempFile::new().unwrap();
    put(&Store::open(file.path()).unwrap(), b"k");
    assert_eq!(Store::open(file.path()).unwrap().commit().0, 1);
}

#[test]
fn the_file_of_another_program_on_the_same_engine_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.redb");
    let database = redb::Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    transaction
        .open_table(redb::TableDefinition::<u64, u64>::new("scores"))
        .unwrap()
        .insert(1, 2)
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(error, StorageError::NotADatabase { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("other.redb"), "{error}");
}

#[test]
fn a_newer_layout_of_the_engine_is_told_from_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("future.annals");
    put(&Store::open(&path).unwrap(), b"k");
    let mut bytes = fs::read(&path).unwrap();
    let pages = 1 << 20;
    bytes[pages + 64] = 4;
    bytes[pages + 192] = 4;
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StorageError::TooNew {
                found: 4,
                supported: 3,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("newer version of the program"),
        "{error}"
    );
    bytes[pages + 64] = 2;
    bytes[pages + 192] = 2;
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(error, StorageError::TooOld { found: 2, .. }),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), bytes);
    bytes[11] = 3;
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StorageError::TooNew {
                found: 3,
                supported: 2,
                ..
            }
        ),
        "{error}"
    );
    bytes[11] = 1;
    fs::write(&path, &bytes).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StorageError::TooOld {
                found: 1,
                supported: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_truncated_file_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.annals");
    put(&Store::open(&path).unwrap(), b"k");
    let bytes = fs::read(&path).unwrap();
    for length in [
        10,
        100,
        320,
        5000,
        1 << 20,
        (1 << 20) + 100,
        bytes.len() / 2,
        bytes.len() - 4096,
    ] {
        fs::write(&path, &bytes[..length]).unwrap();
        let error = Store::open(&path).unwrap_err();
        let fits = matches!(
            error,
            StorageError::Corruption { .. } | StorageError::Io { .. }
        );
        assert!(fits, "{length}: {error}");
    }
}

#[test]
fn folders_and_missing_folders_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(error, StorageError::NotAFile { .. }), "{error}");
    let missing = folder.path().join("no").join("such");
    let error = Store::open(missing.join("a.annals")).unwrap_err();
    assert!(matches!(error, StorageError::NoFolder { .. }), "{error}");
    assert!(
        error.to_string().contains(&missing.display().to_string()),
        "{error}"
    );
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let error = Store::open(file.join("a.annals")).unwrap_err();
    assert!(
        matches!(
            error,
            StorageError::NoFolder { .. } | StorageError::Io { .. }
        ),
        "{error}"
    );
    assert!(matches!(Store::open(""), Err(StorageError::Misuse { .. })));
    assert_eq!(names(folder.path()), ["file"]);
}

#[cfg(unix)]
#[test]
fn files_and_folders_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    put(&Store::open(&path).unwrap(), b"k");
    let lock = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    lock(0o555);
    let outcomes = [
        Store::open(&path),
        Store::open(folder.path().join("new.annals")),
    ];
    lock(0o755);
    for outcome in outcomes {
        match outcome {
            Err(StorageError::ReadOnly { .. }) => {}
            // The superuser may write everywhere.
            Ok(store) => put(&store, b"l"),
            Err(other) => panic!("{other}"),
        }
    }
}

/// /proc and /sys cannot be written even by the superuser.
#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_takes_no_files_is_an_error() {
    let error = Store::open("/proc/annals-test.annals").unwrap_err();
    let fits = matches!(
        error,
        StorageError::ReadOnly { .. } | StorageError::Io { .. } | StorageError::NoFolder { .. }
    );
    assert!(fits, "{error}");
    assert!(error.to_string().contains("annals-test.annals"), "{error}");
}

/// The device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_device_is_not_a_file() {
    assert!(matches!(
        Store::open("/dev/full"),
        Err(StorageError::NotAFile { .. })
    ));
}

#[test]
fn a_second_handle_in_this_process_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    put(&store, b"k");
    let error = Store::open(folder.path().join(".").join("a.annals")).unwrap_err();
    assert!(
        matches!(
            error,
            StorageError::Locked {
                holder: Holder::ThisProcess,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("this process"), "{error}");
    // The refused handle changed nothing, and the file is free once the first is closed.
    put(&store, b"l");
    drop(store);
    assert_eq!(Store::open(&path).unwrap().commit().0, 2);
}

#[test]
fn snapshots_do_not_keep_the_file_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    put(&store, b"k");
    let snapshot = store.snapshot().unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    put(&store, b"k");
    match snapshot.get(NOTES, b"k") {
        Ok(stored) => assert_eq!(stored.unwrap().body, b"body"),
        Err(error) => assert!(matches!(error, StorageError::Closed { .. }), "{error}"),
    }
}

fn fill(store: &Store) {
    for n in 0..20_u8 {
        let job = |tx: &mut annals_storage::Transaction<'_>| {
            (0..50_u8).try_for_each(|i| tx.put(NOTES, &[n, i], 1, &vec![n; 4000]))
        };
        store.write::<_, StorageError>(job).unwrap();
    }
}

#[test]
fn compacting_gives_space_back_while_snapshots_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    fill(&store);
    let full = store.snapshot().unwrap();
    let all = annals_storage::KeyRange::prefix(NOTES, b"");
    store
        .write::<_, StorageError>(|tx| tx.delete_range(&all, 980))
        .unwrap();
    let before = store.stats().unwrap().engine.file_bytes;
    let last = store.snapshot().unwrap();
    assert!(store.compact().unwrap());
    let after = store.stats().unwrap().engine.file_bytes;
    assert!(after < before / 2, "{before} -> {after}");
    assert_eq!(fs::metadata(&path).unwrap().len(), after);
    assert_eq!(full.get(NOTES, &[0, 0]).unwrap().unwrap().body, [0; 4000]);
    assert_eq!(
        (
            last.get(NOTES, &[0, 0]).unwrap(),
            last.get(NOTES, &[19, 49]).unwrap().is_some()
        ),
        (None, true)
    );
    put(&store, b"k");
    assert!(store.validate().unwrap().is_sound());
    assert!(
        matches!(Store::open(&path), Err(StorageError::Locked { .. })),
        "the new file is locked as the old one was"
    );
    drop(store);
    assert_eq!(names(folder.path()), ["a.annals"]);
    let store = Store::open(&path).unwrap();
    assert_eq!(
        (
            store.commit().0,
            store
                .snapshot()
                .unwrap()
                .get(NOTES, b"k")
                .unwrap()
                .is_some()
        ),
        (22, true)
    );
}

#[test]
fn compacting_makes_no_file_larger() {
    for values in [1, 40, 400] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        let store = Store::open(&path).unwrap();
        let job = |tx: &mut annals_storage::Transaction<'_>| {
            (0..values)
                .try_for_each(|number: u16| tx.put(NOTES, &number.to_be_bytes(), 1, &[7; 900]))
        };
        store.write::<_, StorageError>(job).unwrap();
        drop(store);
        let before = fs::metadata(&path).unwrap().len();
        let store = Store::open(&path).unwrap();
        store.compact().unwrap();
        drop(store);
        let after = fs::metadata(&path).unwrap().len();
        assert!(
            after <= before,
            "{values} values: {before} bytes before, {after} after"
        );
    }
}

#[test]
fn no_byte_of_what_was_deleted_is_left_after_compacting() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    let text = |n: u32| format!("the combination of safe {n:04} is {:08}", n * 7919);
    let contains = |n: u32| {
        let (bytes, text) = (fs::read(&path).unwrap(), text(n));
        memchr::memmem::find(&bytes, text.as_bytes()).is_some()
    };
    for round in 0..3_u32 {
        let numbers = round * 400..(round + 1) * 400;
        for n in numbers.clone() {
            let put = |tx: &mut annals_storage::Transaction<'_>| {
                tx.put(NOTES, &n.to_be_bytes(), 1, text(n).as_bytes())
            };
            store.write::<_, StorageError>(put).unwrap();
        }
        for n in numbers.clone().filter(|n| n % 3 > 0) {
            store
                .write::<_, StorageError>(|tx| tx.delete(NOTES, &n.to_be_bytes()))
                .unwrap();
        }
        assert!(
            numbers.clone().any(|n| n % 3 > 0 && contains(n)),
            "overwritten before it was asked for"
        );
        store.compact().unwrap();
        for n in 0..numbers.end {
            assert_eq!(contains(n), n % 3 == 0, "round {round}, text {n}");
        }
    }
    assert!(store.validate().unwrap().is_sound());
}

#[cfg(unix)]
#[test]
fn compacting_keeps_the_rights_of_the_file_and_follows_links() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.annals"), folder.path().join("link"));
    fill(&Store::open(&path).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    // A file that an earlier attempt left is no obstacle.
    fs::write(folder.path().join("a.annals.compacting"), b"left").unwrap();
    let store = Store::open(&link).unwrap();
    assert_eq!(names(folder.path()), ["a.annals", "link"]);
    store.compact().unwrap();
    drop(store);
    assert_eq!(names(folder.path()), ["a.annals", "link"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        Store::open(&path)
            .unwrap()
            .snapshot()
            .unwrap()
            .get(NOTES, &[3, 3])
            .unwrap()
            .is_some()
    );
}

#[cfg(unix)]
#[test]
fn compacting_replaces_no_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, moved) = (
        folder.path().join("a.annals"),
        folder.path().join("moved.annals"),
    );
    let store = Store::open(&path).unwrap();
    put(&store, b"k");
    fs::rename(&path, &moved).unwrap();
    assert!(matches!(store.compact(), Err(StorageError::Io { .. })));
    fs::write(&path, b"a letter").unwrap();
    assert!(matches!(store.compact(), Err(StorageError::Misuse { .. })));
    put(&store, b"l");
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), b"a letter");
    assert_eq!(Store::open(&moved).unwrap().commit().0, 2);
    assert_eq!(names(folder.path()), ["a.annals", "moved.annals"]);
}

#[test]
fn readers_share_a_file_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    put(&Store::open(&path).unwrap(), b"k");
    let bytes = fs::read(&path).unwrap();
    let reading = Options::default().read_only(true);
    let (one, two) = (reading.open(&path).unwrap(), reading.open(&path).unwrap());
    for store in [&one, &two] {
        assert_eq!(
            store
                .snapshot()
                .unwrap()
                .get(NOTES, b"k")
                .unwrap()
                .unwrap()
                .body,
            b"body"
        );
        assert!(matches!(
            store.write::<_, StorageError>(|tx| tx.put(NOTES, b"l", 1, b"")),
            Err(StorageError::OpenedReadOnly { .. })
        ));
    }
    assert!(matches!(
        Store::open(&path),
        Err(StorageError::Locked {
            holder: Holder::ThisProcess,
            ..
        })
    ));
    drop(one);
    assert!(matches!(
        Store::open(&path),
        Err(StorageError::Locked {
            holder: Holder::ThisProcess,
            ..
        })
    ));
    drop(two);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let writing = Store::open(&path).unwrap();
    assert!(matches!(
        reading.open(&path),
        Err(StorageError::Locked { .. })
    ));
    drop(writing);
    let missing = folder.path().join("missing");
    assert!(matches!(
        reading.open(&missing),
        Err(StorageError::Io { .. })
    ));
    assert!(!missing.exists());
}

#[test]
fn a_handle_waits_for_another_and_says_who_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    let patient = Options::default().wait(std::time::Duration::from_secs(600));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| put(&patient.open(&path).unwrap(), b"later"));
        put(&store, b"k");
        drop(store);
        waiting.join().unwrap();
    });
    let store = Store::open(&path).unwrap();
    assert_eq!(store.commit().0, 2);
    let error = Options::default()
        .wait(std::time::Duration::from_millis(5))
        .open(&path)
        .unwrap_err();
    let StorageError::Locked {
        holder: Holder::ThisProcess,
        waited,
        ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(waited.as_millis() >= 5);
    assert!(error.to_string().contains("waited"), "{error}");
}

/// The name leads to another file by the time that the lock is free.
#[cfg(unix)]
#[test]
fn a_file_that_was_replaced_while_waiting_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (
        folder.path().join("a.annals"),
        folder.path().join("b.annals"),
    );
    (0..3_u8).for_each(|n| put(&Store::open(&other).unwrap(), &[n]));
    let store = Store::open(&path).unwrap();
    let patient = Options::default().wait(std::time::Duration::from_secs(600));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| patient.open(&path).unwrap().commit().0);
        fs::rename(&other, &path).unwrap();
        drop(store);
        assert_eq!(waiting.join().unwrap(), 3);
    });
}

#[test]
fn no_database_has_the_name_of_an_unfinished_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals.compacting");
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(error, StorageError::Misuse { .. })
            && error.to_string().contains("choose another name"),
        "{error}"
    );
    assert!(!path.exists());
}

#[test]
fn who_only_reads_is_told_that_a_file_holds_nothing_yet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    for bytes in [0, 1 << 20] {
        fs::write(&path, vec![0; bytes]).unwrap();
        let error = Options::default().read_only(true).open(&path).unwrap_err();
        assert!(error.to_string().contains("holds nothing yet"), "{error}");
    }
}
