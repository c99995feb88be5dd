//! One read fails and the disk recovers: the file is opened again by itself, and whatever was being
//! done goes on.

use super::super::tape::{Survivors, Tape};
use super::{Model, contents, engine_with, step, write};
use crate::{Options, StorageError, Store};

const STEPS: u8 = 12;

/// A store that keeps as good as nothing in memory, so that it reads from the disk.
fn forgetful(tape: &Tape) -> Result<Store, StorageError> {
    Store::with_engine(Box::new(engine_with(
        tape,
        &Options::default().cache_bytes(0),
    )?))
}

fn run(store: &Store) -> Model {
    let mut model = Model::new();
    for n in 0..STEPS {
        write(store, n).unwrap();
        step(n, &mut model);
        assert_eq!(contents(store), model, "step {n}");
    }
    model
}

#[test]
fn whichever_read_fails_the_job_goes_on() {
    let whole = Tape::default();
    let first = forgetful(&whole).unwrap();
    let begin = whole.reads();
    run(&first);
    let end = whole.reads();
    drop(first);
    assert!(end - begin > 100, "{}", end - begin);
    for at in begin..end {
        let tape = Tape::default();
        let store = forgetful(&tape).unwrap();
        tape.fail_read(at);
        let model = run(&store);
        assert!(store.validate().unwrap().is_sound(), "read {at}");
        assert_eq!(
            contents(&forgetful(&tape.after_crash(Survivors::None)).unwrap()),
            model,
            "read {at}"
        );
        drop(store);
        assert_eq!(contents(&forgetful(&tape).unwrap()), model, "read {at}");
    }
}

#[test]
fn a_snapshot_goes_on_after_a_failed_read_until_there_was_a_commit() {
    let tape = Tape::default();
    let store = forgetful(&tape).unwrap();
    let model = run(&store);
    let old = store.snapshot().unwrap();
    tape.fail_read(tape.reads());
    let read = |key: &[u8]| crate::Reads::get(&old, super::A, key).map(|found| found.unwrap().body);
    let (key, body) = model.iter().next().unwrap();
    assert_eq!(read(&key.1).unwrap(), *body);
    write(&store, 1).unwrap();
    tape.fail_read(tape.reads());
    match read(&key.1) {
        Ok(found) => assert_eq!(found, *body),
        Err(error) => assert!(matches!(error, StorageError::Closed { .. }), "{error}"),
    }
}

#[test]
fn reads_that_always_fail_are_an_error_and_no_endless_loop() {
    let tape = Tape::default();
    let store = forgetful(&tape).unwrap();
    run(&store);
    tape.break_reads();
    assert!(matches!(write(&store, 1), Err(StorageError::Io { .. })));
    assert!(store.snapshot().is_err());
    tape.mend_reads();
    write(&store, 1).unwrap();
}
