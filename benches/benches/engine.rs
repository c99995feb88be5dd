//! Recall and remember through the facade.

use annals::NewTurn;
use annals::blocking::{Memory, Namespace};
use annals_benches::{Random, Zipf, chinese};
use criterion::{Criterion, criterion_group, criterion_main};

/// Words of a memory.
const WORDS: usize = 30;
/// Turns of a session.
const SESSION: usize = 25;

fn filled(memory: &Memory, rows: usize) -> Namespace {
    let namespace = memory.namespace("bench").expect("a name");
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    for start in (0..rows).step_by(1000) {
        let turn = |n: usize, random: &mut Random| {
            NewTurn::builder(format!("s{}", n / SESSION), zipf.text(WORDS, random))
                .build()
                .expect("a turn")
        };
        let turns = (start..rows.min(start + 1000))
            .map(|n| turn(n, &mut random))
            .collect();
        namespace.sessions().append(turns).expect("stored");
    }
    memory.wait_idle().expect("folded");
    namespace
}

fn recall(c: &mut Criterion) {
    let mut group = c.benchmark_group("recall");
    for rows in [1000, 10_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = Memory::open(folder.path().join("m.annals")).expect("a file");
        let namespace = filled(&memory, rows);
        let (zipf, mut random) = (Zipf::default(), Random::new(2));
        group.bench_function(format!("{rows}"), |b| {
            b.iter_batched(
                || zipf.text(6, &mut random),
                |question| namespace.recall(question).expect("answered"),
                criterion::BatchSize::SmallInput,
            );
        });
    }
}

fn remember(c: &mut Criterion) {
    let mut group = c.benchmark_group("remember");
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Memory::open(folder.path().join("m.annals")).expect("a file");
    let namespace = filled(&memory, 10_000);
    let (zipf, mut random) = (Zipf::default(), Random::new(3));
    let turn = |text: String| NewTurn::builder("now", text).build().expect("a turn");
    group.bench_function("english 40 words", |b| {
        b.iter_batched(
            || turn(zipf.text(40, &mut random)),
            |turn| namespace.remember(turn).expect("stored"),
            criterion::BatchSize::SmallInput,
        );
    });
    group.bench_function("chinese 100 characters", |b| {
        b.iter_batched(
            || turn(chinese(&zipf, 100, &mut random)),
            |turn| namespace.remember(turn).expect("stored"),
            criterion::BatchSize::SmallInput,
        );
    });
}

criterion_group! {
    name = engine;
    config = Criterion::default().sample_size(30);
    targets = recall, remember
}
criterion_main!(engine);
