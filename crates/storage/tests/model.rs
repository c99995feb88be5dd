#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
//! Sequences of operations on a store beside a plain map, compared after each step.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use annals_storage::{
    KeyRange, Keyspace, Reads, Snapshot, StorageError, Store, Transaction, prefix_end,
};
use proptest::prelude::*;

const SPACES: [Keyspace; 2] = [Keyspace::new("model.a"), Keyspace::new("model.b")];

type Model = BTreeMap<(usize, Vec<u8>), (u8, Vec<u8>)>;

#[derive(Debug, Clone)]
enum Change {
    Put(usize, Vec<u8>, u8, Vec<u8>),
    Delete(usize, Vec<u8>),
    DeleteRange(Span, usize),
}

#[derive(Debug, Clone)]
struct Span {
    space: usize,
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    reverse: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Ok,
    Fail,
    Panic,
}

#[derive(Debug, Clone)]
enum Operation {
    Write(Vec<Change>, End),
    /// Several jobs at once, on threads of their own, each in a part of the keys of its own.
    Together(Vec<Vec<Change>>),
    Scan(Vec<Span>, usize),
    Keep,
    Reopen,
    Compact,
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0_u8, 1, 2, 255]), 0..4)
}

fn span() -> impl Strategy<Value = Span> {
    (0..2_usize, key(), prop::option::of(key()), any::<bool>()).prop_map(
        |(space, start, end, reverse)| Span {
            space,
            start,
            end,
            reverse,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    let body = prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        6 => (0..2_usize, key(), any::<u8>(), body).prop_map(|(s, k, v, b)| Change::Put(s, k, v, b)),
        3 => (0..2_usize, key()).prop_map(|(s, k)| Change::Delete(s, k)),
        1 => (span(), 0..6_usize).prop_map(|(span, limit)| Change::DeleteRange(span, limit)),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let changes = || prop::collection::vec(change(), 0..6);
    let end = prop_oneof![5 => Just(End::Ok), 2 => Just(End::Fail), 1 => Just(End::Panic)];
    prop_oneof![
        8 => (changes(), end).prop_map(|(changes, end)| Operation::Write(changes, end)),
        2 => prop::collection::vec(changes(), 2..4).prop_map(Operation::Together),
        3 => (prop::collection::vec(span(), 1..4), 1..9_usize).prop_map(|(spans, each)| Operation::Scan(spans, each)),
        2 => Just(Operation::Keep),
        1 => Just(Operation::Reopen),
        1 => Just(Operation::Compact),
    ]
}

impl Span {
    fn range(&self) -> KeyRange {
        let (start, end) = (self.start.clone(), self.end.clone());
        KeyRange {
            keyspace: SPACES[self.space],
            start,
            end,
            reverse: self.reverse,
        }
    }

    fn keys(&self, model: &Model) -> Vec<Vec<u8>> {
        let inside =
            |key: &Vec<u8>| *key >= self.start && self.end.as_ref().is_none_or(|end| key < end);
        let mut keys: Vec<_> = model
            .keys()
            .filter(|(space, key)| *space == self.space && inside(key))
            .map(|(_, key)| key.clone())
            .collect();
        if self.reverse {
            keys.reverse();
        }
        keys
    }
}

/// Applies changes to both; each must answer the same.
fn apply(
    changes: &[Change],
    tx: &mut Transaction<'_>,
    model: &mut Model,
) -> Result<(), StorageError> {
    for change in changes {
        match change {
            Change::Put(space, key, version, body) => {
                tx.put(SPACES[*space], key, *version, body)?;
                model.insert((*space, key.clone()), (*version, body.clone()));
            }
            Change::Delete(space, key) => {
                let was_there = model.remove(&(*space, key.clone())).is_some();
                assert_eq!(tx.delete(SPACES[*space], key)?, was_there);
            }
            Change::DeleteRange(span, limit) => {
                let gone: Vec<_> = span.keys(model).into_iter().take(*limit).collect();
                assert_eq!(tx.delete_range(&span.range(), *limit)?, gone.len());
                gone.into_iter()
                    .for_each(|key| drop(model.remove(&(span.space, key))));
            }
        }
        assert_eq!(&contents(tx), model);
    }
    Ok(())
}

fn contents(reads: &dyn Reads) -> Model {
    let mut model = Model::new();
    let all = SPACES.map(|space| KeyRange::prefix(space, b""));
    reads
        .scan(&all, &mut |space, key, version, body| {
            model.insert((space, key.to_vec()), (version, body.to_vec()));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    for ((space, key), (version, body)) in &model {
        let stored = reads.get(SPACES[*space], key).unwrap().unwrap();
        assert_eq!((&stored.version, &stored.body), (version, body));
    }
    model
}

/// A scan that breaks off each range after some keys.
fn scan(snapshot: &Snapshot, model: &Model, spans: &[Span], each: usize) {
    let ranges: Vec<_> = spans.iter().map(Span::range).collect();
    let mut seen = vec![Vec::new(); spans.len()];
    let mut visit = |index: usize, key: &[u8], _: u8, _: &[u8]| {
        let keys: &mut Vec<Vec<u8>> = &mut seen[index];
        keys.push(key.to_vec());
        Ok(if keys.len() == each {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    };
    snapshot.scan(&ranges, &mut visit).unwrap();
    let expected: Vec<Vec<_>> = spans
        .iter()
        .map(|span| span.keys(model).into_iter().take(each).collect())
        .collect();
    assert_eq!(seen, expected);
}

struct World<'a> {
    store: Option<Store>,
    path: Option<&'a Path>,
    model: Model,
    kept: Vec<(Snapshot, Model)>,
}

impl World<'_> {
    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    fn write(&mut self, changes: &[Change], end: End) {
        let mut after = self.model.clone();
        let before = self.store().commit();
        let job = |tx: &mut Transaction<'_>| {
            after.clone_from(&self.model);
            apply(changes, tx, &mut after)?;
            match end {
                End::Ok => Ok(()),
                End::Fail => Err(StorageError::Misuse {
                    detail: "on purpose".into(),
                }),
                End::Panic => std::panic::resume_unwind(Box::new("on purpose")),
            }
        };
        match (end, self.store.as_ref().unwrap().write(job)) {
            (End::Ok, result) => {
                let ((), commit) = result.unwrap();
                assert!(commit == before.next() || (commit == before && after == self.model));
                self.model = after;
            }
            (End::Fail, Err(StorageError::Misuse { .. })) => {}
            (End::Panic, Err(StorageError::JobPanicked { message })) => {
                assert_eq!(message, "on purpose")
            }
            (end, other) => panic!("{end:?}: {other:?}"),
        }
    }

    /// Each thread's keys begin with its number, so that the order does not matter.
    fn together(&mut self, jobs: &[Vec<Change>]) {
        let store = self.store();
        std::thread::scope(|scope| {
            for (thread, changes) in jobs.iter().enumerate() {
                scope.spawn(move || {
                    let job = |tx: &mut Transaction<'_>| {
                        for change in changes {
                            if let Change::Put(space, key, version, body) = change {
                                tx.put(SPACES[*space], &own(thread, key), *version, body)?;
                            }
                        }
                        Ok::<_, StorageError>(())
                    };
                    store.write(job).unwrap();
                });
            }
        });
        for (thread, changes) in jobs.iter().enumerate() {
            for change in changes {
                if let Change::Put(space, key, version, body) = change {
                    self.model
                        .insert((*space, own(thread, key)), (*version, body.clone()));
                }
            }
        }
    }

    fn step(&mut self, operation: &Operation) {
        match operation {
            Operation::Write(changes, end) => self.write(changes, *end),
            Operation::Together(jobs) => self.together(jobs),
            Operation::Scan(spans, each) => {
                scan(&self.store().snapshot().unwrap(), &self.model, spans, *each)
            }
            Operation::Keep => {
                let snapshot = self.store().snapshot().unwrap();
                self.kept.push((snapshot, self.model.clone()));
            }
            Operation::Reopen => {
                if let Some(path) = self.path {
                    self.kept.clear();
                    self.store = None;
                    self.store = Some(Store::open(path).unwrap());
                }
            }
            Operation::Compact => {
                self.kept.clear();
                self.store().compact().unwrap();
            }
        }
        let snapshot = self.store().snapshot().unwrap();
        assert_eq!(snapshot.commit(), self.store().commit());
        assert_eq!(contents(&snapshot), self.model);
        for (snapshot, model) in &self.kept {
            assert_eq!(&contents(snapshot), model, "a kept snapshot changed");
        }
    }
}

fn own(thread: usize, key: &[u8]) -> Vec<u8> {
    let mut own = vec![100 + u8::try_from(thread).unwrap()];
    own.extend(key);
    own
}

fn run(store: Store, path: Option<&Path>, operations: &[Operation]) {
    let mut world = World {
        store: Some(store),
        path,
        model: Model::new(),
        kept: Vec::new(),
    };
    operations
        .iter()
        .for_each(|operation| world.step(operation));
    let report = world.store().validate().unwrap();
    assert!(report.is_sound(), "{:?}", report.damaged);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn in_memory(operations in prop::collection::vec(operation(), 1..24)) {
        run(Store::in_memory(), None, &operations);
    }

    #[test]
    fn on_disk(operations in prop::collection::vec(operation(), 1..24)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.annals");
        run(Store::open(&path).unwrap(), Some(&path), &operations);
    }

    #[test]
    fn the_end_of_a_prefix_parts_the_keys(prefix in key(), other in key()) {
        let inside = other >= prefix && prefix_end(&prefix).is_none_or(|end| other < end);
        prop_assert_eq!(inside, other.starts_with(&prefix));
    }
}
