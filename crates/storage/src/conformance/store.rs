//! The rules of [`Store`] over an engine.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use annals_types::Commit;

use crate::{Engine, KeyRange, Keyspace, Reads, StorageError, Store};

const A: Keyspace = Keyspace::new("conformance.a");
const B: Keyspace = Keyspace::new("conformance.b");

pub(super) const CHECKS: &[fn(Box<dyn Engine>)] = &[
    a_job_reads_its_own_writes,
    a_failed_job_leaves_nothing,
    commits_are_numbered_in_order,
    what_follows_runs_once_and_in_order,
    writers_together_lose_nothing,
    a_range_is_deleted_up_to_a_limit,
    a_sound_store_validates,
];

fn open(engine: Box<dyn Engine>) -> Store {
    Store::with_engine(engine).unwrap()
}

fn put(store: &Store, key: &[u8], body: &[u8]) -> Commit {
    store
        .write::<_, StorageError>(|tx| tx.put(A, key, 1, body))
        .unwrap()
        .1
}

fn keys(reads: &dyn Reads, range: KeyRange) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    reads
        .scan(&[range], &mut |_, key, _, _| {
            keys.push(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    keys
}

fn a_job_reads_its_own_writes(engine: Box<dyn Engine>) {
    let store = open(engine);
    for key in [b"b", b"d", b"f"] {
        put(&store, key, b"old");
    }
    let job = |tx: &mut crate::Transaction<'_>| {
        tx.put(A, b"a", 2, b"new")?;
        tx.put(A, b"d", 2, b"new")?;
        tx.put(A, b"g", 2, b"new")?;
        assert!(tx.delete(A, b"f")?);
        assert!(!tx.delete(A, b"f")?);
        assert!(!tx.delete(A, b"zz")?);
        assert_eq!(keys(tx, KeyRange::prefix(A, b"")), [b"a", b"b", b"d", b"g"]);
        assert_eq!(
            keys(tx, KeyRange::between(A, b"b", b"g").reversed()),
            [b"d", b"b"]
        );
        assert_eq!(keys(tx, KeyRange::prefix(B, b"")), Vec::<Vec<u8>>::new());
        let got = tx.multi_get(&[(A, b"d"), (A, b"f"), (A, b"b"), (B, b"d")])?;
        let bodies: Vec<_> = got
            .into_iter()
            .map(|s| s.map(|s| (s.version, s.body)))
            .collect();
        assert_eq!(
            bodies,
            [
                Some((2, b"new".to_vec())),
                None,
                Some((1, b"old".to_vec())),
                None
            ]
        );
        Ok::<_, StorageError>(tx.commit())
    };
    let (inside, commit) = store.write(job).unwrap();
    assert_eq!(inside, commit);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        keys(&snapshot, KeyRange::prefix(A, b"")),
        [b"a", b"b", b"d", b"g"]
    );
    assert_eq!(snapshot.commit(), commit);
}

fn a_failed_job_leaves_nothing(engine: Box<dyn Engine>) {
    let store = open(engine);
    let before = put(&store, b"k", b"1");
    let failed = store.write(|tx| {
        tx.put(A, b"k", 1, b"2")?;
        tx.put(B, b"k", 1, b"2")?;
        tx.delete(A, b"k")?;
        Err::<(), _>(StorageError::misuse("on purpose"))
    });
    assert!(matches!(failed, Err(StorageError::Misuse { .. })));
    assert_eq!(store.commit(), before);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        snapshot.get(A, b"k").unwrap().map(|s| s.body),
        Some(b"1".to_vec())
    );
    assert_eq!(snapshot.get(B, b"k").unwrap(), None);
}

fn commits_are_numbered_in_order(engine: Box<dyn Engine>) {
    let store = open(engine);
    let first = put(&store, b"a", b"");
    assert_eq!(first, Commit(1));
    assert_eq!(put(&store, b"b", b""), Commit(2));
    // A job that changes nothing has the number of the state that it read.
    let ((), commit) = store
        .write::<_, StorageError>(|tx| tx.get(A, b"a").map(|_| ()))
        .unwrap();
    assert_eq!(commit, Commit(2));
    assert_eq!(store.commit(), Commit(2));
    assert_eq!(store.snapshot().unwrap().commit(), Commit(2));
}

fn what_follows_runs_once_and_in_order(engine: Box<dyn Engine>) {
    let store = open(engine);
    let seen = Arc::new(Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for writer in 0..6_u8 {
            let (store, seen) = (&store, &seen);
            scope.spawn(move || {
                for i in 0..20_u8 {
                    let job = |tx: &mut crate::Transaction<'_>| {
                        tx.put(A, &[writer, i], 1, b"")?;
                        let (number, store, seen) = (tx.commit(), store.clone(), Arc::clone(seen));
                        let then = move |commit: Commit| {
                            assert_eq!(number, commit);
                            assert!(store.commit() >= commit, "called before it was durable");
                            seen.lock().unwrap().push(commit.0);
                        };
                        Ok::<_, StorageError>((number, then))
                    };
                    let (number, commit) = store.write_then(job).unwrap();
                    assert_eq!(number, commit);
                    assert!(
                        seen.lock().unwrap().contains(&number.0),
                        "answered before what follows"
                    );
                }
            });
        }
    });
    assert_eq!(*seen.lock().unwrap(), (1..=120).collect::<Vec<u64>>());
}

/// Writers count up the same value: a lost update would show.
fn writers_together_lose_nothing(engine: Box<dyn Engine>) {
    let store = open(engine);
    std::thread::scope(|scope| {
        for writer in 0..6_u8 {
            let store = &store;
            scope.spawn(move || {
                for i in 0..20_u8 {
                    let job = |tx: &mut crate::Transaction<'_>| {
                        let body = tx.get(A, b"n")?.map_or(vec![0], |s| s.body);
                        tx.put(A, b"n", 1, &body.iter().map(|n| n + 1).collect::<Vec<_>>())?;
                        tx.put(B, &[writer, i], 1, b"")?;
                        // Some of the group's members fail after they wrote.
                        if i % 5 == 4 {
                            Err(StorageError::misuse("on purpose"))
                        } else {
                            Ok(())
                        }
                    };
                    assert_eq!(store.write(job).is_ok(), i % 5 != 4);
                }
            });
        }
    });
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        snapshot.get(A, b"n").unwrap().map(|s| s.body),
        Some(vec![6 * 16])
    );
    assert_eq!(keys(&snapshot, KeyRange::prefix(B, b"")).len(), 6 * 16);
    assert_eq!(store.commit(), Commit(6 * 16));
}

fn a_range_is_deleted_up_to_a_limit(engine: Box<dyn Engine>) {
    let store = open(engine);
    for i in 0..10_u8 {
        put(&store, &[1, i], b"");
    }
    put(&store, &[2], b"");
    let delete = |range: &KeyRange, limit| {
        store
            .write::<_, StorageError>(|tx| tx.delete_range(range, limit))
            .unwrap()
            .0
    };
    assert_eq!(delete(&KeyRange::prefix(A, &[1]), 4), 4);
    assert_eq!(delete(&KeyRange::prefix(A, &[1]).reversed(), 1), 1);
    assert_eq!(delete(&KeyRange::prefix(A, &[1]), 0), 0);
    let left = |store: &Store| keys(&store.snapshot().unwrap(), KeyRange::prefix(A, b""));
    assert_eq!(
        left(&store),
        [
            vec![1, 4],
            vec![1, 5],
            vec![1, 6],
            vec![1, 7],
            vec![1, 8],
            vec![2]
        ]
    );
    assert_eq!(delete(&KeyRange::prefix(A, &[1]), usize::MAX), 5);
    assert_eq!(left(&store), [vec![2]]);
}

fn a_sound_store_validates(engine: Box<dyn Engine>) {
    let store = open(engine);
    put(&store, b"k", b"body");
    let report = store.validate().unwrap();
    assert!(report.is_sound(), "{:?}", report.damaged);
    // The value, the commit number, the writer and the format record.
    assert_eq!(report.values, 4);
    assert_eq!(
        store
            .stats()
            .unwrap()
            .engine
            .keyspaces
            .iter()
            .map(|k| k.entries)
            .sum::<u64>(),
        4
    );
}
