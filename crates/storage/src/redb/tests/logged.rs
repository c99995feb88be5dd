//! The log: what it takes, when it is emptied, and what damage in it does.

use super::super::entry::{self, ALIGNMENT};
use super::super::head::{LOG_START, PAGES_START};
use super::super::tape::{Survivors, Tape};
use super::{A, contents, engine_with, store, write};
use crate::{Batch, Options, StorageError, Store};

fn put(store: &Store, key: u32, bytes: usize) {
    store
        .write::<_, StorageError>(|tx| tx.put(A, &key.to_be_bytes(), 1, &vec![7; bytes]))
        .unwrap();
}

#[test]
fn a_small_commit_is_one_write_and_one_sync() {
    let tape = Tape::default();
    let store = store(&tape).unwrap();
    put(&store, 0, 100);
    for n in 1..50 {
        let before = tape.operations();
        put(&store, n, 1500);
        assert_eq!(tape.operations() - before, 2, "commit {n}");
    }
    assert_eq!(contents(&store).len(), 50);
}

#[test]
fn what_is_only_in_the_log_survives_and_is_taken_over_once() {
    let tape = Tape::default();
    let first = store(&tape).unwrap();
    (0..8).for_each(|n| write(&first, n).unwrap());
    let expected = contents(&first);
    // The second crash comes before the log is emptied, the third finds an empty one.
    let mut disk = tape.after_crash(Survivors::None);
    for _ in 0..3 {
        let again = store(&disk).unwrap();
        assert_eq!((contents(&again), again.commit().0), (expected.clone(), 8));
        assert!(again.validate().unwrap().is_sound());
        let crashed = disk.after_crash(Survivors::None);
        drop(again);
        disk = crashed;
    }
}

#[test]
fn a_full_log_is_emptied_and_begun_again() {
    let tape = Tape::default();
    let first = store(&tape).unwrap();
    let rounds = u32::try_from(3 * (PAGES_START - LOG_START) / (60 << 10)).unwrap();
    for n in 0..rounds {
        put(&first, n, 60 << 10);
        if n % 7 == 0 {
            let crashed = store(&tape.after_crash(Survivors::None)).unwrap();
            assert_eq!(crashed.commit().0, u64::from(n) + 1);
            assert_eq!(contents(&crashed).len(), n as usize + 1);
        }
    }
    assert_eq!(first.commit().0, u64::from(rounds));
}

#[test]
fn a_torn_last_entry_is_no_commit_and_damage_before_others_is_reported() {
    let tape = Tape::default();
    let first = store(&tape).unwrap();
    (0..3).for_each(|n| put(&first, n, 2000));
    let disk = tape.after_crash(Survivors::None);
    // The first entry is the format record.
    let entry = |n: u64| usize::try_from(LOG_START + 512 + (n - 1) * 2560).unwrap();
    let torn = disk.after_crash(Survivors::None);
    torn.damage(entry(3) + 1000);
    assert_eq!(store(&torn).unwrap().commit().0, 2);
    disk.damage(entry(2) + 1000);
    let error = store(&disk).unwrap_err();
    assert!(
        error.is_corruption() && error.to_string().contains("entry 2 of the log"),
        "{error}"
    );
    // Who only reads gets what was there before, and is told.
    let before = disk.bytes();
    let reading = engine_with(&disk, &Options::default().read_only(true)).unwrap();
    let reading = Store::with_engine(Box::new(reading)).unwrap();
    assert_eq!((contents(&reading).len(), reading.commit().0), (1, 1));
    assert!(
        reading.damage().unwrap().contains("entry 2 of the log"),
        "{:?}",
        reading.damage()
    );
    assert!(!reading.validate().unwrap().is_sound());
    assert_eq!(disk.bytes(), before);
}

/// Odd, so that so many steps as a sector has bytes meet each of them, and longer than the forged
/// entry.
const STEP: usize = 65;

#[test]
fn a_text_that_looks_like_an_entry_is_none() {
    let mut told = Batch::default();
    told.put(A, b"forged".to_vec(), b"x".to_vec());
    for generation in 0..8 {
        let tape = Tape::default();
        let first = store(&tape).unwrap();
        // Wherever the text begins, one of these begins where an entry could.
        let forged = entry::encode(&told, generation, 7, usize::MAX).unwrap();
        let text = forged.get(..STEP).unwrap().repeat(ALIGNMENT);
        first
            .write::<_, StorageError>(|tx| tx.put(A, b"text", 1, &text))
            .unwrap();
        // The next generation writes over the beginning of what the last one left.
        put(&first, 0, 140 << 10);
        put(&first, 1, 100);
        let again = store(&tape.after_crash(Survivors::None)).unwrap();
        assert_eq!(
            contents(&again),
            contents(&first),
            "generation {generation}"
        );
        assert!(again.validate().unwrap().is_sound());
    }
}
