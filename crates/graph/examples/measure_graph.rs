//! Times deletion, patterns and expansions in a large graph in a file: `cargo run --release
//! --example measure_graph -- [triples]`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a measurement prints its results and fails by panicking"
)]

use std::time::{Duration, Instant};

use annals_graph::{
    Assertion, EntityId, GraphError, Pattern, Scope, Support, View, Walk, assert_evidence, erase,
    expand, paths, pattern, plan_erase, stats, status_changed,
};
use annals_storage::{Options, Store};
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row, Timestamp};

const NS: NamespaceId = NamespaceId(1);
/// Triples of a memory that is deleted.
const SAID: usize = 100;
/// Times each thing is measured.
const RUNS: usize = 51;

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// The median and the time that nine in ten do not exceed.
fn quantiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let millis = |share: usize| times[(times.len() - 1) * share / 10].as_secs_f64() * 1e3;
    format!("p50 {:8.3} ms   p90 {:8.3} ms", millis(5), millis(9))
}

struct Bench {
    store: Store,
    settings: GraphSettings,
    random: Random,
    entities: usize,
    next_row: u32,
    /// Rows that came with the graph.
    filled: usize,
}

impl Bench {
    fn scope(&self) -> Scope<'_> {
        Scope {
            ns: NS,
            now: Timestamp::from_millis(i64::from(self.next_row)),
            settings: &self.settings,
        }
    }

    /// The assertions of a memory: one of ten subjects of its own to all others, all ends known by
    /// number once they exist.
    fn memory(&mut self, spread: Spread) -> Vec<Assertion> {
        let subjects: Vec<usize> = (0..10).map(|_| self.random.below(self.entities)).collect();
        let mut said = Vec::with_capacity(SAID);
        for n in 0..SAID {
            let subject = match spread {
                Spread::Few => subjects[n % subjects.len()],
                Spread::All => self.random.below(self.entities),
            };
            let object = self.random.below(self.entities);
            let predicate = format!("p{}", self.random.below(200));
            said.push(Assertion::new(entity(subject), predicate, entity(object)));
        }
        said
    }

    fn store_memory(&mut self, said: &[Vec<Assertion>]) -> Vec<Row> {
        let rows: Vec<Row> = (0..said.len() as u32)
            .map(|n| Row(self.next_row + n))
            .collect();
        self.next_row += said.len() as u32;
        let scope = self.scope();
        let write = self.store.write::<_, GraphError>(|txn| {
            for (row, said) in rows.iter().zip(said) {
                assert_evidence(txn, scope, &[(*row).into()], said)?;
            }
            Ok(())
        });
        write.unwrap();
        rows
    }

    fn timed(&mut self, what: &str, mut run: impl FnMut(&mut Self) -> Duration) {
        let times = (0..RUNS).map(|_| run(self)).collect();
        println!("{what:<58} {}", quantiles(times));
    }
}

/// How the subjects of a memory's triples are spread.
#[derive(Clone, Copy)]
enum Spread {
    /// Ten entities.
    Few,
    /// Any entities.
    All,
}

fn entity(number: usize) -> EntityId {
    EntityId(number as u32)
}

fn filled(store: Store, triples: usize) -> Bench {
    let settings = GraphSettings::default();
    let mut bench = Bench {
        store,
        settings,
        random: Random(7),
        entities: 0,
        next_row: 0,
        filled: 0,
    };
    let start = Instant::now();
    // The entities come with a chain of triples.
    let entities = triples / 10;
    for first in (0..entities).step_by(5000) {
        let names: Vec<String> = (first..entities.min(first + 5000) + 1)
            .map(|n| format!("entity number {n}"))
            .collect();
        let said = names
            .windows(2)
            .map(|pair| Assertion::new(pair[0].as_str(), "next", pair[1].as_str()))
            .collect();
        bench.store_memory(&[said]);
    }
    bench.entities = entities;
    let mut left = (triples - entities) / SAID;
    while left > 0 {
        let some = left.min(300);
        let said: Vec<Vec<Assertion>> = (0..some).map(|_| bench.memory(Spread::Few)).collect();
        bench.store_memory(&said);
        left -= some;
    }
    bench.filled = bench.next_row as usize;
    let snapshot = bench.store.snapshot().unwrap();
    let counts = stats(&snapshot, NS).unwrap();
    println!(
        "{} triples, {} entities in {:.1} s",
        counts.triples,
        counts.entities,
        start.elapsed().as_secs_f64()
    );
    bench
}

fn deletions(bench: &mut Bench) {
    // Memories stored long ago, at random; behind the chain of entities.
    let first = bench.entities.div_ceil(5000);
    bench.timed("delete an old memory: 100 triples, 10 subjects", |bench| {
        let row = Row((first + bench.random.below(bench.filled - first)) as u32);
        let start = Instant::now();
        bench
            .store
            .write(|txn| erase(txn, NS, &[row], &()))
            .unwrap();
        start.elapsed()
    });
    bench.timed("delete a new memory: 100 triples, 100 subjects", |bench| {
        let said = bench.memory(Spread::All);
        let rows = bench.store_memory(&[said]);
        let start = Instant::now();
        bench.store.write(|txn| erase(txn, NS, &rows, &())).unwrap();
        start.elapsed()
    });
    bench.timed("the same as a dry run", |bench| {
        let said = bench.memory(Spread::All);
        let rows = bench.store_memory(&[said]);
        let snapshot = bench.store.snapshot().unwrap();
        let start = Instant::now();
        plan_erase(&snapshot, NS, &rows, &()).unwrap();
        start.elapsed()
    });
    bench.timed("delete one that repeats 100 triples of others", |bench| {
        let said = bench.memory(Spread::All);
        bench.store_memory(std::slice::from_ref(&said));
        let rows = bench.store_memory(&[said]);
        let start = Instant::now();
        bench.store.write(|txn| erase(txn, NS, &rows, &())).unwrap();
        start.elapsed()
    });
    bench.timed("delete one with 50 entities of its own", |bench| {
        let row = bench.next_row;
        let said: Vec<Assertion> = (0..SAID)
            .map(|n| {
                let object = entity(bench.random.below(bench.entities));
                Assertion::new(format!("own {row} {}", n % 50), "knows", object)
            })
            .collect();
        let rows = bench.store_memory(&[said]);
        let start = Instant::now();
        bench.store.write(|txn| erase(txn, NS, &rows, &())).unwrap();
        start.elapsed()
    });
    bench.timed("forget 100 triples", |bench| {
        let said = bench.memory(Spread::Few);
        let rows = bench.store_memory(&[said]);
        let now = bench.scope().now;
        let start = Instant::now();
        let forget = bench
            .store
            .write(|txn| status_changed(txn, NS, now, &rows, Support::Forgotten));
        forget.unwrap();
        start.elapsed()
    });
    bench.timed("store 100 triples between known entities", |bench| {
        let said = bench.memory(Spread::Few);
        let start = Instant::now();
        bench.store_memory(&[said]);
        start.elapsed()
    });
}

fn questions(bench: &mut Bench) {
    // A hub with a hundred objects under one predicate, and trees of 22 x 22.
    let said = (0..100)
        .map(|n| Assertion::new("hub", "holds", entity(n * 7 + 1)))
        .collect();
    bench.store_memory(&[said]);
    let mut seeds = Vec::new();
    for tree in 0..20 {
        let mut said = Vec::new();
        for branch in 0..22 {
            said.push(Assertion::new(
                format!("tree {tree}"),
                "has",
                format!("branch {tree} {branch}"),
            ));
            for leaf in 0..22 {
                let leaf = format!("leaf {tree} {branch} {leaf}");
                said.push(Assertion::new(
                    format!("branch {tree} {branch}"),
                    "bears",
                    leaf,
                ));
            }
        }
        bench.store_memory(&[said]);
        let snapshot = bench.store.snapshot().unwrap();
        seeds.push(
            annals_graph::find_entities(&snapshot, NS, &format!("tree {tree}")).unwrap()[0].id,
        );
    }
    let snapshot = bench.store.snapshot().unwrap();
    let hub = annals_graph::find_entities(&snapshot, NS, "hub").unwrap()[0].id;
    let found = |asked: Pattern<'_>, view: View| {
        pattern(&snapshot, NS, asked, view, None, 1000)
            .unwrap()
            .triples
            .len()
    };
    let mut ask = |what: &str, asked: Pattern<'static>, view: View, least: usize| {
        bench.timed(what, |_| {
            let start = Instant::now();
            assert!(found(asked, view) >= least);
            start.elapsed()
        });
    };
    let holds = Pattern::ALL.subject(hub).predicate("holds");
    ask("pattern (s, p, ?) with 100 matches", holds, View::NOW, 100);
    ask(
        "the same as of a time",
        holds,
        View::as_of(Timestamp::from_millis(1 << 40)),
        100,
    );
    ask(
        "pattern (?, p, ?) with 100 matches",
        Pattern::ALL.predicate("holds"),
        View::NOW,
        100,
    );
    ask(
        "pattern (s, ?, o)",
        Pattern::ALL.subject(hub).object(entity(8)),
        View::NOW,
        1,
    );
    bench.timed("expand two steps, 506 nodes", |bench| {
        let seed = seeds[bench.random.below(seeds.len())];
        let start = Instant::now();
        let reached = expand(&snapshot, NS, &[seed], Walk::depth(2))
            .unwrap()
            .reached
            .len();
        assert_eq!(reached, 506);
        start.elapsed()
    });
    bench.timed("expand two steps from anywhere, 500 nodes", |bench| {
        let seed = entity(bench.random.below(bench.entities));
        let walk = Walk {
            budget: annals_graph::Budget::new(500, 20_000),
            ..Walk::depth(2)
        };
        let start = Instant::now();
        expand(&snapshot, NS, &[seed], walk).unwrap();
        start.elapsed()
    });
    bench.timed("shortest path between two entities", |bench| {
        let (from, to) = (
            entity(bench.random.below(bench.entities)),
            entity(bench.random.below(bench.entities)),
        );
        let start = Instant::now();
        paths(&snapshot, NS, &[from], &[to], Walk::depth(6), 1).unwrap();
        start.elapsed()
    });
}

fn main() {
    let triples = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.annals");
    let store = Options::default()
        .cache_bytes(32 << 20)
        .open(&path)
        .unwrap();
    let mut bench = filled(store, triples);
    println!(
        "{:.0} MB",
        std::fs::metadata(&path).unwrap().len() as f64 / 1e6
    );
    questions(&mut bench);
    deletions(&mut bench);
}
