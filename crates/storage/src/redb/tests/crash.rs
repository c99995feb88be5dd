//! The power fails at every single write and sync in turn; what was acknowledged must be there
//! afterwards.

use super::super::tape::{Survivors, Tape};
use super::{Model, contents, engine, step, store, write};
use crate::{Depth, Engine as _};

const STEPS: u8 = 14;

/// Runs the steps until the disk fails; gives how many were acknowledged.
fn run(tape: &Tape) -> u8 {
    let Ok(store) = store(tape) else { return 0 };
    (0..STEPS)
        .find(|&n| write(&store, n).is_err())
        .unwrap_or(STEPS)
}

#[test]
fn acknowledged_writes_survive_a_cut_at_any_operation() {
    let whole = Tape::default();
    assert_eq!(run(&whole), STEPS);
    let operations = whole.operations();
    assert!(operations > 100, "{operations}");
    let mut models = vec![Model::new()];
    for n in 0..STEPS {
        let mut next = models[usize::from(n)].clone();
        step(n, &mut next);
        models.push(next);
    }
    for cut in 0..operations {
        let tape = Tape::default();
        tape.cut_at(cut);
        let acknowledged = usize::from(run(&tape));
        for survivors in [
            Survivors::None,
            Survivors::All,
            Survivors::Some(cut * 7 + 1),
            Survivors::Some(cut * 31 + 5),
        ] {
            let disk = tape.after_crash(survivors);
            let found = match store(&disk) {
                Ok(store) => {
                    let report = store.validate().unwrap();
                    assert!(
                        report.is_sound(),
                        "cut {cut}, {survivors:?}: {:?}",
                        report.damaged
                    );
                    assert_eq!(store.stats().unwrap().engine.file_bytes, disk_length(&disk));
                    (contents(&store), store.commit().0)
                }
                // The very first bytes of a new file were lost: a file is then told apart by its
                // header.
                Err(error) if acknowledged == 0 => {
                    assert!(cut < 8, "cut {cut}, {survivors:?}: {error}");
                    continue;
                }
                Err(error) => panic!("cut {cut}, {survivors:?}: {error}"),
            };
            // The write under way may have been kept: all of it.
            let fits = (acknowledged..=acknowledged + 1).any(|n| {
                models
                    .get(n)
                    .is_some_and(|model| found == (model.clone(), n as u64))
            });
            assert!(
                fits,
                "cut {cut}, {survivors:?}: {acknowledged} acknowledged, at commit {}",
                found.1
            );
        }
    }
}

fn disk_length(tape: &Tape) -> u64 {
    redb::StorageBackend::len(tape).unwrap()
}

#[test]
fn a_crashed_file_goes_on_and_closes_cleanly() {
    let tape = Tape::default();
    let first = store(&tape).unwrap();
    write(&first, 0).unwrap();
    let disk = tape.after_crash(Survivors::None);
    drop(first);
    let second = store(&disk).unwrap();
    write(&second, 1).unwrap();
    drop(second);
    let third = store(&disk.after_crash(Survivors::None)).unwrap();
    assert_eq!(third.commit().0, 2);
    assert_eq!(
        engine(&disk)
            .unwrap()
            .stats(Depth::Counts)
            .unwrap()
            .keyspaces
            .len(),
        3
    );
}
