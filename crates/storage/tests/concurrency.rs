#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
//! Many writers and readers on one store: no update lost, no state half seen, no callback out of
//! order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Store, Transaction};
use annals_types::Commit;

const ACCOUNTS: Keyspace = Keyspace::new("bank.accounts");
const LOG: Keyspace = Keyspace::new("bank.log");
const START: i64 = 1000;

fn amount(body: &[u8]) -> i64 {
    i64::from_be_bytes(body.try_into().unwrap())
}

fn transfer(tx: &mut Transaction<'_>, from: u8, to: u8, sum: i64) -> Result<(), StorageError> {
    let found = tx.multi_get(&[(ACCOUNTS, &[from]), (ACCOUNTS, &[to])])?;
    let [Some(a), Some(b)] = found.as_slice() else {
        panic!("an account is missing")
    };
    tx.put(ACCOUNTS, &[from], 1, &(amount(&a.body) - sum).to_be_bytes())?;
    tx.put(ACCOUNTS, &[to], 1, &(amount(&b.body) + sum).to_be_bytes())?;
    tx.put(LOG, &tx.commit().0.to_be_bytes(), 1, &[from, to])
}

/// The money of all accounts, and the number of entries in the log.
fn audit(reads: &dyn Reads) -> (i64, u64) {
    let (mut sum, mut entries) = (0, 0);
    let ranges = [KeyRange::prefix(ACCOUNTS, b""), KeyRange::prefix(LOG, b"")];
    reads
        .scan(&ranges, &mut |index, _, _, body| {
            match index {
                0 => sum += amount(body),
                _ => entries += 1,
            }
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    (sum, entries)
}

fn bank(store: &Store, writers: u8, readers: usize, each: u8) {
    let open = |tx: &mut Transaction<'_>| {
        (0..8_u8).try_for_each(|i| tx.put(ACCOUNTS, &[i], 1, &START.to_be_bytes()))
    };
    let ((), opened) = store.write::<_, StorageError>(open).unwrap();
    let applied = Arc::new(Mutex::new(vec![opened]));
    let (done, audits) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                let mut last = opened;
                loop {
                    let finished = done.load(Ordering::SeqCst);
                    let snapshot = store.snapshot().unwrap();
                    assert!(snapshot.commit() >= last, "a later snapshot is older");
                    last = snapshot.commit();
                    assert_eq!(
                        audit(&snapshot),
                        (8 * START, last.0 - opened.0),
                        "at commit {}",
                        last.0
                    );
                    audits.fetch_add(1, Ordering::Relaxed);
                    if finished {
                        return;
                    }
                    std::thread::yield_now();
                }
            });
        }
        let writing: Vec<_> = (0..writers)
            .map(|writer| {
                let applied = &applied;
                scope.spawn(move || {
                    for i in 0..each {
                        let (from, to) = ((writer + i) % 8, (writer + i * 3 + 1) % 8);
                        let job = |tx: &mut Transaction<'_>| {
                            if from == to {
                                return Err(StorageError::Misuse {
                                    detail: "the same account".into(),
                                });
                            }
                            transfer(tx, from, to, i64::from(i))?;
                            // Some break off in the middle, after they have written.
                            assert!((writer + i) % 13 != 12, "on purpose");
                            let applied = Arc::clone(applied);
                            Ok(((), move |commit| applied.lock().unwrap().push(commit)))
                        };
                        let outcome = store.write_then(job);
                        let expected = if from == to {
                            matches!(outcome, Err(StorageError::Misuse { .. }))
                        } else if (writer + i) % 13 == 12 {
                            matches!(outcome, Err(StorageError::JobPanicked { .. }))
                        } else {
                            outcome.is_ok()
                        };
                        assert!(expected, "{outcome:?}");
                    }
                })
            })
            .collect();
        writing
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        done.store(true, Ordering::SeqCst);
    });
    let applied = applied.lock().unwrap();
    assert!(
        applied.windows(2).all(|pair| pair[1] == pair[0].next()),
        "callbacks out of order"
    );
    assert_eq!(applied.last(), Some(&store.commit()));
    assert!(audits.into_inner() >= readers as u64);
    assert!(store.validate().unwrap().is_sound());
    let stats = store.stats().unwrap();
    assert_eq!(stats.jobs, store.commit().0);
    assert!(stats.groups <= stats.jobs);
}

#[test]
fn thirty_two_writers_and_readers_in_memory() {
    bank(&Store::in_memory(), 24, 8, 40);
}

#[test]
fn thirty_two_writers_and_readers_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    bank(
        &Store::open(folder.path().join("bank.annals")).unwrap(),
        24,
        8,
        20,
    );
}

#[test]
fn a_write_inside_a_write_is_refused_instead_of_waiting_for_itself() {
    let store = Store::in_memory();
    let inner = |store: &Store| store.write::<_, StorageError>(|tx| tx.put(LOG, b"k", 1, b""));
    let inside_job = store.write(|_| inner(&store).map(|_| ()));
    assert!(matches!(inside_job, Err(StorageError::Misuse { .. })));
    let (answer, inside_callback) = std::sync::mpsc::channel();
    let job = |tx: &mut Transaction<'_>| {
        tx.put(LOG, b"k", 1, b"")?;
        let (store, answer) = (store.clone(), answer.clone());
        Ok::<_, StorageError>(((), move |_| answer.send(inner(&store)).unwrap()))
    };
    store.write_then(job).unwrap();
    assert!(matches!(
        inside_callback.recv().unwrap(),
        Err(StorageError::Misuse { .. })
    ));
    inner(&store).unwrap();
}

#[test]
fn a_panic_in_what_follows_a_commit_poisons_the_store() {
    let store = Store::in_memory();
    let broken = |_| panic!("broken view");
    // The commit itself is durable.
    store
        .write_then::<_, StorageError, _>(|tx| Ok((tx.put(LOG, b"k", 1, b"")?, broken)))
        .unwrap();
    let error = store
        .write::<_, StorageError>(|tx| tx.put(LOG, b"l", 1, b""))
        .unwrap_err();
    assert!(
        matches!(&error, StorageError::Poisoned { reason } if reason.contains("broken view")),
        "{error}"
    );
    assert!(matches!(
        store.snapshot(),
        Err(StorageError::Poisoned { .. })
    ));
}

#[test]
fn keyspaces_of_the_store_and_oversized_values_are_refused() {
    let store = Store::in_memory();
    let refused =
        |job: &mut (dyn FnMut(&mut Transaction<'_>) -> Result<(), StorageError> + Send)| {
            matches!(store.write(job), Err(StorageError::Misuse { .. }))
        };
    let meta = Keyspace::new("storage.meta");
    assert!(refused(&mut |tx| tx.put(meta, b"commit", 1, b"")));
    assert!(refused(&mut |tx| tx.delete(meta, b"commit").map(|_| ())));
    assert!(refused(&mut |tx| tx
        .delete_range(&KeyRange::prefix(meta, b""), 9)
        .map(|_| ())));
    assert!(refused(&mut |tx| tx.put(
        LOG,
        &vec![0; annals_storage::MAX_KEY_BYTES + 1],
        1,
        b""
    )));
    assert_eq!(store.commit().0, 0);
}

#[test]
fn what_runs_after_a_group_has_run_when_its_writers_go_on() {
    let store = Store::in_memory();
    let (applied, shown) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (from, to) = (Arc::clone(&applied), Arc::clone(&shown));
    store.after_each_group(move || to.store(from.load(Ordering::SeqCst), Ordering::SeqCst));
    let write = || {
        for _ in 0..50 {
            let job = |tx: &mut Transaction<'_>| {
                tx.put(LOG, &tx.commit().0.to_be_bytes(), 1, b"")?;
                let applied = Arc::clone(&applied);
                Ok(((), move |commit: Commit| {
                    applied.store(commit.0, Ordering::SeqCst)
                }))
            };
            let ((), commit) = store.write_then::<_, StorageError, _>(job).unwrap();
            assert!(
                shown.load(Ordering::SeqCst) >= commit.0,
                "commit {} is not shown",
                commit.0
            );
        }
    };
    std::thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(write))));
    assert_eq!(shown.load(Ordering::SeqCst), 400);
}
