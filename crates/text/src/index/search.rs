//! The best rows of a question: BM25 with MaxScore pruning over windows of rows.
//!
//! Within a window, terms whose bounds together cannot lift a row into the best k are only looked
//! up for rows that other terms have found (Turtle and Flood 1995; the bounds are those of the
//! blocks in the window, as in Ding and Suel 2011).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use annals_types::Row;

use super::load::{Matches, UNIT};
use super::terms::{BlockRef, Cursor};
use crate::error::TextError;
use crate::settings::Bm25;

/// A row that matched, with its score in 0..1: its BM25 over that of the best possible match of the
/// question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The row.
    pub row: Row,
    /// Its score.
    pub score: f32,
}

/// Rows of one window.
const WINDOW_ROWS: u32 = 4096;
const WINDOW: usize = WINDOW_ROWS as usize;

impl Matches {
    /// The `k` best rows for which `keep` holds, best first; of equal scores the newer row first.
    /// Rows without any term of the question are no match. `keep` is asked only about rows that
    /// would be among the best.
    ///
    /// # Errors
    /// [`TextError::DamagedSegment`] when a stored list cannot be decoded.
    pub fn top(&self, k: usize, keep: impl FnMut(Row) -> bool) -> Result<Vec<Hit>, TextError> {
        let mut search = Search::new(self, k, keep);
        if k > 0 {
            search.run()?;
        }
        Ok(search.best.into_hits())
    }

    pub(super) fn norm(&self) -> Norm {
        Norm::new(self.bm25, self.statistics.average_length())
    }
}

/// k1 (1 - b + b length / average) as a linear function of the length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Norm {
    base: f32,
    slope: f32,
}

impl Norm {
    pub(super) fn new(bm25: Bm25, average: f32) -> Self {
        let slope = if average > 0.0 {
            bm25.k1 * bm25.b / average
        } else {
            0.0
        };
        Self {
            base: bm25.k1 * (1.0 - bm25.b),
            slope,
        }
    }

    /// The part of `count` occurrences in a text of `length` in its score.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "a bound of 2^32 occurrences need not be exact"
    )]
    fn score(self, weight: f32, count: u32, length: u32) -> u32 {
        let count = count as f32;
        fixed(weight * count / (count + self.base + self.slope * length as f32))
    }

    /// No posting of the block scores more. The one makes up for rounding.
    fn bound(self, weight: f32, block: &BlockRef) -> u32 {
        self.score(weight, block.most, block.shortest)
            .saturating_add(1)
    }
}

#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^24, never negative; NaN becomes 0"
)]
fn fixed(score: f32) -> u32 {
    score as u32
}

/// The best rows so far.
struct Best {
    k: usize,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Best {
    /// The score that a row must reach to be kept.
    fn threshold(&self) -> u32 {
        if self.heap.len() < self.k {
            1
        } else {
            self.heap.peek().map_or(1, |Reverse((score, _))| *score)
        }
    }

    fn offer(&mut self, score: u32, row: u32) {
        if self.heap.len() >= self.k {
            match self.heap.peek_mut() {
                Some(mut least) if least.0 < (score, row) => *least = Reverse((score, row)),
                _ => {}
            }
        } else {
            self.heap.push(Reverse((score, row)));
        }
    }

    fn into_hits(self) -> Vec<Hit> {
        // Sorted by Reverse: the greatest score first, of equal ones the greatest row.
        let sorted = self.heap.into_sorted_vec().into_iter();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a score needs no more than 24 bits"
        )]
        let hit = |Reverse((score, row)): Reverse<(u32, u32)>| Hit {
            row: Row(row),
            score: score as f32 / UNIT,
        };
        sorted.map(hit).collect()
    }
}

/// A term during a search.
struct Lane<'a> {
    cursor: Cursor<'a>,
    blocks: &'a [BlockRef],
    weight: f32,
    /// Of the window at hand.
    bound: u32,
}

impl Lane<'_> {
    /// Sets the bound for the rows from `start` up to, and without, `end`.
    fn set_bound(&mut self, start: u32, end: u32, norm: Norm) {
        self.cursor.skip_to(start);
        let blocks = self
            .blocks
            .get(self.cursor.block_number()..)
            .unwrap_or_default();
        let inside = blocks.iter().take_while(|b| b.floor < end);
        self.bound = inside
            .map(|b| norm.bound(self.weight, b))
            .max()
            .unwrap_or(0);
    }
}

struct Search<'a, F> {
    matches: &'a Matches,
    norm: Norm,
    keep: F,
    best: Best,
    lanes: Vec<Lane<'a>>,
    /// Scores of the rows of the window, and which of them are above zero.
    scores: Box<[u32; WINDOW]>,
    touched: [u64; WINDOW / 64],
}

impl<'a, F: FnMut(Row) -> bool> Search<'a, F> {
    fn new(matches: &'a Matches, k: usize, keep: F) -> Self {
        let lanes = matches
            .terms
            .iter()
            .zip(&matches.weights)
            .filter(|(t, w)| !t.blocks.is_empty() && **w > 0.0);
        let lanes = lanes
            .map(|(term, weight)| Lane {
                cursor: Cursor::new(term),
                blocks: &term.blocks,
                weight: *weight,
                bound: 0,
            })
            .collect();
        let best = Best {
            k,
            heap: BinaryHeap::new(),
        };
        let (scores, touched) = (Box::new([0; WINDOW]), [0; WINDOW / 64]);
        Self {
            matches,
            norm: matches.norm(),
            keep,
            best,
            lanes,
            scores,
            touched,
        }
    }

    fn run(&mut self) -> Result<(), TextError> {
        let matches = self.matches;
        for (first, lengths) in &matches.lengths {
            let end = first.saturating_add(u32::try_from(lengths.len()).unwrap_or(u32::MAX));
            let mut start = *first;
            while let Some(next) = self.lanes.iter().filter_map(|l| l.cursor.floor()).min() {
                start = start.max(next);
                if start >= end {
                    break;
                }
                let stop = end.min(start.saturating_add(WINDOW_ROWS));
                self.window(start, stop, *first, lengths)?;
                start = stop;
                self.lanes
                    .iter_mut()
                    .for_each(|lane| lane.cursor.pass(stop));
            }
        }
        Ok(())
    }

    /// Scores the rows from `start` up to, and without, `stop`.
    fn window(
        &mut self,
        start: u32,
        stop: u32,
        first: u32,
        lengths: &Arc<[u16]>,
    ) -> Result<(), TextError> {
        let norm = self.norm;
        for lane in &mut self.lanes {
            lane.set_bound(start, stop, norm);
        }
        self.lanes.sort_unstable_by_key(|l| l.bound);
        let threshold = self.best.threshold();
        let (mut optional, mut optional_bound) = (0, 0_u32);
        for lane in &self.lanes {
            match optional_bound.saturating_add(lane.bound) {
                sum if sum < threshold => (optional, optional_bound) = (optional + 1, sum),
                _ => break,
            }
        }
        let length = |row: u32| {
            lengths
                .get((row - first) as usize)
                .copied()
                .unwrap_or(0)
                .into()
        };
        let (optional_lanes, lanes) = self.lanes.split_at_mut(optional);
        if lanes.is_empty() {
            return Ok(());
        }
        for lane in lanes.iter_mut().filter(|l| l.bound > 0) {
            let (scores, touched, weight) = (&mut self.scores, &mut self.touched, lane.weight);
            lane.cursor.walk(start, stop, |row, count| {
                let at = (row - start) as usize;
                if let (Some(score), Some(word)) = (scores.get_mut(at), touched.get_mut(at / 64)) {
                    *score += norm.score(weight, count, length(row));
                    *word |= 1 << (at % 64);
                }
            })?;
        }
        let mut rows = Candidates {
            start,
            scores: &mut self.scores,
            touched: &mut self.touched,
        };
        rows.drain(|row, found| {
            let (mut score, mut open) = (found, optional_bound);
            for lane in optional_lanes.iter_mut().rev() {
                if score.saturating_add(open) < self.best.threshold() {
                    return Ok(());
                }
                open -= lane.bound;
                let count = lane.cursor.count(row)?;
                if count > 0 {
                    score += norm.score(lane.weight, count, length(row));
                }
            }
            if score >= self.best.threshold() && (self.keep)(Row(row)) {
                self.best.offer(score, row);
            }
            Ok(())
        })
    }
}

/// The rows of a window that some term has found.
struct Candidates<'a> {
    start: u32,
    scores: &'a mut [u32; WINDOW],
    touched: &'a mut [u64; WINDOW / 64],
}

impl Candidates<'_> {
    /// Calls `visit` with each row and its score, rising, and clears the window.
    fn drain(
        &mut self,
        mut visit: impl FnMut(u32, u32) -> Result<(), TextError>,
    ) -> Result<(), TextError> {
        for (number, word) in self.touched.iter_mut().enumerate() {
            let mut bits = std::mem::take(word);
            while bits != 0 {
                let at = number * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(score) = self.scores.get_mut(at) {
                    let row = self.start + u32::try_from(at).unwrap_or(0);
                    visit(row, std::mem::take(score))?;
                }
            }
        }
        Ok(())
    }
}
