//! One operation fails and the disk recovers: the file is opened again by itself, and no caller
//! gets a wrong answer.

use std::io::ErrorKind;

use super::super::tape::{Survivors, Tape};
use super::{Model, contents, engine, step, store, write};
use crate::{StorageError, Store};

const STEPS: u8 = 10;

/// Whatever fails, a write that returned an error is not there, and one that returned Ok is.
#[test]
fn after_one_failure_the_contents_are_exactly_what_was_acknowledged() {
    let whole = Tape::default();
    let store_of = |tape: &Tape| store(tape);
    let first = store_of(&whole).unwrap();
    let begin = whole.operations();
    (0..STEPS).for_each(|n| write(&first, n).unwrap());
    let end = whole.operations();
    drop(first);
    let mut failures = 0;
    for at in begin..end {
        let tape = Tape::default();
        let store = store_of(&tape).unwrap();
        tape.fail_once(at, ErrorKind::Other);
        let mut model = Model::new();
        for n in 0..STEPS {
            match write(&store, n) {
                Ok(()) => step(n, &mut model),
                Err(StorageError::Io { .. }) => failures += 1,
                Err(other) => panic!("operation {at}: {other}"),
            }
            assert_eq!(contents(&store), model, "operation {at}, step {n}");
        }
        assert!(store.validate().unwrap().is_sound());
        drop(store);
        assert_eq!(
            contents(&store_of(&tape).unwrap()),
            model,
            "operation {at}, opened again"
        );
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_full_disk_has_a_message_of_its_own_and_passes() {
    let tape = Tape::default();
    let store = store(&tape).unwrap();
    write(&store, 0).unwrap();
    tape.fail_once(tape.operations(), ErrorKind::StorageFull);
    let error = write(&store, 1).unwrap_err();
    assert!(matches!(error, StorageError::DiskFull { .. }), "{error}");
    assert!(error.to_string().contains("no space is left"), "{error}");
    write(&store, 2).unwrap();
    assert_eq!(store.commit().0, 2);
}

#[test]
fn a_snapshot_from_before_a_failure_tells_the_truth_or_that_it_is_out_of_date() {
    let tape = Tape::default();
    let store = store(&tape).unwrap();
    write(&store, 0).unwrap();
    let old = store.snapshot().unwrap();
    tape.fail_once(tape.operations(), ErrorKind::Other);
    write(&store, 1).unwrap_err();
    assert_eq!(contents(&store).len(), 2);
    (2..9).for_each(|n| write(&store, n).unwrap());
    match crate::Reads::get(&old, super::B, b"same") {
        Ok(stored) => assert_eq!(stored.unwrap().body, [0]),
        Err(error) => assert!(matches!(error, StorageError::Closed { .. }), "{error}"),
    }
}

#[test]
fn a_disk_that_stays_broken_stays_an_error_and_comes_back_when_it_does() {
    let tape = Tape::default();
    let engine = engine(&tape).unwrap();
    let store = Store::with_engine(Box::new(engine)).unwrap();
    write(&store, 0).unwrap();
    tape.cut_at(tape.operations());
    for n in 1..4 {
        assert!(matches!(write(&store, n), Err(StorageError::Io { .. })));
    }
    tape.fail_once(0, ErrorKind::Other);
    write(&store, 5).unwrap();
    assert_eq!(store.commit().0, 2);
}

#[test]
fn what_could_not_be_synced_is_acknowledged_by_nobody() {
    let tape = Tape::default();
    let store = store(&tape).unwrap();
    write(&store, 0).unwrap();
    // The entry is written; no sync succeeds from there on.
    tape.cut_at(tape.operations() + 1);
    let told = write(&store, 1).unwrap_err();
    assert!(matches!(told, StorageError::Unsettled { .. }), "{told}");
    assert!(
        told.to_string()
            .contains("not known whether this write is kept"),
        "{told}"
    );
    // A job that finds its change there changes nothing, and would acknowledge it.
    let again =
        store.write::<_, StorageError>(|tx| crate::Reads::get(&*tx, super::B, b"same").map(drop));
    assert!(matches!(again, Err(StorageError::Unsettled { .. })));
    tape.free();
    write(&store, 2).unwrap();
    let mut model = Model::new();
    (0..3).for_each(|n| step(n, &mut model));
    let crashed = super::store(&tape.after_crash(Survivors::None)).unwrap();
    assert_eq!(
        (contents(&store), contents(&crashed)),
        (model.clone(), model)
    );
}
