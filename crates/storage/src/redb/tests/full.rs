//! A disk without space, and one that must not be written: what is there can be read.

use super::super::tape::{Survivors, Tape};
use super::{Model, contents, engine_with, step, store, write};
use crate::{Options, StorageError, Store};

/// A disk that was not closed cleanly, with so many commits, some of them in the log only.
fn left_behind(steps: u8) -> (Tape, Model) {
    let tape = Tape::default();
    let first = store(&tape).unwrap();
    let mut model = Model::new();
    for n in 0..steps {
        write(&first, n).unwrap();
        step(n, &mut model);
    }
    let disk = tape.after_crash(Survivors::None);
    drop(first);
    (disk, model)
}

#[test]
fn a_full_disk_is_read_and_written_again_once_there_is_space() {
    let (disk, mut model) = left_behind(9);
    disk.fill();
    let bytes = disk.bytes();
    let store = store(&disk).unwrap();
    assert_eq!(contents(&store), model);
    assert!(store.validate().unwrap().is_sound());
    for n in 9..12 {
        assert!(matches!(
            write(&store, n),
            Err(StorageError::DiskFull { .. })
        ));
        assert_eq!((contents(&store), store.commit().0), (model.clone(), 9));
    }
    assert_eq!(disk.bytes(), bytes);
    disk.free();
    write(&store, 9).unwrap();
    step(9, &mut model);
    assert_eq!(contents(&store), model);
    let crashed = disk.after_crash(Survivors::None);
    assert_eq!(contents(&super::store(&crashed).unwrap()), model);
}

#[test]
fn a_running_store_keeps_its_reads_when_the_disk_fills_up() {
    let tape = Tape::default();
    let store = store(&tape).unwrap();
    let mut model = Model::new();
    for n in 0..6 {
        write(&store, n).unwrap();
        step(n, &mut model);
    }
    let before = store.snapshot().unwrap();
    tape.fill();
    for n in 6..9 {
        assert!(matches!(
            write(&store, n),
            Err(StorageError::DiskFull { .. })
        ));
        assert_eq!(contents(&store), model);
        let same = crate::Reads::get(&before, super::B, b"same").unwrap();
        assert_eq!(same.unwrap().body, [5]);
    }
    tape.free();
    write(&store, 6).unwrap();
    step(6, &mut model);
    assert_eq!(contents(&store), model);
}

#[test]
fn a_new_file_without_space_is_an_error() {
    let tape = Tape::default();
    tape.fill();
    assert!(matches!(store(&tape), Err(StorageError::DiskFull { .. })));
}

#[test]
fn who_only_reads_writes_nothing_whatever_was_left_behind() {
    let (disk, model) = left_behind(9);
    let bytes = disk.bytes();
    let options = Options::default().read_only(true);
    let engine = engine_with(&disk, &options).unwrap();
    let store = Store::with_engine(Box::new(engine))
        .unwrap()
        .for_reading("test".as_ref());
    assert_eq!(contents(&store), model);
    assert!(store.validate().unwrap().is_sound());
    let refused = write(&store, 9).unwrap_err();
    assert!(
        matches!(refused, StorageError::OpenedReadOnly { .. }),
        "{refused}"
    );
    assert!(matches!(
        store.compact(),
        Err(StorageError::OpenedReadOnly { .. })
    ));
    // Derived data may be written: into memory.
    store
        .write_derived::<_, StorageError>(|tx| tx.put(super::A, b"derived", 1, b"x"))
        .unwrap();
    assert_eq!(contents(&store).len(), model.len() + 1);
    drop(store);
    assert_eq!((disk.bytes(), disk.operations()), (bytes, 0));
    assert_eq!(contents(&super::store(&disk).unwrap()), model);
}
