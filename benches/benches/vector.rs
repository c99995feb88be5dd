//! Codes, scans and graph of the vector layer alone, and the built-in embedder.

use std::time::Duration;

use annals_benches::{Random, Zipf, chinese, vector};
use annals_types::profile::VectorSettings;
use annals_types::{Commit, Row};
use annals_vector::embed::BuiltinEmbedder;
use annals_vector::{HnswIndex, HnswSettings, Index, Shape, VectorIndex as _};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const DIMS: usize = 256;
const ROWS: u32 = 10_000;

fn embedder(c: &mut Criterion) {
    let mut group = c.benchmark_group("vector");
    let (zipf, mut random, embedder) = (Zipf::english(), Random::new(2), BuiltinEmbedder::new());
    let (english, chinese) = (zipf.text(40, &mut random), chinese(&zipf, 100, &mut random));
    group.bench_function("embed 40 English words", |b| {
        b.iter(|| embedder.vector(&english))
    });
    group.bench_function("embed 100 Chinese characters", |b| {
        b.iter(|| embedder.vector(&chinese))
    });
}

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("vector");
    let (shape, mut random) = (Shape::new(DIMS).expect("a shape"), Random::new(1));
    let raw = vector(DIMS, &mut random);
    group.bench_function("encode 256 dimensions", |b| {
        b.iter(|| shape.encode(&raw).expect("encoded"))
    });
    let mut index = Index::new(
        shape,
        VectorSettings {
            exact_up_to_rows: 0,
            ..VectorSettings::default()
        },
    );
    for row in 0..ROWS {
        index
            .append(
                Row(row),
                &shape.encode(&vector(DIMS, &mut random)).expect("encoded"),
            )
            .expect("appended");
    }
    let mut query = || shape.query(&vector(DIMS, &mut random)).expect("a query");
    group.bench_function("best 10 of 10,000, every code", |b| {
        b.iter_batched(
            &mut query,
            |query| index.search_exact(&query, 10, |_| true),
            BatchSize::SmallInput,
        );
    });
    index.fold(Commit(1)).expect("built");
    group.bench_function("best 10 of 10,000, graph", |b| {
        b.iter_batched(
            &mut query,
            |query| index.search(&query, 10, None, |_| true),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("best 10 of 10,000, graph, one row in ten", |b| {
        b.iter_batched(
            &mut query,
            |query| index.search(&query, 10, None, |row| row.0.is_multiple_of(10)),
            BatchSize::SmallInput,
        );
    });
}

/// The same search over the second index, whose vectors are single-precision numbers.
fn hnsw(c: &mut Criterion) {
    let mut group = c.benchmark_group("vector");
    let mut random = Random::new(1);
    let settings = HnswSettings {
        expected_rows: 10_000,
        ..HnswSettings::default()
    };
    let mut index = HnswIndex::new(DIMS, settings).expect("an index");
    for row in 0..ROWS {
        index
            .insert(Row(row), &vector(DIMS, &mut random))
            .expect("inserted");
    }
    let mut query = || vector(DIMS, &mut random);
    group.bench_function("best 10 of 10,000, hnsw_rs", |b| {
        b.iter_batched(
            &mut query,
            |query| index.nearest(&query, 10, &|_| true),
            BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = layer;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    targets = embedder, search, hnsw
}
criterion_main!(layer);
