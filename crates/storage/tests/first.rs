#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
//! What a store does at its simplest, on each engine.

use annals_storage::{Keyspace, Reads as _, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("test.notes");

#[test]
fn what_was_written_is_there_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let store = Store::open(&path).unwrap();
    let mut seen = None;
    let ((), commit) =
        store.write::<_, StorageError>(|tx| tx.put(NOTES, b"k", 3, b"v"), |(), commit| seen = Some(commit)).unwrap();
    assert_eq!(seen, Some(commit));
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.commit(), commit);
    let stored = store.snapshot().unwrap().get(NOTES, b"k").unwrap().unwrap();
    assert_eq!((stored.version, stored.body), (3, b"v".to_vec()));
}

#[test]
fn many_writers_each_get_a_commit_of_their_own() {
    let store = Store::in_memory();
    std::thread::scope(|scope| {
        for writer in 0..8_u8 {
            let store = store.clone();
            scope.spawn(move || {
                for i in 0..100_u8 {
                    store.write::<_, StorageError>(|tx| tx.put(NOTES, &[writer, i], 1, b""), |(), _| {}).unwrap();
                }
            });
        }
    });
    assert_eq!(store.commit().0, 800);
}
