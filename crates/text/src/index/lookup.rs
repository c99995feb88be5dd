//! How often the terms of a question occur in given rows.

use annals_types::Row;

use super::load::Matches;
use super::terms::Cursor;
use crate::error::TextError;
use crate::forward::Lengths;

/// Counts of the terms of a question in some rows, and the rows' lengths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    terms: usize,
    counts: Vec<u32>,
    lengths: Vec<u16>,
}

impl Occurrences {
    /// The counts of the `at`-th row asked for, one for each term of the question. Text and reply
    /// together.
    #[must_use]
    pub fn counts(&self, at: usize) -> &[u32] {
        let start = at.saturating_mul(self.terms);
        self.counts
            .get(start..start.saturating_add(self.terms))
            .unwrap_or_default()
    }

    /// The length of the `at`-th row; 0 for one that is not there.
    #[must_use]
    pub fn length(&self, at: usize) -> u16 {
        self.lengths.get(at).copied().unwrap_or(0)
    }
}

impl Matches {
    /// Counts of every term in every one of `rows`, which must rise. Costs grow with the rows, not
    /// with the postings.
    ///
    /// # Errors
    /// [`TextError::DamagedSegment`] when a stored list cannot be decoded.
    pub fn occurrences(&self, rows: &[Row]) -> Result<Occurrences, TextError> {
        let terms = self.terms.len();
        let mut counts = vec![0; rows.len() * terms];
        for (number, term) in self.terms.iter().enumerate() {
            let mut cursor = Cursor::new(term);
            for (row, slot) in rows
                .iter()
                .zip(counts.iter_mut().skip(number).step_by(terms.max(1)))
            {
                *slot = cursor.count(row.0)?;
            }
        }
        Ok(Occurrences {
            terms,
            counts,
            lengths: self.row_lengths(rows),
        })
    }

    fn row_lengths(&self, rows: &[Row]) -> Vec<u16> {
        let length = |row: &Row| {
            let piece = self
                .lengths
                .partition_point(|(first, _)| *first <= row.0)
                .checked_sub(1)?;
            let (first, lengths) = self.lengths.get(piece)?;
            lengths
                .get((row.0 - first) as usize)
                .copied()
                .filter(|l| *l != Lengths::ABSENT)
        };
        rows.iter().map(|row| length(row).unwrap_or(0)).collect()
    }

    /// The score, in 0..1, of a text or of a window of texts with `counts` of each term (weighted
    /// as the caller likes) and `length`, where such texts have `average`: the same formula as
    /// [`top`](Self::top).
    #[must_use]
    pub fn score(&self, counts: &[f32], length: f32, average: f32) -> f32 {
        let shares = self.weights.iter().zip(counts);
        shares
            .map(|(weight, count)| {
                weight / super::load::UNIT * self.bm25.saturation(*count, length, average)
            })
            .sum()
    }
}
