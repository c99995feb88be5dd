//! Hits from outside of the indexes of words and vectors.

use std::collections::BTreeMap;

use annals_types::{Row, SearchPart};

/// The hits of a search backend in place of a built-in search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    part: SearchPart,
    scores: BTreeMap<Row, f32>,
}

impl Found {
    /// Rows with their scores, 0 to 1; the better one of two for the same row.
    pub fn new(part: SearchPart, hits: impl IntoIterator<Item = (Row, f32)>) -> Self {
        let mut scores = BTreeMap::new();
        hits.into_iter()
            .for_each(|(row, score)| raise(&mut scores, row, score));
        Self { part, scores }
    }

    /// The search that it stands for.
    #[must_use]
    pub const fn part(&self) -> SearchPart {
        self.part
    }

    pub(crate) fn hits(&self) -> impl Iterator<Item = (Row, f32)> + '_ {
        self.scores.iter().map(|(row, score)| (*row, *score))
    }

    pub(crate) fn score(&self, row: Row) -> f32 {
        self.scores.get(&row).copied().unwrap_or_default()
    }
}

/// The greater of the score that a row has and another one.
pub(crate) fn raise(scores: &mut BTreeMap<Row, f32>, row: Row, score: f32) {
    let known = scores.entry(row).or_default();
    *known = known.max(score);
}
