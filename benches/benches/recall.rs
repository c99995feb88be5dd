//! Ranking alone: one state of a namespace in memory, no file, no facade.

use std::sync::Arc;
use std::time::Duration;

use annals_benches::{Random, Zipf};
use annals_graph::{Assertion, GraphError, Scope, assert_evidence};
use annals_language::Zone;
use annals_language::time::{Said, asked};
use annals_lifecycle::{Passes, Policy, Worth};
use annals_recall::{Embedded, NamedSpeakers, Query, Sources, Speakers, rank};
use annals_records::{Columns, Incoming, LabelClass, append_many, memories, namespace};
use annals_storage::{Snapshot, Store};
use annals_text::{Analyzer, ChunkCache, Settings};
use annals_types::profile::{Profile, RecallMode};
use annals_types::{
    Embedder, IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn, Row, Script,
    Timestamp,
};
use annals_vector::Shape;
use annals_vector::embed::BuiltinEmbedder;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

const ROWS: u32 = 10_000;

fn at(row: u32) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + i64::from(row) * 600_000)
}

/// One state of a namespace.
struct State {
    snapshot: Snapshot,
    columns: Columns,
    text: annals_text::Index,
    vectors: annals_vector::Index,
    speakers: Speakers,
    worth: Worth,
    /// The same with triples: each memory says two things of some entity.
    known: Snapshot,
}

const ENTITIES: u64 = 2000;

fn know(store: &Store, ns: NamespaceId) {
    let settings = Profile::default().graph;
    let scope = Scope {
        ns,
        now: at(ROWS),
        settings: &settings,
    };
    for first in (0..ROWS).step_by(1000) {
        let tell = |txn: &mut annals_storage::Transaction<'_>| -> Result<(), GraphError> {
            let mut random = Random::new(u64::from(first) + 3);
            for row in first..first + 1000 {
                let mut other = |kind: &str| format!("{kind}{}", random.number() % ENTITIES);
                let said = [
                    Assertion::new(other("Entity"), "knows", other("Entity")),
                    Assertion::new(other("Entity"), "was in", other("Place")),
                ];
                assert_evidence(txn, scope, &[Row(row).into()], &said)?;
            }
            Ok(())
        };
        store.write(tell).expect("told");
    }
}

fn filled(embedder: &BuiltinEmbedder, shape: Shape, profile: &Profile) -> State {
    let (store, ids) = (Store::in_memory(), IdGenerator::seeded(1));
    let name = NamespaceName::new("bench").expect("a name");
    let ns = store
        .write(|txn| namespace::create(txn, &name, "default", at(0)))
        .expect("created")
        .0
        .id;
    let mut columns = Columns::empty(ns);
    let mut text =
        annals_text::Index::new(ns, Settings::default(), Arc::new(ChunkCache::new(8 << 20)));
    let mut vectors = annals_vector::Index::new(shape, profile.vector.clone());
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    for first in (0..ROWS).step_by(1000) {
        let turns: Vec<(MemoryId, NewMemory)> = (first..first + 1000)
            .map(|row| {
                let turn = NewTurn::builder(format!("s{}", row / 25), zipf.text(30, &mut random))
                    .time(at(row));
                let turn = turn.speaker(if row.is_multiple_of(2) {
                    "Caroline"
                } else {
                    "Melanie"
                });
                (ids.next(at(row)), turn.build().expect("a turn").into())
            })
            .collect();
        let incoming: Vec<Incoming<'_>> = turns
            .iter()
            .map(|(id, memory)| Incoming::new(*id, memory))
            .collect();
        let write = |txn: &mut annals_storage::Transaction<'_>| {
            append_many(txn, ns, at(first), &incoming, &|_, _| Vec::new())
        };
        columns.apply(&store.write(write).expect("stored").0.delta);
        for (row, (_, memory)) in (first..).zip(&turns) {
            text.append(Row(row), Arc::new(Analyzer.forward(memory.text(), None)));
            vectors
                .append(
                    Row(row),
                    &shape
                        .encode(&embedder.vector(memory.text()))
                        .expect("encoded"),
                )
                .expect("appended");
        }
    }
    let speakers = Speakers::new(
        columns
            .labels(LabelClass::Speaker)
            .map(|(number, name)| (number.0, name)),
    );
    let policy = Policy::new(&Profile::default()).expect("a policy");
    let worth = Worth::empty(ns, policy.into(), Passes::default().into());
    let snapshot = store.snapshot().expect("a snapshot");
    know(&store, ns);
    State {
        snapshot,
        columns,
        text,
        vectors,
        speakers,
        worth,
        known: store.snapshot().expect("a snapshot"),
    }
}

fn recall(c: &mut Criterion) {
    let mut group = c.benchmark_group("rank");
    let (embedder, profile) = (BuiltinEmbedder::new(), Profile::default());
    let shape = Shape::new(embedder.dims()).expect("a shape");
    let state = filled(&embedder, shape, &profile);
    let nobody = NamedSpeakers::default();
    let sources = Sources {
        reads: &state.snapshot,
        columns: &state.columns,
        text: &state.text,
        vectors: &state.vectors,
        speakers: &nobody,
        worth: &state.worth,
        graph: false,
        nodes: None,
        prototypes: None,
        found: None,
    };
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    let calibration = embedder
        .calibration()
        .expect("the built-in embedder has its own");
    for (name, more) in [
        ("words", ""),
        ("words and a speaker", " Melanie"),
        ("words and a time", " in January 2024"),
    ] {
        group.bench_function(format!("10,000 rows, {name}"), |b| {
            let ask = || {
                let text = format!("{}{more}", zipf.text(6, &mut random));
                let query = shape.query(&embedder.vector(&text)).expect("a query");
                let embedded = Embedded {
                    query,
                    calibration,
                    script: Script::Latin,
                    parts: Vec::new(),
                    everyday: None,
                };
                (Query::new(text), embedded)
            };
            b.iter_batched(
                ask,
                |(query, embedded)| {
                    let named = state.speakers.named(&query.text);
                    let sources = Sources {
                        speakers: &named,
                        ..sources
                    };
                    rank(&sources, &query, Some(&embedded), None, &profile, at(ROWS))
                        .expect("ranked")
                },
                BatchSize::SmallInput,
            );
        });
    }
    let known = Sources {
        reads: &state.known,
        graph: true,
        ..sources
    };
    for (name, mode) in [
        ("names looked up", RecallMode::Auto),
        ("names and links followed", RecallMode::Deep),
    ] {
        group.bench_function(format!("10,000 rows, 20,000 triples, {name}"), |b| {
            let ask = || {
                let entity = random.number() % ENTITIES;
                let text = format!(
                    "{} Entity{entity} Place{}",
                    zipf.text(4, &mut random),
                    entity / 2
                );
                let query = shape.query(&embedder.vector(&text)).expect("a query");
                let embedded = Embedded {
                    query,
                    calibration,
                    script: Script::Latin,
                    parts: Vec::new(),
                    everyday: None,
                };
                (Query::new(text).mode(mode).expand_depth(2), embedded)
            };
            b.iter_batched(
                ask,
                |(query, embedded)| {
                    let named = state.speakers.named(&query.text);
                    let known = Sources {
                        speakers: &named,
                        ..known
                    };
                    rank(&known, &query, Some(&embedded), None, &profile, at(ROWS)).expect("ranked")
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.bench_function("read 10 memories", |b| {
        let rows: Vec<Row> = (0..10).map(|n| Row(n * 999)).collect();
        b.iter(|| {
            memories(
                &state.snapshot,
                state.columns.namespace(),
                &rows,
                Some(&state.columns),
            )
            .expect("read")
        });
    });
    group.bench_function("times of a question", |b| {
        let said = Said::at(at(ROWS), Zone::utc());
        b.iter(|| {
            asked(
                "what did we talk about last week, on 3 March and 上个月?",
                &said,
            )
            .times
            .len()
        });
    });
}

criterion_group! {
    name = layer;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1500));
    targets = recall
}
criterion_main!(layer);
