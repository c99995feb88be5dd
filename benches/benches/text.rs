//! Analysis and search of the text layer alone.

use std::sync::Arc;
use std::time::Duration;

use annals_benches::{Random, Zipf, chinese};
use annals_storage::Store;
use annals_text::{Analyzer, Bm25, ChunkCache, Index, Settings, TextError, store};
use annals_types::{NamespaceId, Row};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const NS: NamespaceId = NamespaceId(1);

/// Documents of 30 words, folded into segments.
fn filled(file: &Store, rows: u32) -> Index {
    let mut index = Index::new(NS, Settings::default(), Arc::new(ChunkCache::new(64 << 20)));
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    for first in (0..rows).step_by(1000) {
        let forwards: Vec<_> = (first..first + 1000)
            .map(|row| {
                (
                    Row(row),
                    Arc::new(Analyzer.forward(&zipf.text(30, &mut random), None)),
                )
            })
            .collect();
        let put = |tx: &mut annals_storage::Transaction<'_>| {
            forwards
                .iter()
                .try_for_each(|(row, forward)| store::put(tx, NS, *row, forward))
        };
        file.write::<_, TextError>(put).expect("stored");
        forwards
            .into_iter()
            .for_each(|(row, forward)| assert!(index.append(row, forward), "rows rise"));
    }
    while let Some(plan) =
        store::plan(&index, &file.snapshot().expect("a snapshot")).expect("planned")
    {
        let (published, _) = file.write(|tx| store::publish(tx, &plan)).expect("folded");
        index.apply_published(&published.expect("nothing came in between"));
    }
    index
}

fn text(c: &mut Criterion) {
    let mut group = c.benchmark_group("text");
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    let (english, chinese) = (zipf.text(40, &mut random), chinese(&zipf, 100, &mut random));
    group.bench_function("analyse 40 English words", |b| {
        b.iter(|| Analyzer.forward(&english, None).lengths().total())
    });
    group.bench_function("analyse 100 Chinese characters", |b| {
        b.iter(|| Analyzer.forward(&chinese, None).lengths().total())
    });
    for rows in [5000, 50_000] {
        let file = Store::in_memory();
        let index = filled(&file, rows);
        let snapshot = file.snapshot().expect("a snapshot");
        group.bench_function(format!("best 10 of {rows}, 6 terms"), |b| {
            b.iter_batched(
                || Analyzer.query(&zipf.text(6, &mut random)),
                |query| {
                    let matches = index
                        .matches(&snapshot, query, Bm25::default())
                        .expect("read");
                    matches.top(10, |_| true).expect("searched").len()
                },
                BatchSize::SmallInput,
            );
        });
    }
}

criterion_group! {
    name = layer;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    targets = text
}
criterion_main!(layer);
