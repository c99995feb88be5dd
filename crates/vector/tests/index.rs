//! One suite over the exact index and the graph index, against a plain list of vectors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_types::profile::VectorSettings;
use annals_types::{Commit, Row};
use annals_vector::{Hit, Index, Recipe, Shape, VectorError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const DIMS: usize = 40;

/// Random numbers that repeat themselves.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 29);
        x.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11
    }

    fn vector(&mut self) -> Vec<f32> {
        let topic = self.next() % 50;
        (0..DIMS as u64)
            .map(|i| {
                let noise = (self.next() % 2001) as f32 / 1000.0 - 1.0;
                noise
                    + if (topic * 7 + i).is_multiple_of(11) {
                        1.5
                    } else {
                        0.0
                    }
            })
            .collect()
    }
}

fn settings(graph: bool) -> VectorSettings {
    let rows = if graph { 0 } else { 1_000_000 };
    VectorSettings {
        exact_up_to_rows: rows,
        tail_up_to_rows: rows,
        search_candidates: 64,
        ..VectorSettings::default()
    }
}

fn filled(rows: u32, graph: bool, seed: u64) -> (Index, Vec<Vec<f32>>) {
    let shape = Shape::new(DIMS).unwrap();
    let mut dice = Dice(seed);
    let vectors: Vec<Vec<f32>> = (0..rows).map(|_| dice.vector()).collect();
    let mut index = Index::new(shape, settings(graph));
    for (row, vector) in (0..).zip(&vectors) {
        index
            .append(Row(row), &shape.encode(vector).unwrap())
            .unwrap();
    }
    if index.wants_build() {
        index.fold(Commit(1)).unwrap();
    }
    assert_eq!(index.graph().is_some(), graph);
    (index, vectors)
}

/// Cosines by f32 of all rows that pass, best first.
fn naive(
    vectors: &BTreeMap<u32, Vec<f32>>,
    query: &[f32],
    filter: impl Fn(u32) -> bool,
) -> Vec<(u32, f32)> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let cosine = |v: &[f32]| dot(v, query) / (dot(v, v) * dot(query, query)).sqrt();
    let mut all: Vec<(u32, f32)> = vectors
        .iter()
        .filter(|(r, _)| filter(**r))
        .map(|(r, v)| (*r, cosine(v)))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// How many of the hits are as good as the true best ones; every cosine must be right, and their
/// order.
fn check(hits: &[Hit], truth: &[(u32, f32)], k: usize) -> usize {
    assert_eq!(
        hits.len(),
        k.min(truth.len()),
        "never fewer hits than exist"
    );
    assert!(
        hits.windows(2)
            .all(|w| w[0].cosine > w[1].cosine
                || (w[0].cosine == w[1].cosine && w[0].row < w[1].row))
    );
    let known: BTreeMap<u32, f32> = truth.iter().copied().collect();
    for hit in hits {
        let real = known
            .get(&hit.row.0)
            .unwrap_or_else(|| panic!("{hit:?} must not be found"));
        assert!((real - hit.cosine).abs() < 0.02, "{hit:?}, really {real}");
    }
    let worst = truth
        .get(hits.len().saturating_sub(1))
        .map_or(-1.0, |t| t.1);
    hits.iter()
        .filter(|h| known[&h.row.0] >= worst - 0.003)
        .count()
}

fn map(vectors: &[Vec<f32>]) -> BTreeMap<u32, Vec<f32>> {
    (0..).zip(vectors.iter().cloned()).collect()
}

#[test]
fn both_find_the_nearest_rows() {
    for graph in [false, true] {
        let (index, vectors) = filled(3000, graph, 1);
        let vectors = map(&vectors);
        let mut dice = Dice(99);
        let mut good = 0;
        for _ in 0..50 {
            let asked = dice.vector();
            let query = index.shape().query(&asked).unwrap();
            good += check(
                &index.search(&query, 10, None, |_| true),
                &naive(&vectors, &asked, |_| true),
                10,
            );
        }
        assert!(good >= 490, "graph {graph}: {good} of 500");
    }
}

#[test]
fn filters_never_cost_hits() {
    for graph in [false, true] {
        let (index, vectors) = filled(3000, graph, 2);
        let vectors = map(&vectors);
        let asked = Dice(5).vector();
        let query = index.shape().query(&asked).unwrap();
        for keep in [1, 2, 3, 10, 100, 1000, 2999] {
            let filter = |row: u32| row.is_multiple_of(keep);
            let hits = index.search(&query, 12, Some(12), |row| filter(row.0));
            check(&hits, &naive(&vectors, &asked, filter), 12);
        }
        assert_eq!(index.search(&query, 5, None, |_| false), vec![]);
        assert_eq!(index.search(&query, 0, None, |_| true), vec![]);
        // All rows that are not near the query: a walk alone would not leave the neighbourhood.
        let far: Vec<u32> = naive(&vectors, &asked, |_| true)
            .iter()
            .rev()
            .take(9)
            .map(|t| t.0)
            .collect();
        let hits = index.search(&query, 20, None, |row| far.contains(&row.0));
        check(&hits, &naive(&vectors, &asked, |r| far.contains(&r)), 20);
    }
}

#[test]
fn removed_rows_are_not_found_and_the_others_still_are() {
    for graph in [false, true] {
        let (mut index, vectors) = filled(2000, graph, 3);
        let before = index.clone();
        let mut vectors = map(&vectors);
        for row in (0..2000).filter(|r| r % 3 != 0) {
            assert!(index.remove(Row(row)));
            assert!(!index.remove(Row(row)));
            vectors.remove(&row);
        }
        assert_eq!(index.len(), vectors.len());
        assert_eq!(before.len(), 2000, "a clone is a snapshot");
        let mut dice = Dice(7);
        let mut good = 0;
        for _ in 0..30 {
            let asked = dice.vector();
            let query = index.shape().query(&asked).unwrap();
            good += check(
                &index.search(&query, 10, None, |_| true),
                &naive(&vectors, &asked, |_| true),
                10,
            );
        }
        assert!(good >= 290, "graph {graph}: {good} of 300");
    }
}

#[test]
fn equal_vectors_are_all_found_in_order_of_rows() {
    for graph in [false, true] {
        let shape = Shape::new(DIMS).unwrap();
        let mut index = Index::new(shape, settings(graph));
        let mut dice = Dice(4);
        let same = dice.vector();
        for row in 0..600_u32 {
            let vector = if row % 2 == 0 {
                same.clone()
            } else {
                dice.vector()
            };
            index
                .append(Row(row), &shape.encode(&vector).unwrap())
                .unwrap();
        }
        if graph {
            index.fold(Commit(1)).unwrap();
        }
        // The first of the equal ones stands for all in the graph: without it the others must still
        // be found.
        assert!(index.remove(Row(0)));
        let query = shape.query(&same).unwrap();
        let rows: Vec<u32> = index
            .search(&query, 200, None, |_| true)
            .iter()
            .map(|h| h.row.0)
            .collect();
        assert_eq!(rows, (1..=200).map(|i| i * 2).collect::<Vec<u32>>());
        let odd = index.search(&query, 3, None, |row| row.0 > 590 && row.0 % 2 == 0);
        assert_eq!(
            odd.iter().map(|h| h.row.0).collect::<Vec<_>>(),
            vec![592, 594, 596]
        );
    }
}

#[test]
fn similarity_is_the_cosine_that_a_search_gives() {
    for graph in [false, true] {
        let (index, _) = filled(500, graph, 6);
        let query = index.shape().query(&Dice(8).vector()).unwrap();
        for hit in index.search(&query, 50, None, |_| true) {
            assert_eq!(index.similarity(hit.row, &query), Some(hit.cosine));
            assert!((index.between(hit.row, hit.row).unwrap() - 1.0).abs() < 1e-5);
        }
        assert_eq!(index.similarity(Row(500), &query), None);
        assert_eq!(index.between(Row(0), Row(500)), None);
    }
}

#[test]
fn misuse_is_a_typed_error_and_changes_nothing() {
    for graph in [false, true] {
        let (mut index, vectors) = filled(100, graph, 9);
        let code = index.shape().encode(&vectors[0]).unwrap();
        assert!(matches!(
            index.append(Row(50), &code),
            Err(VectorError::RowTaken { row: Row(50) })
        ));
        let other = Shape::new(DIMS + 1).unwrap();
        let longer = other.encode(&[1.0; DIMS + 1]).unwrap();
        assert!(matches!(
            index.append(Row(200), &longer),
            Err(VectorError::WrongLength {
                got: 41,
                expected: 40
            })
        ));
        assert_eq!(
            index.search(&other.query(&[1.0; DIMS + 1]).unwrap(), 3, None, |_| true),
            vec![]
        );
        assert_eq!(index.len(), 100);
    }
}

#[test]
fn a_build_depends_on_the_seed_not_on_the_threads() {
    let (index, _) = filled(2500, false, 10);
    let build = |threads, seed| {
        let recipe = Recipe {
            threads,
            seed,
            ..Recipe::default()
        };
        let graph = index
            .build_with(Commit(1), recipe, &mut |_, _| ControlFlow::Continue(()))
            .unwrap();
        let mut index = index.clone();
        index.adopt(graph);
        let query = index.shape().query(&Dice(11).vector()).unwrap();
        (
            format!("{:?}", index.graph()),
            index.search(&query, 10, Some(10), |_| true),
        )
    };
    assert_eq!(build(1, 5), build(3, 5));
    assert_ne!(build(1, 5).0, build(1, 6).0);
}

#[test]
fn building_on_a_graph_is_as_good_as_building_anew() {
    let (mut index, vectors) = filled(2000, true, 13);
    let mut vectors = map(&vectors);
    let mut dice = Dice(14);
    for row in (0..2000).filter(|r| r % 8 == 0) {
        assert!(index.remove(Row(row)));
        vectors.remove(&row);
    }
    for row in 2000..3000 {
        let vector = if row % 10 == 0 {
            vectors[&(row - 1999)].clone()
        } else {
            dice.vector()
        };
        index
            .append(Row(row), &index.shape().encode(&vector).unwrap())
            .unwrap();
        vectors.insert(row, vector);
    }
    let mut inserted = Vec::new();
    let graph = index.build(Commit(2), &mut |done, _| {
        inserted.push(done);
        ControlFlow::Continue(())
    });
    index.adopt(graph.unwrap());
    assert!(
        inserted[0] > 1700,
        "only new rows are inserted: {inserted:?}"
    );
    assert_eq!((index.outside(), index.len()), (0, 2750));
    let mut good = 0;
    for _ in 0..50 {
        let asked = dice.vector();
        let query = index.shape().query(&asked).unwrap();
        good += check(
            &index.search(&query, 10, None, |_| true),
            &naive(&vectors, &asked, |_| true),
            10,
        );
    }
    assert!(good >= 490, "{good} of 500");
}

#[test]
fn a_build_reports_progress_and_can_be_cancelled() {
    let (index, _) = filled(2000, false, 12);
    let mut calls = Vec::new();
    let built = index.build(Commit(1), &mut |done, total| {
        calls.push((done, total));
        if done > 500 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(matches!(built, Err(VectorError::Cancelled)));
    assert!(
        calls.is_sorted() && calls.len() > 2 && calls.iter().all(|c| c.1 == 2000),
        "{calls:?}"
    );
}

#[derive(Debug, Clone)]
enum Step {
    Append(u8),
    /// Leaves a gap, then appends.
    Skip(u8),
    /// Fills the lowest gap.
    Late,
    Copy,
    Remove(u16),
    Snapshot,
    Build,
    Adopt,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_u8..12).prop_map(Step::Append),
        1 => (1_u8..4).prop_map(Step::Skip),
        1 => Just(Step::Late),
        1 => Just(Step::Copy),
        3 => any::<u16>().prop_map(Step::Remove),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Build),
        1 => Just(Step::Adopt),
    ]
}

struct Model {
    index: Index,
    rows: BTreeMap<u32, Vec<f32>>,
    next: u32,
    gaps: Vec<u32>,
    dice: Dice,
    snapshot: Option<(Index, BTreeMap<u32, Vec<f32>>)>,
    built: Option<annals_vector::Graph>,
}

impl Model {
    fn put(&mut self, row: u32, vector: Vec<f32>) {
        let code = self.index.shape().encode(&vector).unwrap();
        self.index.append(Row(row), &code).unwrap();
        self.rows.insert(row, vector);
    }

    fn append(&mut self) {
        let vector = self.dice.vector();
        self.put(self.next, vector);
        self.next += 1;
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Append(n) => (0..*n).for_each(|_| self.append()),
            Step::Skip(n) => {
                self.gaps.extend(self.next..self.next + u32::from(*n));
                self.next += u32::from(*n);
                self.append();
            }
            Step::Late => {
                if let Some(row) = self.gaps.pop() {
                    let vector = self.dice.vector();
                    self.put(row, vector);
                }
            }
            Step::Copy => {
                if let Some(vector) = self.rows.values().next_back().cloned() {
                    self.put(self.next, vector);
                    self.next += 1;
                }
            }
            Step::Remove(n) => {
                let row = u32::from(*n) % self.next.max(1);
                assert_eq!(
                    self.index.remove(Row(row)),
                    self.rows.remove(&row).is_some()
                );
            }
            Step::Snapshot => self.snapshot = Some((self.index.clone(), self.rows.clone())),
            Step::Build => {
                self.built = Some(
                    self.index
                        .build(Commit(1), &mut |_, _| ControlFlow::Continue(()))
                        .unwrap(),
                )
            }
            Step::Adopt => {
                if let Some(graph) = self.built.take() {
                    self.index.adopt(graph);
                }
            }
        }
    }

    fn check(&mut self) {
        let asked = self.dice.vector();
        if let Some((index, rows)) = &self.snapshot {
            compare(index, rows, &asked);
        }
        compare(&self.index, &self.rows, &asked);
    }
}

fn compare(index: &Index, rows: &BTreeMap<u32, Vec<f32>>, asked: &[f32]) {
    assert_eq!(index.len(), rows.len());
    let query = index.shape().query(asked).unwrap();
    let hits = index.search(&query, 8, None, |row| row.0 % 5 != 0);
    let truth = naive(rows, asked, |row| row % 5 != 0);
    let good = check(&hits, &truth, 8);
    // Two rows whose cosines are closer than a code can tell may change places at the end.
    assert!(good + 1 >= hits.len(), "{hits:?} {truth:?}");
    let exact = index.search_exact(&query, 8, |row| row.0 % 5 != 0);
    assert_eq!(hits, exact);
    for row in 0..rows.keys().next_back().map_or(3, |last| last + 2) {
        assert_eq!(index.contains(Row(row)), rows.contains_key(&row));
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]
    #[test]
    fn any_sequence_of_changes_equals_a_plain_list(
        steps in prop::collection::vec(step(), 1..40),
        seed in any::<u64>(),
    ) {
        let settings = VectorSettings { degree: 8, ..settings(true) };
        let index = Index::new(Shape::new(DIMS).unwrap(), settings);
        let (rows, gaps, dice) = (BTreeMap::new(), Vec::new(), Dice(seed));
        let mut model = Model { index, rows, next: 0, gaps, dice, snapshot: None, built: None };
        for step in &steps {
            model.apply(step);
            model.check();
        }
    }
}
