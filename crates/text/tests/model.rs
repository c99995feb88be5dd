//! Random operations on the real thing and on a naive index beside it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use annals_storage::Store;
use annals_text::{
    Analyzer, Bm25, ChunkCache, Forward, Hit, Index, Settings, Term, TextError, store,
};
use annals_types::{NamespaceId, Row};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const NS: NamespaceId = NamespaceId(7);

#[derive(Debug, Clone)]
enum Op {
    Append(Vec<u8>, Option<Vec<u8>>),
    Skip,
    Remove(Vec<usize>),
    Plan,
    Publish,
    Reopen,
    Lose,
    Search(Vec<u8>, usize, u32),
}

fn op() -> impl Strategy<Value = Op> {
    let words = || prop::collection::vec(0_u8..24, 0..8);
    prop_oneof![
        12 => (words(), prop::option::weighted(0.2, words())).prop_map(|(a, b)| Op::Append(a, b)),
        1 => Just(Op::Skip),
        3 => prop::collection::vec(0_usize..1000, 1..4).prop_map(Op::Remove),
        2 => Just(Op::Plan),
        2 => Just(Op::Publish),
        1 => Just(Op::Reopen),
        1 => Just(Op::Lose),
        4 => (words(), 0_usize..12, 0_u32..4).prop_map(|(w, k, f)| Op::Search(w, k, f)),
    ]
}

/// Frequent words are more frequent, some are Chinese.
fn text(words: &[u8]) -> String {
    let word = |w: &u8| match w % 24 {
        w @ 0..=11 => format!("w{}x", char::from(b'a' + w / 3)),
        w @ 12..=19 => format!("r{}y", char::from(b'a' + w)),
        _ => "北京上海"
            .chars()
            .nth(usize::from(w % 4))
            .unwrap()
            .to_string(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn settings() -> impl Strategy<Value = Settings> {
    (
        0_usize..9,
        0_usize..20,
        0_usize..4,
        prop_oneof![Just(0_u32), Just(20), Just(1 << 18)],
        prop_oneof![Just(0_usize), Just(64), Just(7900)],
    )
        .prop_map(
            |(tail_rows, fold_after, merge_factor, max_segment_rows, chunk_bytes)| Settings {
                tail_rows,
                fold_after,
                merge_factor,
                max_segment_rows,
                chunk_bytes,
            },
        )
}

/// The naive index: forward lists by row.
#[derive(Default)]
struct Model(BTreeMap<u32, Arc<Forward>>);

impl Model {
    fn top(&self, question: &str, k: usize, keep: impl Fn(Row) -> bool) -> Vec<Hit> {
        let (query, bm25) = (Analyzer.query(question), Bm25::default());
        let documents = self.0.len() as u64;
        let total: u64 = self
            .0
            .values()
            .map(|f| u64::from(f.lengths().total()))
            .sum();
        let average = if documents == 0 {
            0.0
        } else {
            (total as f64 / documents as f64) as f32
        };
        let frequency = |t: Term| self.0.values().filter(|f| !f.counts(t).is_zero()).count() as u64;
        let idf = |t| match (frequency(t), t.characters()) {
            (0, Some((_, Some(_)))) => 0.0,
            (frequency, _) => Bm25::idf(documents, frequency),
        };
        let idf: Vec<f32> = query
            .terms()
            .iter()
            .map(|t| t.weight * idf(t.term))
            .collect();
        let sum: f32 = idf.iter().sum();
        let mut hits = Vec::new();
        for (row, forward) in &self.0 {
            let length = f32::from(forward.lengths().total());
            let counts: Vec<u32> = query
                .terms()
                .iter()
                .map(|t| forward.counts(t.term).total())
                .collect();
            let parts = counts.iter().zip(&idf);
            let score: f32 = parts
                .map(|(c, idf)| idf / sum * bm25.saturation(*c as f32, length, average))
                .sum();
            if counts.iter().any(|c| *c > 0) && keep(Row(*row)) {
                hits.push(Hit {
                    row: Row(*row),
                    score,
                });
            }
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.row.cmp(&a.row)));
        hits.truncate(k);
        hits
    }
}

struct World {
    store: Store,
    settings: Settings,
    cache: Arc<ChunkCache>,
    index: Index,
    model: Model,
    next: u32,
    plan: Option<store::Plan>,
}

impl World {
    fn new(settings: Settings, cache: usize) -> Self {
        let cache = Arc::new(ChunkCache::new(cache));
        let index = Index::new(NS, settings, Arc::clone(&cache));
        Self {
            store: Store::in_memory(),
            settings,
            cache,
            index,
            model: Model::default(),
            next: 0,
            plan: None,
        }
    }

    fn append(&mut self, text: &str, reply: Option<&str>) {
        let (row, forward) = (Row(self.next), Arc::new(Analyzer.forward(text, reply)));
        self.store
            .write::<_, TextError>(|tx| store::put(tx, NS, row, &forward))
            .unwrap();
        assert!(self.index.append(row, Arc::clone(&forward)));
        self.model.0.insert(row.0, forward);
        self.next += 1;
    }

    fn remove(&mut self, picks: &[usize]) {
        let rows: Vec<u32> = self.model.0.keys().copied().collect();
        let mut gone: BTreeSet<Row> = picks
            .iter()
            .filter_map(|p| rows.get(p % rows.len().max(1)))
            .map(|r| Row(*r))
            .collect();
        gone.insert(Row(self.next + 5));
        let gone: Vec<Row> = gone.into_iter().rev().collect();
        let (removed, _) = self
            .store
            .write::<_, TextError>(|tx| store::remove(tx, NS, &gone))
            .unwrap();
        assert_eq!(removed.len(), gone.len() - 1);
        self.index.apply_removed(&removed).unwrap();
        gone.iter()
            .for_each(|row| drop(self.model.0.remove(&row.0)));
    }

    fn publish(&mut self) {
        let Some(plan) = self.plan.take() else { return };
        match self.store.write(|tx| store::publish(tx, &plan)) {
            Ok((Some(published), _)) => assert!(self.index.apply_published(&published)),
            Ok((None, _)) | Err(TextError::StalePlan) => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn reopen(&mut self) {
        let snapshot = self.store.snapshot().unwrap();
        let opened = store::open(&snapshot, NS, self.settings, Arc::clone(&self.cache)).unwrap();
        assert!(!opened.lost && opened.stale.is_empty());
        self.index = opened.index;
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Append(words, reply) => {
                self.append(&text(&words), reply.map(|r| text(&r)).as_deref())
            }
            Op::Skip => self.next += 3,
            Op::Remove(picks) => self.remove(&picks),
            Op::Plan => {
                self.plan = store::plan(&self.index, &self.store.snapshot().unwrap()).unwrap()
            }
            Op::Publish => self.publish(),
            Op::Reopen => self.reopen(),
            Op::Lose => {
                self.store
                    .write::<_, TextError>(|tx| store::drop_derived(tx, NS))
                    .unwrap();
                self.reopen();
                self.plan = None;
            }
            Op::Search(words, k, filter) => self.search(&text(&words), k, filter),
        }
    }

    fn search(&self, question: &str, k: usize, filter: u32) {
        let keep = |row: Row| filter == 0 || !row.0.is_multiple_of(filter + 1);
        let snapshot = self.store.snapshot().unwrap();
        let matches = self
            .index
            .matches(&snapshot, Analyzer.query(question), Bm25::default())
            .unwrap();
        let (got, want) = (
            matches.top(k, keep).unwrap(),
            self.model.top(question, k, keep),
        );
        assert_eq!(got.len(), want.len(), "{question}: {got:?} {want:?}");
        for (got, want) in got.iter().zip(&want) {
            assert!(
                (got.score - want.score).abs() < 1e-5,
                "{question}: {got:?} {want:?}"
            );
        }
        let all = self.model.top(question, usize::MAX, |_| true);
        for hit in &got {
            assert!(keep(hit.row));
            let same = all
                .iter()
                .find(|h| h.row == hit.row)
                .expect("a hit is a match");
            assert!((same.score - hit.score).abs() < 1e-5);
        }
        let equal = |a: &Hit, b: &Hit| a.score > b.score || (a.score == b.score && a.row > b.row);
        assert!(got.is_sorted_by(equal), "{got:?}");
        let rows: Vec<Row> = (0..self.next + 3).map(Row).collect();
        let found = matches.occurrences(&rows).unwrap();
        for (at, row) in rows.iter().enumerate() {
            let forward = self.model.0.get(&row.0).cloned().unwrap_or_default();
            let want: Vec<u32> = matches
                .query()
                .terms()
                .iter()
                .map(|t| forward.counts(t.term).total())
                .collect();
            assert_eq!(found.counts(at), want, "row {row:?}");
            assert_eq!(found.length(at), forward.lengths().total());
        }
    }

    fn check(&self) {
        let statistics = self.index.statistics();
        assert_eq!(statistics.documents, self.model.0.len() as u64);
        assert_eq!(
            statistics.total_length,
            self.model
                .0
                .values()
                .map(|f| u64::from(f.lengths().total()))
                .sum::<u64>()
        );
        let report = store::validate(&self.store.snapshot().unwrap(), NS).unwrap();
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.documents, statistics.documents);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 384,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_index_is_a_naive_index(
        settings in settings(),
        cache in 0_usize..3,
        ops in prop::collection::vec(op(), 1..80),
    ) {
        let mut world = World::new(settings, cache * 4096);
        for op in ops {
            world.step(op);
            world.search("wax rmy wcx 北", 5, 0);
        }
        world.check();
        world.plan = store::plan(&world.index, &world.store.snapshot().unwrap()).unwrap();
        world.publish();
        world.check();
        world.reopen();
        world.search("wax wbx rny 京 上海", 100, 0);
    }
}

/// Long lists, several blocks and windows: pruned and unpruned search agree, whatever the
/// thresholds.
#[test]
fn thresholds_do_not_change_answers() {
    let mut random = 12_345_u64;
    let mut next = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let texts: Vec<String> = (0..6000)
        .map(|_| {
            let count = 1 + next(20);
            let word =
                |r: u64| format!("t{}q", char::from(b'a' + u8::try_from(r.ilog2()).unwrap()));
            (0..count)
                .map(|_| word(1 + next(1 << 14)))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let kinds = [
        Settings::default(),
        Settings {
            tail_rows: 1 << 20,
            fold_after: 1 << 20,
            ..Settings::default()
        },
        Settings {
            tail_rows: 100,
            fold_after: 500,
            merge_factor: 2,
            chunk_bytes: 200,
            ..Settings::default()
        },
    ];
    let mut worlds: Vec<World> = kinds.into_iter().map(|s| World::new(s, 1 << 20)).collect();
    for world in &mut worlds {
        for text in &texts {
            world.append(text, None);
            if world.next % 250 == 0 {
                world.plan = store::plan(&world.index, &world.store.snapshot().unwrap()).unwrap();
                world.publish();
            }
        }
        world.remove(&(0..100).map(|i| i * 57).collect::<Vec<_>>());
    }
    assert!(worlds[0].index.segments().0 >= 1 && worlds[1].index.segments() == (0, 0));
    for question in [
        "taq",
        "tbq tfq tnq",
        "tjq tkq tlq tmq tnq",
        "tnq toq",
        "tcq tdq teq tfq tgq thq",
    ] {
        for k in [1, 10, 200, 10_000] {
            let answers: Vec<Vec<Hit>> = worlds
                .iter()
                .map(|w| {
                    let snapshot = w.store.snapshot().unwrap();
                    let matches = w
                        .index
                        .matches(&snapshot, Analyzer.query(question), Bm25::default())
                        .unwrap();
                    matches.top(k, |row| row.0 % 7 != 3).unwrap()
                })
                .collect();
            assert!(!answers[0].is_empty());
            assert_eq!(answers[0], answers[1], "{question} {k}");
            assert_eq!(answers[0], answers[2], "{question} {k}");
        }
    }
    worlds.iter().for_each(World::check);
}
