#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]
//! Bits flipped inside the file: a read gives the right value or an error, never a wrong value.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use annals_storage::{KeyRange, Keyspace, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.notes");
const ROWS: u16 = 400;

fn body(row: u16) -> Vec<u8> {
    (0..row % 300 + 10)
        .map(|i| (i.wrapping_mul(31) ^ row) as u8)
        .collect()
}

fn fill(path: &Path) {
    let store = Store::open(path).unwrap();
    for start in (0..ROWS).step_by(100) {
        let job = |tx: &mut annals_storage::Transaction<'_>| {
            (start..start + 100)
                .try_for_each(|row| tx.put(NOTES, &row.to_be_bytes(), 1, &body(row)))
        };
        store.write::<_, StorageError>(job).unwrap();
    }
}

#[derive(Debug, Default)]
struct Outcomes {
    not_opened: u32,
    errors: u32,
    unharmed: u32,
}

/// Reads everything; a wrong value fails the test, and so does one that is missing.
fn read(path: &Path, what: &str, outcomes: &mut Outcomes) {
    let Ok(store) = Store::open(path) else {
        outcomes.not_opened += 1;
        return;
    };
    let report = store.validate();
    let noticed = !report
        .as_ref()
        .is_ok_and(annals_storage::ValidateReport::is_sound);
    let Ok(snapshot) = store.snapshot() else {
        outcomes.errors += 1;
        return;
    };
    let mut errors = 0;
    for row in 0..ROWS {
        match snapshot.get(NOTES, &row.to_be_bytes()) {
            Ok(Some(stored)) => assert_eq!(
                (stored.version, stored.body),
                (1, body(row)),
                "{what}, row {row}"
            ),
            Ok(None) => panic!("{what}: row {row} is missing without an error"),
            Err(error) => {
                assert!(
                    !matches!(error, StorageError::Misuse { .. }),
                    "{what}: {error}"
                );
                errors += 1;
            }
        }
    }
    let mut rows = 0;
    let scanned = snapshot.scan(
        &[KeyRange::prefix(NOTES, b"")],
        &mut |_, key, version, found| {
            rows += 1;
            let row = u16::from_be_bytes(key.try_into().unwrap_or([0xFF; 2]));
            assert_eq!(
                (version, found),
                (1, &body(row)[..]),
                "{what}, row {row} in a scan"
            );
            Ok(ControlFlow::Continue(()))
        },
    );
    if errors > 0 || scanned.is_err() {
        outcomes.errors += 1;
        assert!(noticed, "{what}: reading fails, but validate finds nothing");
    } else {
        assert_eq!(rows, ROWS, "{what}: a scan lacks rows without an error");
        outcomes.unharmed += 1;
    }
}

/// Single bits that flip in the pages of a file of its own, each in turn; `salvage` gets everything
/// back.
fn flip(path: &Path, flips: u32, mut seed: u64, salvages: bool) -> Outcomes {
    let bytes = fs::read(path).unwrap();
    // Pages that hold nothing have nothing to lose, nor has the log before them once the file is
    // closed.
    let used: Vec<usize> = (1 << 20..bytes.len())
        .filter(|at| bytes[at & !0xFFF..].iter().take(4096).any(|&b| b != 0))
        .collect();
    let mut outcomes = Outcomes::default();
    let (flipped, saved) = (path.with_extension("flipped"), path.with_extension("saved"));
    for _ in 0..flips {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let at = used[seed as usize % used.len()];
        let mut copy = bytes.clone();
        copy[at] ^= 1 << (seed >> 60 & 7);
        fs::write(&flipped, &copy).unwrap();
        let what = format!("bit {} of byte {at}", seed >> 60 & 7);
        if salvages {
            salvage_all(&flipped, &saved, &what);
        }
        read(&flipped, &what, &mut outcomes);
    }
    outcomes
}

/// One flipped bit is put right, wherever it is.
fn salvage_all(flipped: &Path, saved: &Path, what: &str) {
    let salvaged =
        annals_storage::salvage(flipped, saved, &annals_storage::Options::default()).unwrap();
    assert_eq!(salvaged.lost, [], "{what}");
    let mut outcomes = Outcomes::default();
    read(saved, what, &mut outcomes);
    assert_eq!(outcomes.unharmed, 1, "{what}: {outcomes:?}");
    assert!(
        Store::open(saved).unwrap().validate().unwrap().is_sound(),
        "{what}"
    );
    fs::remove_file(saved).unwrap();
}

#[test]
fn a_flipped_bit_is_never_a_wrong_or_missing_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    fill(&path);
    let outcomes = flip(&path, 400, 0x9E37_79B9_7F4A_7C15, false);
    assert!(
        outcomes.errors > 60 && outcomes.unharmed > 0,
        "{outcomes:?}"
    );
}

#[test]
fn a_file_with_a_flipped_bit_is_saved_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    fill(&path);
    flip(&path, 24, 0x2545_F491_4F6C_DD1D, true);
}

/// A value that is damaged does not keep the others from being read, and the report names it.
#[test]
fn a_damaged_value_is_named_and_the_others_stay_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    fill(&path);
    let mut bytes = fs::read(&path).unwrap();
    let needle = body(277);
    let places: Vec<usize> = (0..bytes.len() - needle.len())
        .filter(|&at| bytes[at..].starts_with(&needle))
        .collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at + 3] ^= 0x10);
    fs::write(&path, &bytes).unwrap();
    let store = Store::open(&path).unwrap();
    let report = store.validate().unwrap();
    assert_eq!((report.damaged_count, report.damaged.len()), (1, 1));
    let finding = report.damaged[0].to_string();
    assert!(
        finding.contains("test.notes") && finding.contains("0115"),
        "{finding}"
    );
    let snapshot = store.snapshot().unwrap();
    assert!(
        snapshot
            .get(NOTES, &277_u16.to_be_bytes())
            .unwrap_err()
            .is_corruption()
    );
    // What lies in the same page may be read by `salvage` alone; everything else is read as ever.
    assert_eq!(
        snapshot
            .get(NOTES, &100_u16.to_be_bytes())
            .unwrap()
            .unwrap()
            .body,
        body(100)
    );
    assert_eq!(
        snapshot
            .get(NOTES, &399_u16.to_be_bytes())
            .unwrap()
            .unwrap()
            .body,
        body(399)
    );
}

/// Whatever page says that it holds more, or less, than it does: what is not saved is told.
#[test]
fn nothing_is_lost_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    fill(&path);
    let bytes = fs::read(&path).unwrap();
    let (damaged, saved) = (
        folder.path().join("damaged.annals"),
        folder.path().join("saved.annals"),
    );
    let mut lost = 0;
    for page in (1 << 20..bytes.len())
        .step_by(4096)
        .filter(|page| matches!(bytes[*page], 1 | 2))
    {
        for value in [0, 1, 3, 0xF7] {
            let mut copy = bytes.clone();
            copy[page + 1..page + 4].fill(value);
            fs::write(&damaged, &copy).unwrap();
            let salvaged =
                annals_storage::salvage(&damaged, &saved, &annals_storage::Options::default())
                    .unwrap();
            let store = Store::open(&saved).unwrap();
            let snapshot = store.snapshot().unwrap();
            let there = (0..ROWS)
                .filter(|row| snapshot.get(NOTES, &row.to_be_bytes()).unwrap().is_some())
                .count();
            assert!(
                there == usize::from(ROWS) || salvaged.lost_count > 0,
                "page {page}, {value}: {there} rows"
            );
            lost += usize::from(ROWS) - there;
            drop((snapshot, store));
            fs::remove_file(&saved).unwrap();
        }
    }
    assert!(lost > usize::from(ROWS), "{lost}");
}
