//! Commits and reads of the storage layer alone.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Duration;

use annals_benches::Random;
use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Store};
use criterion::{Criterion, criterion_group, criterion_main};

const VALUES: Keyspace = Keyspace::new("bench.values");
const ROWS: u32 = 20_000;

/// A file of 20,000 values of 300 bytes.
fn filled(store: &Store) {
    for first in (0..ROWS).step_by(1000) {
        let put = |tx: &mut annals_storage::Transaction<'_>| {
            (first..first + 1000)
                .try_for_each(|row| tx.put(VALUES, &row.to_be_bytes(), 1, &[row as u8; 300]))
        };
        store.write::<_, StorageError>(put).expect("stored");
    }
}

fn storage(c: &mut Criterion) {
    let mut group = c.benchmark_group("storage");
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path().join("s.annals")).expect("a file");
    filled(&store);
    let mut random = Random::new(1);
    for puts in [1, 100] {
        group.bench_function(format!("commit of {puts} values, durable"), |b| {
            b.iter(|| {
                let keys: Vec<[u8; 8]> = (0..puts).map(|_| random.number().to_be_bytes()).collect();
                let put = |tx: &mut annals_storage::Transaction<'_>| {
                    keys.iter()
                        .try_for_each(|key| tx.put(VALUES, key, 1, &[7; 300]))
                };
                store.write::<_, StorageError>(put).expect("stored")
            });
        });
    }
    let snapshot = store.snapshot().expect("a snapshot");
    group.bench_function("snapshot", |b| {
        b.iter(|| store.snapshot().expect("a snapshot").commit())
    });
    group.bench_function("10 values by key", |b| {
        b.iter(|| {
            let keys: Vec<[u8; 4]> = (0..10)
                .map(|_| (random.number() as u32 % ROWS).to_be_bytes())
                .collect();
            let asked: Vec<(Keyspace, &[u8])> =
                keys.iter().map(|key| (VALUES, key.as_slice())).collect();
            snapshot.multi_get(&asked).expect("read")
        });
    });
    group.bench_function("1,000 values in order", |b| {
        let range = [KeyRange::between(
            VALUES,
            &5000_u32.to_be_bytes(),
            &6000_u32.to_be_bytes(),
        )];
        b.iter(|| {
            let mut bytes = 0;
            let mut visit = |_: usize, _: &[u8], _: u8, body: &[u8]| {
                bytes += body.len();
                Ok(ControlFlow::Continue(()))
            };
            snapshot.scan(&range, &mut visit).expect("read");
            black_box(bytes)
        });
    });
}

criterion_group! {
    name = layer;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    targets = storage
}
criterion_main!(layer);
