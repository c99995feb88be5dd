//! The engine over a disk that fails: at any write or sync, for good or once.

mod crash;
mod failing;
mod full;
mod logged;
mod unread;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::RedbEngine;
use super::tape::Tape;
use crate::{KeyRange, Keyspace, Options, Reads, StorageError, Store, Transaction};

const A: Keyspace = Keyspace::new("test.a");
const B: Keyspace = Keyspace::new("test.b");

type Model = BTreeMap<(Keyspace, Vec<u8>), Vec<u8>>;

fn engine(tape: &Tape) -> Result<RedbEngine, StorageError> {
    engine_with(tape, &Options::default().cache_bytes(1 << 20))
}

fn engine_with(tape: &Tape, options: &Options) -> Result<RedbEngine, StorageError> {
    RedbEngine::on_tape(tape, options)
}

fn store(tape: &Tape) -> Result<Store, StorageError> {
    Store::with_engine(Box::new(engine(tape)?))
}

/// The body that the `n`-th write puts: in every fifth too large for the log, so that both ways to
/// commit are met.
fn body(n: u8, i: u8) -> Vec<u8> {
    let bytes = if n % 5 == 3 && i == 0 {
        140 << 10
    } else {
        usize::from(n) * 37 % 900
    };
    vec![n; bytes]
}

/// The `n`-th write of a fixed sequence, on a store or on the model of one: some puts, an
/// overwrite, at times a deletion.
fn step(n: u8, model: &mut Model) {
    for i in 0..n % 4 + 1 {
        model.insert((A, vec![n, i]), body(n, i));
    }
    model.insert((B, b"same".to_vec()), vec![n]);
    if n % 3 == 2 {
        model.retain(|(keyspace, key), _| *keyspace != A || key[0] != n - 2);
    }
}

fn write(store: &Store, n: u8) -> Result<(), StorageError> {
    let job = |tx: &mut Transaction<'_>| {
        for i in 0..n % 4 + 1 {
            tx.put(A, &[n, i], 1, &body(n, i))?;
        }
        tx.put(B, b"same", 1, &[n])?;
        if n % 3 == 2 {
            tx.delete_range(&KeyRange::prefix(A, &[n - 2]), usize::MAX)?;
        }
        Ok(())
    };
    store.write(job).map(|_| ())
}

fn contents(store: &Store) -> Model {
    let snapshot = store.snapshot().unwrap();
    let mut model = Model::new();
    let ranges = [KeyRange::prefix(A, b""), KeyRange::prefix(B, b"")];
    snapshot
        .scan(&ranges, &mut |index, key, _, body| {
            model.insert((ranges[index].keyspace, key.to_vec()), body.to_vec());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    model
}
