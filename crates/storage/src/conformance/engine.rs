//! The rules of [`Engine`] itself.

use std::ops::ControlFlow;

use crate::{Batch, Depth, Engine, EngineReads, Expected, KeyRange, Keyspace, StorageError};

const A: Keyspace = Keyspace::new("conformance.a");
const B: Keyspace = Keyspace::new("conformance.b");

pub(super) const CHECKS: &[fn(&dyn Engine)] = &[
    empty_keyspaces_are_empty,
    a_batch_is_applied_as_a_whole,
    keys_and_values_are_any_bytes,
    ranges_are_half_open_and_ordered,
    a_break_ends_only_its_range,
    an_error_of_the_visitor_ends_the_walk,
    snapshots_do_not_change,
    an_expectation_that_fails_changes_nothing,
    counts_are_right,
];

fn apply(engine: &dyn Engine, batch: &Batch) {
    for _ in 0..8 {
        match engine.apply(batch) {
            Err(StorageError::Aborted { .. }) => {}
            result => return result.unwrap(),
        }
    }
    panic!("the engine gave the same batch up eight times in a row");
}

fn put(engine: &dyn Engine, keyspace: Keyspace, pairs: &[(&[u8], &[u8])]) {
    let mut batch = Batch::default();
    for (key, value) in pairs {
        batch.put(keyspace, key.to_vec(), value.to_vec());
    }
    apply(engine, &batch);
}

type Entries = Vec<(usize, Vec<u8>, Vec<u8>)>;

fn walk(reads: &dyn EngineReads, ranges: &[KeyRange]) -> Entries {
    let mut seen = Vec::new();
    reads
        .multi_range(ranges, &mut |index, key, value| {
            seen.push((index, key.to_vec(), value.to_vec()));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    seen
}

fn keys(seen: &Entries) -> Vec<(usize, &[u8])> {
    seen.iter()
        .map(|(index, key, _)| (*index, key.as_slice()))
        .collect()
}

fn empty_keyspaces_are_empty(engine: &dyn Engine) {
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(
        snapshot.multi_get(&[(A, b"k"), (B, b"")]).unwrap(),
        [None, None]
    );
    assert_eq!(
        snapshot.multi_get(&[]).unwrap(),
        Vec::<Option<Vec<u8>>>::new()
    );
    assert!(
        walk(
            &*snapshot,
            &[
                KeyRange::prefix(A, b""),
                KeyRange::prefix(B, b"").reversed()
            ]
        )
        .is_empty()
    );
    assert!(walk(&*snapshot, &[]).is_empty());
}

fn a_batch_is_applied_as_a_whole(engine: &dyn Engine) {
    put(engine, A, &[(b"old", b"1"), (b"gone", b"2")]);
    let mut batch = Batch::default();
    batch.put(A, b"new".to_vec(), b"3".to_vec());
    batch.put(A, b"old".to_vec(), b"4".to_vec());
    batch.delete(A, b"gone".to_vec());
    batch.delete(A, b"never".to_vec());
    batch.put(B, b"old".to_vec(), b"5".to_vec());
    apply(engine, &batch);
    let found = engine.snapshot().unwrap().multi_get(&[
        (A, b"new"),
        (A, b"old"),
        (A, b"gone"),
        (B, b"old"),
        (B, b"new"),
    ]);
    let expected =
        [Some("3"), Some("4"), None, Some("5"), None].map(|v| v.map(|v| v.as_bytes().to_vec()));
    assert_eq!(found.unwrap(), expected);
    apply(engine, &Batch::default());
}

fn keys_and_values_are_any_bytes(engine: &dyn Engine) {
    let long = vec![0xFF_u8; 3000];
    let pairs: [(&[u8], &[u8]); 5] = [
        (b"", b"empty key"),
        (b"\0", b""),
        (&[0xFF], b"\0\0"),
        (&long, b"long key"),
        (b"value", &long),
    ];
    put(engine, A, &pairs);
    let snapshot = engine.snapshot().unwrap();
    for (key, value) in pairs {
        assert_eq!(
            snapshot.multi_get(&[(A, key)]).unwrap(),
            [Some(value.to_vec())]
        );
    }
    assert_eq!(walk(&*snapshot, &[KeyRange::prefix(A, b"")]).len(), 5);
    assert_eq!(
        keys(&walk(&*snapshot, &[KeyRange::prefix(A, &[0xFF])])),
        [(0, &[0xFF][..]), (0, &long)]
    );
}

fn ranges_are_half_open_and_ordered(engine: &dyn Engine) {
    put(
        engine,
        A,
        &[(b"a", b""), (b"b", b""), (b"ba", b""), (b"c", b"")],
    );
    put(engine, B, &[(b"bb", b"")]);
    let snapshot = engine.snapshot().unwrap();
    let ranges = [
        KeyRange::between(A, b"a", b"c"),
        KeyRange::between(A, b"a", b"c").reversed(),
        KeyRange::prefix(A, b"b"),
        KeyRange::between(A, b"c", b"a"),
        KeyRange::between(A, b"b", b"b"),
        KeyRange::prefix(B, b"b").reversed(),
        KeyRange {
            keyspace: A,
            start: b"bb".to_vec(),
            end: None,
            reverse: true,
        },
    ];
    let seen = walk(&*snapshot, &ranges);
    let expected: [(usize, &[u8]); 10] = [
        (0, b"a"),
        (0, b"b"),
        (0, b"ba"),
        (1, b"ba"),
        (1, b"b"),
        (1, b"a"),
        (2, b"b"),
        (2, b"ba"),
        (5, b"bb"),
        (6, b"c"),
    ];
    assert_eq!(keys(&seen), expected);
}

fn a_break_ends_only_its_range(engine: &dyn Engine) {
    put(engine, A, &[(b"1", b""), (b"2", b""), (b"3", b"")]);
    let ranges = [
        KeyRange::prefix(A, b""),
        KeyRange::prefix(A, b"").reversed(),
    ];
    let mut seen = Vec::new();
    let walked = engine
        .snapshot()
        .unwrap()
        .multi_range(&ranges, &mut |index, key, _| {
            seen.push((index, key.to_vec()));
            Ok(if key == b"2" {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        });
    walked.unwrap();
    assert_eq!(
        seen,
        [
            (0, b"1".to_vec()),
            (0, b"2".to_vec()),
            (1, b"3".to_vec()),
            (1, b"2".to_vec())
        ]
    );
}

fn an_error_of_the_visitor_ends_the_walk(engine: &dyn Engine) {
    put(engine, A, &[(b"1", b""), (b"2", b"")]);
    let mut calls = 0;
    let walked =
        engine
            .snapshot()
            .unwrap()
            .multi_range(&[KeyRange::prefix(A, b"")], &mut |_, _, _| {
                calls += 1;
                Err(StorageError::misuse("enough"))
            });
    assert!(matches!(walked, Err(StorageError::Misuse { .. })));
    assert_eq!(calls, 1);
}

fn snapshots_do_not_change(engine: &dyn Engine) {
    put(engine, A, &[(b"k", b"1")]);
    let one = engine.snapshot().unwrap();
    put(engine, A, &[(b"k", b"2"), (b"l", b"2")]);
    let two = engine.snapshot().unwrap();
    let mut batch = Batch::default();
    batch.delete(A, b"k".to_vec());
    apply(engine, &batch);
    put(engine, B, &[(b"k", b"3")]);
    let read = |s: &dyn EngineReads| s.multi_get(&[(A, b"k"), (A, b"l"), (B, b"k")]).unwrap();
    let some = |v: &[u8]| Some(v.to_vec());
    assert_eq!(read(&*one), [some(b"1"), None, None]);
    assert_eq!(read(&*two), [some(b"2"), some(b"2"), None]);
    assert_eq!(
        read(&*engine.snapshot().unwrap()),
        [None, some(b"2"), some(b"3")]
    );
    assert_eq!(
        walk(&*one, &[KeyRange::prefix(A, b""), KeyRange::prefix(B, b"")]).len(),
        1
    );
}

fn an_expectation_that_fails_changes_nothing(engine: &dyn Engine) {
    put(engine, A, &[(b"k", b"1")]);
    let wrong = [
        (A, &b"k"[..], Some(&b"2"[..])),
        (A, b"k", None),
        (B, b"k", Some(b"1")),
    ];
    for (keyspace, key, value) in wrong {
        let mut batch = Batch::default();
        batch.put(A, b"k".to_vec(), b"changed".to_vec());
        batch.expect(Expected {
            keyspace,
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
        });
        assert!(
            matches!(engine.apply(&batch), Err(StorageError::Aborted { .. })),
            "{keyspace}"
        );
    }
    assert_eq!(
        engine.snapshot().unwrap().multi_get(&[(A, b"k")]).unwrap(),
        [Some(b"1".to_vec())]
    );
}

fn counts_are_right(engine: &dyn Engine) {
    put(engine, A, &[(b"one", b"12345"), (b"two", b"")]);
    put(engine, B, &[(b"three", b"1")]);
    let stats = engine.stats(Depth::Bytes).unwrap();
    let of = |keyspace: Keyspace| {
        stats
            .keyspaces
            .iter()
            .find(|k| k.name == keyspace.name())
            .unwrap()
    };
    assert_eq!((of(A).entries, of(A).bytes), (2, Some(11)));
    assert_eq!((of(B).entries, of(B).bytes), (1, Some(6)));
    assert_eq!(stats.live_bytes, Some(17));
    assert!(stats.file_bytes >= 17);
    assert_eq!(
        engine
            .stats(Depth::Counts)
            .unwrap()
            .keyspaces
            .iter()
            .map(|k| k.entries)
            .sum::<u64>(),
        3
    );
}
