//! Brings together what the index has about the terms of one question.

use std::sync::Arc;

use annals_storage::Reads;

use super::terms::{BlockRef, Place, TermPostings};
use super::{Index, Statistics};
use crate::analysis::{Query, QueryTerm};
use crate::error::{Damage, TextError};
use crate::forward::Lengths;
use crate::segment::{BLOCK, Chunk, Chunks, Decoded, Posting, Segment, blocks, list_total};
use crate::settings::Bm25;
use crate::term::Term;

/// Everything the index has about the terms of one question, to be searched and looked up without
/// touching storage again.
#[derive(Debug)]
pub struct Matches {
    pub(super) terms: Vec<TermPostings>,
    /// Each term's share of the question's weight, times 2^24.
    pub(super) weights: Vec<f32>,
    pub(super) statistics: Statistics,
    pub(super) bm25: Bm25,
    /// Lengths of rows, in pieces by first row.
    pub(super) lengths: Vec<(u32, Arc<[u16]>)>,
    query: Query,
}

/// The score of a memory that could not match better. Scores are integers, so that the order of
/// adding does not matter, and of 24 bits, so that an `f32` holds them exactly.
pub(super) const UNIT: f32 = 16_777_216.0;

impl Index {
    /// Collects the postings of a question's terms. Reads what is not in memory in one round.
    ///
    /// `reads` must be a state of the namespace at or after the last commit this index was told of.
    ///
    /// # Errors
    /// [`TextError::Outdated`] when `reads` and index do not belong together;
    /// [`TextError::DamagedSegment`] when stored lists are damaged and must be rebuilt;
    /// [`TextError::Storage`] when storage cannot be read.
    pub fn matches(
        &self,
        reads: &impl Reads,
        query: Query,
        bm25: Bm25,
    ) -> Result<Matches, TextError> {
        if reads.commit() < self.commit {
            return Err(TextError::Outdated);
        }
        let mut fetched = self.fetch(reads, &query)?.into_iter();
        let statistics = self.statistics();
        let mut terms: Vec<TermPostings> = query
            .terms()
            .iter()
            .map(|_| TermPostings::default())
            .collect();
        for segment in self.stored.iter().chain(self.recent.segments()) {
            for (QueryTerm { term, .. }, postings) in query.terms().iter().zip(&mut terms) {
                collect(segment, *term, &mut fetched, postings)?;
            }
        }
        for (QueryTerm { term, .. }, postings) in query.terms().iter().zip(&mut terms) {
            self.collect_tail(*term, postings);
        }
        let weights = weights(query.terms(), &terms, statistics);
        Ok(Matches {
            terms,
            weights,
            statistics,
            bm25,
            lengths: self.length_pieces(),
            query,
        })
    }

    fn collect_tail(&self, term: Term, out: &mut TermPostings) {
        let tail = self.recent.tail();
        let mut found: Vec<Posting> = Vec::new();
        let mut shortest = u32::MAX;
        for (row, forward) in tail {
            let count = forward.counts(term).total();
            if count > 0 {
                found.push(Posting { row: *row, count });
                shortest = shortest.min(forward.lengths().total().into());
            }
        }
        for block in found.chunks(BLOCK) {
            out.add_plain(block, shortest);
        }
    }

    fn length_pieces(&self) -> Vec<(u32, Arc<[u16]>)> {
        let segments = self.stored.iter().chain(self.recent.segments());
        let mut pieces: Vec<_> = segments
            .filter_map(|s| s.lengths().map(|l| (s.header.first, Arc::clone(l))))
            .collect();
        if let Some((first, _)) = self.recent.tail().first() {
            let mut lengths = Vec::with_capacity(self.recent.tail().len());
            for (row, forward) in self.recent.tail() {
                lengths.resize((row - first) as usize, Lengths::ABSENT);
                lengths.push(forward.lengths().total());
            }
            pieces.push((*first, Arc::from(lengths)));
        }
        pieces
    }
}

/// Adds the postings of a term in one segment. `fetched` gives the stored chunks in the order of
/// asking.
fn collect(
    segment: &Segment,
    term: Term,
    fetched: &mut impl Iterator<Item = Arc<[u8]>>,
    out: &mut TermPostings,
) -> Result<(), TextError> {
    for number in segment.header.span(term) {
        let bytes = match &segment.chunks {
            Chunks::Resident(chunks) => chunks.get(number).cloned(),
            Chunks::Stored { .. } => fetched.next(),
        };
        let bytes = bytes.ok_or(Damage::Missing)?;
        let Some((start, end)) = Chunk::new(&bytes)?.find(term) else {
            continue;
        };
        let list = bytes.get(start..end).ok_or(Damage::Short)?;
        add_list(segment, &bytes, start, list, out)?;
    }
    Ok(())
}

fn add_list(
    segment: &Segment,
    bytes: &Arc<[u8]>,
    offset: usize,
    list: &[u8],
    out: &mut TermPostings,
) -> Result<(), TextError> {
    let base = segment.header.first;
    let number = |n: usize| u32::try_from(n).map_err(|_| Damage::Range);
    let chunk = number(out.chunks.len())?;
    let frequency = list_total(list)?;
    for block in blocks(list)? {
        let block = block?;
        let Some(last) = block.last else {
            // The only block of a short list: decoded at once, which costs less than remembering
            // where it is.
            let mut decoded = Decoded::new();
            decoded.fill(
                list.get(block.start..block.end).ok_or(Damage::Short)?,
                block.postings,
                None,
            )?;
            let plain: Vec<_> = decoded
                .iter()
                .map(|p| Posting {
                    row: p.row.saturating_add(base),
                    ..p
                })
                .collect();
            out.add_plain(&plain, 0);
            return Ok(());
        };
        let place = Place::Chunk {
            chunk,
            start: number(offset + block.start)?,
            end: number(offset + block.end)?,
            postings: u8::try_from(block.postings).map_err(|_| Damage::Range)?,
            base,
            before: block.before,
        };
        out.blocks.push(BlockRef {
            floor: base.saturating_add(block.before.map_or(0, |b| b + 1)),
            last: base.saturating_add(last),
            most: block.most,
            shortest: block.shortest,
            place,
        });
    }
    out.frequency += frequency;
    out.chunks.push(Arc::clone(bytes));
    Ok(())
}

/// Each term's weight times its idf, scaled so that they add up to [`UNIT`]. Terms that occur
/// nowhere take their share; pairs of characters that occur nowhere do not, because their
/// characters are terms of their own.
fn weights(query: &[QueryTerm], terms: &[TermPostings], statistics: Statistics) -> Vec<f32> {
    let raw: Vec<f32> = query
        .iter()
        .zip(terms)
        .map(|(q, t)| {
            let pair = q
                .term
                .characters()
                .is_some_and(|(_, second)| second.is_some());
            let counts = q.weight.is_finite() && !(pair && t.frequency == 0);
            let weight = if counts { q.weight.max(0.0) } else { 0.0 };
            weight * Bm25::idf(statistics.documents, t.frequency)
        })
        .collect();
    let sum: f32 = raw.iter().sum();
    if sum > 0.0 {
        raw.iter().map(|w| w / sum * UNIT).collect()
    } else {
        vec![0.0; raw.len()]
    }
}

impl Matches {
    /// The question.
    #[must_use]
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// How many memories have each term.
    #[must_use]
    pub fn frequencies(&self) -> Vec<u64> {
        self.terms.iter().map(|t| t.frequency).collect()
    }

    /// The share of each term in the best possible score: idf over the sum of all idf. Adds up to
    /// 1.
    #[must_use]
    pub fn weights(&self) -> Vec<f32> {
        self.weights.iter().map(|w| w / UNIT).collect()
    }

    /// Memories and total length at the time of the index.
    #[must_use]
    pub const fn statistics(&self) -> Statistics {
        self.statistics
    }
}
