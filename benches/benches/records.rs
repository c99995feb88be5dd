//! Rows and columns of the records layer alone, over the in-memory engine.

use std::hint::black_box;
use std::time::Duration;

use annals_benches::{Random, Zipf};
use annals_records::{
    Columns, Incoming, Moment, Order, append, append_many, fold_columns, list, memories, namespace,
};
use annals_storage::Store;
use annals_types::{
    Filter, IdGenerator, Label, MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn, Row,
    Timestamp,
};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const ROWS: u32 = 100_000;
const MINUTE: i64 = 60_000;

fn at(row: u32) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + i64::from(row) * MINUTE)
}

fn turn(row: u32, zipf: &Zipf, random: &mut Random) -> NewMemory {
    let speaker = if row.is_multiple_of(2) {
        "Ada"
    } else {
        "Grace"
    };
    let turn = NewTurn::builder(format!("s{}", row / 20), zipf.text(30, random))
        .speaker(speaker)
        .time(at(row));
    turn.build().expect("a turn").into()
}

/// Turns in sessions of 20, folded into blocks.
fn filled(store: &Store, ids: &IdGenerator) -> (NamespaceId, Columns) {
    let name = NamespaceName::new("bench").expect("a name");
    let ns = store
        .write(|txn| namespace::create(txn, &name, "default", at(0)))
        .expect("created")
        .0
        .id;
    let mut columns = Columns::empty(ns);
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    for first in (0..ROWS).step_by(1000) {
        let turns: Vec<(MemoryId, NewMemory)> = (first..first + 1000)
            .map(|row| (ids.next(at(row)), turn(row, &zipf, &mut random)))
            .collect();
        let incoming: Vec<Incoming<'_>> = turns
            .iter()
            .map(|(id, memory)| Incoming::new(*id, memory))
            .collect();
        let write = |txn: &mut annals_storage::Transaction<'_>| {
            append_many(txn, ns, at(first), &incoming, &|_, _| Vec::new())
        };
        columns.apply(&store.write(write).expect("stored").0.delta);
    }
    store
        .write(|txn| fold_columns(txn, ns, 1024, usize::MAX))
        .expect("folded");
    (ns, columns)
}

fn records(c: &mut Criterion) {
    let mut group = c.benchmark_group("records");
    let (store, ids) = (Store::in_memory(), IdGenerator::seeded(1));
    let (ns, columns) = filled(&store, &ids);
    let snapshot = store.snapshot().expect("a snapshot");
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    group.bench_function("append a turn", |b| {
        let mut live = columns.clone();
        let fresh = || (ids.next(at(ROWS)), turn(ROWS, &zipf, &mut random));
        b.iter_batched(
            fresh,
            |(id, memory)| {
                let write = |txn: &mut annals_storage::Transaction<'_>| {
                    append(txn, ns, at(ROWS), id, &memory)
                };
                let (done, commit) = store.write(write).expect("stored");
                live.apply(&done.delta);
                commit
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("load columns of 100,000 rows", |b| {
        b.iter(|| Columns::load(&snapshot, ns).expect("loaded").len())
    });
    group.bench_function("20 memories by row", |b| {
        let rows: Vec<Row> = (0..20).map(|n| Row(n * 4999)).collect();
        b.iter(|| memories(&snapshot, ns, &rows, Some(&columns)).expect("read"));
    });
    let filter = Filter {
        speakers: vec![Label::new("speaker", "Ada").expect("a name")],
        ..Filter::default()
    };
    group.bench_function("newest page of 20, one speaker", |b| {
        b.iter(|| {
            list(
                &columns.matcher(&filter, Moment::now(at(ROWS))),
                Order::Newest,
                None,
                20,
            )
            .rows
            .len()
        });
    });
    group.bench_function("count one speaker of 100,000 rows", |b| {
        b.iter(|| {
            columns
                .matcher(&filter, Moment::now(at(ROWS)))
                .rows()
                .count()
        });
    });
    for rows in [60, ROWS] {
        group.bench_function(
            format!("the latest 200 of {rows} rows within a time"),
            |b| {
                let time = (at(ROWS / 2), at(ROWS / 2 + rows));
                b.iter(|| black_box(columns.latest_within(time.0, time.1, 200, |_| true)));
            },
        );
    }
}

criterion_group! {
    name = layer;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    targets = records
}
criterion_main!(layer);
