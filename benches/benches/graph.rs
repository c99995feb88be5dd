//! Patterns, walks, storing and deleting of the graph layer alone, over the in-memory engine.

use std::hint::black_box;

use annals_benches::Random;
use annals_graph::{
    Assertion, Pattern, Scope, Support, View, Walk, assert_evidence, erase, expand,
    expand_memories, pattern, plan_erase, status_changed,
};
use annals_storage::Store;
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row, Timestamp};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const NS: NamespaceId = NamespaceId(1);
/// Memories in the graph, and what each says.
const MEMORIES: u32 = 2000;
const SAID: usize = 20;
/// Names that are spoken of.
const NAMES: u64 = 5000;

fn memory(random: &mut Random) -> Vec<Assertion> {
    let mut name = || format!("name {}", random.number() % NAMES);
    let subject = name();
    (0..SAID)
        .map(|n| Assertion::new(subject.as_str(), format!("p{}", n % 7), name()))
        .collect()
}

fn filled(settings: &GraphSettings) -> Store {
    let store = Store::in_memory();
    let mut random = Random::new(1);
    let scope = Scope {
        ns: NS,
        now: Timestamp::from_millis(0),
        settings,
    };
    let hub: Vec<Assertion> = (0..100)
        .map(|n| Assertion::new("hub", "holds", format!("name {n}")))
        .collect();
    for row in 0..MEMORIES {
        let said = if row == 0 {
            hub.clone()
        } else {
            memory(&mut random)
        };
        store
            .write(|txn| assert_evidence(txn, scope, &[Row(row).into()], &said))
            .expect("stored");
    }
    store
}

fn questions(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph");
    let settings = GraphSettings::default();
    let store = filled(&settings);
    let now = store.snapshot().expect("a snapshot");
    let hub = annals_graph::find_entities(&now, NS, "hub").expect("found")[0].id;
    let asked = Pattern::ALL.subject(hub).predicate("holds");
    group.bench_function("pattern with 100 matches", |b| {
        b.iter(|| pattern(&now, NS, black_box(asked), View::NOW, None, 1000).expect("answered"));
    });
    let past = View::as_of(Timestamp::from_millis(1));
    group.bench_function("the same as of a time", |b| {
        b.iter(|| pattern(&now, NS, black_box(asked), past, None, 1000).expect("answered"));
    });
    group.bench_function("expand two steps from a hub", |b| {
        b.iter(|| expand(&now, NS, black_box(&[hub]), Walk::depth(2)).expect("walked"));
    });
    let walk = annals_graph::MemoryWalk::new(1, &settings);
    group.bench_function("memories that share an entity", |b| {
        b.iter(|| expand_memories(&now, NS, black_box(&[Row(7)]), walk).expect("walked"));
    });
    group.bench_function("plan a deletion", |b| {
        b.iter(|| plan_erase(&now, NS, black_box(&[Row(7)]), &()).expect("planned"));
    });
    group.finish();
}

fn writes(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph");
    let settings = GraphSettings::default();
    let store = filled(&settings);
    let scope = Scope {
        ns: NS,
        now: Timestamp::from_millis(0),
        settings: &settings,
    };
    let mut random = Random::new(2);
    let mut next = MEMORIES;
    group.bench_function("store and delete 20 triples", |b| {
        b.iter_batched(
            || {
                next += 1;
                (Row(next), memory(&mut random))
            },
            |(row, said)| {
                store
                    .write(|txn| assert_evidence(txn, scope, &[row.into()], &said))
                    .expect("stored");
                store
                    .write(|txn| erase(txn, NS, &[row], &()))
                    .expect("deleted")
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("forget and restore 20 triples", |b| {
        b.iter(|| {
            for state in [Support::Forgotten, Support::Active] {
                store
                    .write(|txn| status_changed(txn, NS, scope.now, &[Row(9)], state))
                    .expect("changed");
            }
        });
    });
    group.finish();
}

criterion_group!(benches, questions, writes);
criterion_main!(benches);
