//! One suite for every kind of index, against a plain list of vectors.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use annals_types::profile::VectorSettings;
use annals_types::{Commit, Row};
use annals_vector::{Hit, Index, Shape, VectorError, VectorIndex};

const DIMS: usize = 40;
const ROWS: u32 = 2_000;

/// Vectors around fifty topics.
fn vector(seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..DIMS as u64)
        .map(|i| {
            next()
                + if (seed % 50 * 7 + i).is_multiple_of(11) {
                    1.5
                } else {
                    0.0
                }
        })
        .collect()
}

/// An index with the first rows in it.
fn filled(kind: &str) -> Box<dyn VectorIndex> {
    let mut index: Box<dyn VectorIndex> = match kind {
        #[cfg(feature = "hnsw")]
        "hnsw" => Box::new(
            annals_vector::HnswIndex::new(DIMS, annals_vector::HnswSettings::default()).unwrap(),
        ),
        _ => {
            let rows = if kind == "graph" { 0 } else { 1_000_000 };
            let settings = VectorSettings {
                exact_up_to_rows: rows,
                tail_up_to_rows: rows,
                ..VectorSettings::default()
            };
            let mut index = Index::new(Shape::new(DIMS).unwrap(), settings);
            if kind == "graph" {
                (0..ROWS).for_each(|row| index.insert(Row(row), &vector(u64::from(row))).unwrap());
                index.fold(Commit(1)).unwrap();
                return Box::new(index);
            }
            Box::new(index)
        }
    };
    (0..ROWS).for_each(|row| index.insert(Row(row), &vector(u64::from(row))).unwrap());
    index
}

const KINDS: &[&str] = if cfg!(feature = "hnsw") {
    &["exact", "graph", "hnsw"]
} else {
    &["exact", "graph"]
};

/// The cosines of all rows that are kept, best first.
fn truth(asked: &[f32], keep: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let cosine = |row| {
        let v = vector(u64::from(row));
        dot(&v, asked) / (dot(&v, &v) * dot(asked, asked)).sqrt()
    };
    let mut all: Vec<(u32, f32)> = (0..ROWS)
        .filter(|row| keep(*row))
        .map(|row| (row, cosine(row)))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// How many hits are as good as the best; each must be kept and have its cosine.
fn good(hits: &[Hit], truth: &[(u32, f32)], k: usize) -> usize {
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
    let worst = truth
        .get(hits.len().saturating_sub(1))
        .map_or(-1.0, |t| t.1);
    let real = |hit: &Hit| {
        known
            .get(&hit.row.0)
            .copied()
            .unwrap_or_else(|| panic!("{hit:?} must not be found"))
    };
    assert!(
        hits.iter().all(|hit| (real(hit) - hit.cosine).abs() < 0.02),
        "{hits:?}"
    );
    hits.iter().filter(|hit| real(hit) >= worst - 0.003).count()
}

#[test]
fn the_nearest_rows_are_found() {
    for kind in KINDS {
        let index = filled(kind);
        let asked = (0..40).map(|n| vector(1_000_000 + n));
        let found = asked.map(|asked| {
            let hits = index.nearest(&asked, 10, &|_| true).unwrap();
            good(&hits, &truth(&asked, |_| true), 10)
        });
        let found: usize = found.sum();
        assert!(found >= 390, "{kind}: {found} of 400");
    }
}

#[test]
fn a_filter_costs_no_hits() {
    for kind in KINDS {
        let index = filled(kind);
        let asked = vector(1_000_007);
        for step in [1, 2, 10, 100, 1000, ROWS - 1] {
            let hits = index
                .nearest(&asked, 12, &|row| row.0.is_multiple_of(step))
                .unwrap();
            good(&hits, &truth(&asked, |row| row.is_multiple_of(step)), 12);
        }
        assert!(
            index.nearest(&asked, 5, &|_| false).unwrap().is_empty(),
            "{kind}"
        );
        assert!(
            index.nearest(&asked, 0, &|_| true).unwrap().is_empty(),
            "{kind}"
        );
    }
}

#[test]
fn a_removed_row_is_not_found_and_may_come_again() {
    for kind in KINDS {
        let mut index = filled(kind);
        let own = vector(17);
        assert_eq!(
            index.nearest(&own, 1, &|_| true).unwrap()[0].row,
            Row(17),
            "{kind}"
        );
        assert!(index.remove(Row(17)) && !index.remove(Row(17)), "{kind}");
        assert_eq!(index.rows(), ROWS as usize - 1, "{kind}");
        let hits = index.nearest(&own, 10, &|_| true).unwrap();
        good(&hits, &truth(&own, |row| row != 17), 10);
        index.insert(Row(17), &own).unwrap();
        assert_eq!(
            index.nearest(&own, 1, &|_| true).unwrap()[0].row,
            Row(17),
            "{kind}"
        );
        for row in (0..ROWS).filter(|row| row % 40 != 0) {
            index.remove(Row(row));
        }
        let hits = index.nearest(&own, 30, &|_| true).unwrap();
        good(&hits, &truth(&own, |row| row % 40 == 0), 30);
    }
}

#[test]
fn a_vector_that_cannot_be_compared_is_refused_and_changes_nothing() {
    for kind in KINDS {
        let mut index = filled(kind);
        let (new, mut odd) = (Row(ROWS), vector(3));
        assert!(
            matches!(
                index.insert(Row(3), &vector(3)),
                Err(VectorError::RowTaken { row: Row(3) })
            ),
            "{kind}"
        );
        assert!(
            matches!(index.insert(new, &[0.0; DIMS]), Err(VectorError::Zero)),
            "{kind}"
        );
        assert!(
            matches!(
                index.insert(new, &[1.0; 3]),
                Err(VectorError::WrongLength { got: 3, .. })
            ),
            "{kind}"
        );
        odd[5] = f32::NAN;
        assert!(
            matches!(
                index.insert(new, &odd),
                Err(VectorError::NotFinite { position: 5 })
            ),
            "{kind}"
        );
        assert!(index.nearest(&odd, 1, &|_| true).is_err(), "{kind}");
        assert_eq!(index.rows(), ROWS as usize, "{kind}");
        // Numbers whose squares are infinite have a direction.
        let huge: Vec<f32> = vector(4).iter().map(|x| x * 1e30).collect();
        assert_eq!(
            index.nearest(&huge, 1, &|_| true).unwrap()[0].row,
            Row(4),
            "{kind}"
        );
    }
}
