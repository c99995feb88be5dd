#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]
//! The rules of an engine, over each engine there is.

use annals_storage::conformance::{self, Remote};
use annals_storage::{
    Engine, Keyspace, MemoryEngine, Options, Reads as _, RedbEngine, StorageError, Store,
};

const A: Keyspace = Keyspace::new("test.a");

#[test]
fn memory() {
    conformance::run(|| Box::new(MemoryEngine::new()));
}

#[test]
fn redb() {
    let folder = tempfile::tempdir().expect("a folder");
    let number = std::cell::Cell::new(0);
    conformance::run(|| {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.annals", number.get()));
        Box::new(RedbEngine::open(&path, &Options::default()).expect("a new file"))
    });
}

fn far(abort_every: u64) -> Remote {
    Remote::new(Box::new(MemoryEngine::new()), abort_every)
}

#[test]
fn far_away() {
    conformance::run(|| Box::new(far(0)));
}

/// The rules of a store hold over an engine that gives up one commit in five, also when it was kept
/// all the same.
#[test]
fn far_away_with_one_commit_in_five_given_up() {
    conformance::run(|| Box::new(far(5)));
}

#[test]
fn a_write_is_one_read_and_one_commit_however_many_keys_it_has() {
    let engine = far(0);
    let trips = engine.round_trips();
    let store = Store::with_engine(Box::new(engine)).expect("a store");
    let job = |tx: &mut annals_storage::Transaction<'_>| {
        let keys: Vec<[u8; 1]> = (0..50).map(|i| [i]).collect();
        let keys: Vec<(Keyspace, &[u8])> = keys.iter().map(|k| (A, k.as_slice())).collect();
        tx.multi_get(&keys)?;
        keys.iter()
            .try_for_each(|(keyspace, key)| tx.put(*keyspace, key, 1, b"body"))
    };
    let (written, count) = trips.during(|| store.write::<_, StorageError>(job));
    assert_eq!((written.expect("written").1.0, count), (1, 2));
    let (snapshot, count) = trips.during(|| store.snapshot().expect("a snapshot"));
    assert_eq!((snapshot.commit().0, count), (1, 1));
    assert_eq!(
        trips
            .during(|| snapshot.multi_get(&[(A, &[1]), (A, &[99])]))
            .1,
        1
    );
}

#[test]
fn commits_that_are_given_up_are_tried_again() {
    let engine = far(5);
    let trips = engine.round_trips();
    let store = Store::with_engine(Box::new(engine)).expect("a store");
    for i in 0..50_u8 {
        store
            .write::<_, StorageError>(|tx| tx.put(A, &[i], 1, b""))
            .expect("written at last");
    }
    assert_eq!(store.commit().0, 50);
    assert!(trips.aborted() >= 10, "{}", trips.aborted());
    assert!(store.validate().expect("read").is_sound());
}

#[test]
fn an_engine_that_always_gives_up_ends_in_an_error() {
    let store = Store::with_engine(Box::new(far(0))).expect("a store");
    drop(store);
    let engine: Box<dyn Engine> = Box::new(far(1));
    assert!(matches!(
        Store::with_engine(engine),
        Err(StorageError::Aborted { .. })
    ));
}
