//! Brings together what the index has about the terms of one question.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use annals_storage::{Keyspace, Reads};

use super::cache::ChunkKey;
use super::terms::{BlockRef, Place, TermPostings};
use super::{Index, Statistics};
use crate::analysis::{Query, QueryTerm};
use crate::error::{Damage, TextError};
use crate::forward::Lengths;
use crate::segment::{
    BLOCK, Chunk, Chunks, Decoded, LENGTHS_PER_VALUE, Posting, Segment, SegmentId, blocks, decode_lengths, list_total,
};
use crate::settings::Bm25;
use crate::store::layout::{BODY_VERSION, SEGMENT, SegmentKey, chunk_key, lengths_key};
use crate::store::manifest::Manifest;
use crate::term::Term;

/// Everything the index has about the terms of one question, to be searched and looked up without touching storage again.
#[derive(Debug)]
pub struct Matches {
    pub(super) terms: Vec<TermPostings>,
    /// Each term's share of the question's weight, times 2^30.
    pub(super) weights: Vec<f32>,
    pub(super) statistics: Statistics,
    pub(super) bm25: Bm25,
    /// Lengths of rows, in pieces by first row.
    pub(super) lengths: Vec<(u32, Arc<[u16]>)>,
    query: Query,
}

/// The score of a memory that could not match better: scores are integers, so that the order of adding does not matter.
pub(super) const UNIT: f32 = 1_073_741_824.0;

/// Stored chunks by segment and number.
type Fetched = HashMap<(SegmentId, u32), Arc<[u8]>>;

impl Index {
    /// Collects the postings of a question's terms. Reads what is not in memory in one round.
    ///
    /// `reads` must be a state of the namespace at or after the last commit this index was told of.
    ///
    /// # Errors
    /// [`TextError::Outdated`] when `reads` and index do not belong together; [`TextError::DamagedSegment`] when stored lists are
    /// damaged and must be rebuilt; [`TextError::Storage`] when storage cannot be read.
    pub fn matches(&self, reads: &impl Reads, query: Query, bm25: Bm25) -> Result<Matches, TextError> {
        if reads.commit() < self.commit {
            return Err(TextError::Outdated);
        }
        let chunks = self.fetch(reads, &query)?;
        let statistics = self.statistics();
        let mut terms = Vec::with_capacity(query.terms().len());
        for QueryTerm { term, .. } in query.terms() {
            let mut postings = TermPostings::default();
            for segment in self.stored.iter().chain(self.recent.segments()) {
                collect(segment, *term, &chunks, &mut postings)?;
            }
            self.collect_tail(*term, &mut postings);
            terms.push(postings);
        }
        let weights = weights(query.terms(), &terms, statistics);
        Ok(Matches { terms, weights, statistics, bm25, lengths: self.length_pieces(), query })
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
        let mut pieces: Vec<_> =
            segments.filter_map(|s| s.lengths().map(|l| (s.header.first, Arc::clone(l)))).collect();
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

    /// The stored chunks that may hold a term of the question, from the cache or in one read; and lengths, where missing.
    fn fetch(&self, reads: &impl Reads, query: &Query) -> Result<Fetched, TextError> {
        let (mut chunks, mut seen) = (HashMap::new(), HashSet::new());
        let mut missing: Vec<(ChunkKey, SegmentKey)> = Vec::new();
        let mut unknown: Vec<(&Segment, SegmentKey)> = Vec::new();
        for segment in &self.stored {
            let Chunks::Stored { id, versions } = &segment.chunks else { continue };
            for chunk in query.terms().iter().flat_map(|t| segment.header.span(t.term)) {
                let chunk = u32::try_from(chunk).unwrap_or(u32::MAX);
                let version = versions.get(&chunk).copied().unwrap_or(0);
                let key = ChunkKey { opening: self.opening, namespace: self.namespace, segment: *id, chunk, version };
                if !seen.insert((*id, chunk)) {
                    continue;
                }
                match self.cache.get(&key) {
                    Some(bytes) => drop(chunks.insert((*id, chunk), bytes)),
                    None => missing.push((key, chunk_key(self.namespace, *id, chunk))),
                }
            }
            if segment.lengths().is_none() {
                unknown.extend(length_keys(self, segment, *id).map(|key| (segment.as_ref(), key)));
            }
        }
        let keys: Vec<(Keyspace, &[u8])> =
            missing.iter().map(|(_, k)| k).chain(unknown.iter().map(|(_, k)| k)).map(|k| (SEGMENT, &k[..])).collect();
        if keys.is_empty() {
            return Ok(chunks);
        }
        let mut values = reads.multi_get(&keys)?.into_iter();
        let mut next = || match values.next().flatten() {
            Some(value) if value.version == BODY_VERSION => Ok(value.body),
            Some(_) => Err(Damage::Version.into()),
            None => Err(self.missing(reads)),
        };
        for (key, _) in &missing {
            let bytes: Arc<[u8]> = Arc::from(next()?);
            self.cache.put(*key, Arc::clone(&bytes));
            chunks.insert((key.segment, key.chunk), bytes);
        }
        for same in unknown.chunk_by(|a, b| std::ptr::eq(a.0, b.0)) {
            let Some((segment, _)) = same.first() else { continue };
            segment.set_lengths(read_lengths(segment, same.len(), &mut next)?);
        }
        Ok(chunks)
    }

    /// Why a value that should be there is not: the segment was merged away, or damage.
    fn missing(&self, reads: &impl Reads) -> TextError {
        let ours: Vec<_> = self.stored.iter().filter_map(|s| s.id()).collect();
        match Manifest::read(reads, self.namespace) {
            Ok(manifest) if manifest.segments == ours => Damage::Missing.into(),
            Ok(_) => TextError::Outdated,
            Err(error) => error,
        }
    }
}

fn length_keys(index: &Index, segment: &Segment, id: SegmentId) -> impl Iterator<Item = SegmentKey> + use<> {
    let values = (segment.header.rows as usize).div_ceil(LENGTHS_PER_VALUE);
    let namespace = index.namespace;
    (0..u32::try_from(values).unwrap_or(u32::MAX)).map(move |n| lengths_key(namespace, id, n))
}

fn read_lengths(
    segment: &Segment,
    values: usize,
    next: &mut impl FnMut() -> Result<Vec<u8>, TextError>,
) -> Result<Arc<[u16]>, TextError> {
    let rows = segment.header.rows as usize;
    let mut lengths = Vec::with_capacity(rows);
    for _ in 0..values {
        let part = LENGTHS_PER_VALUE.min(rows.saturating_sub(lengths.len()));
        decode_lengths(&next()?, part, &mut lengths)?;
    }
    Ok(Arc::from(lengths))
}

/// The lengths of a segment's rows, read if they are not in memory.
pub(crate) fn load_lengths(index: &Index, segment: &Segment, reads: &impl Reads) -> Result<Arc<[u16]>, TextError> {
    if let Some(lengths) = segment.lengths() {
        return Ok(Arc::clone(lengths));
    }
    let Some(id) = segment.id() else { return Err(Damage::Missing.into()) };
    let keys: Vec<_> = length_keys(index, segment, id).collect();
    let keys: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (SEGMENT, &key[..])).collect();
    let mut values = reads.multi_get(&keys)?.into_iter();
    read_lengths(segment, keys.len(), &mut || match values.next().flatten() {
        Some(value) if value.version == BODY_VERSION => Ok(value.body),
        Some(_) => Err(Damage::Version.into()),
        None => Err(index.missing(reads)),
    })
}

/// Adds the postings of a term in one segment.
fn collect(segment: &Segment, term: Term, fetched: &Fetched, out: &mut TermPostings) -> Result<(), TextError> {
    for number in segment.header.span(term) {
        let bytes = match &segment.chunks {
            Chunks::Resident(chunks) => chunks.get(number),
            Chunks::Stored { id, .. } => fetched.get(&(*id, u32::try_from(number).unwrap_or(u32::MAX))),
        };
        let bytes = bytes.ok_or(Damage::Missing)?;
        let Some((start, end)) = Chunk::new(bytes)?.find(term) else { continue };
        let list = bytes.get(start..end).ok_or(Damage::Short)?;
        add_list(segment, bytes, start, list, out)?;
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
            // The only block of a short list: decoded at once, which costs less than remembering where it is.
            let mut decoded = Decoded::new();
            decoded.fill(list.get(block.start..block.end).ok_or(Damage::Short)?, block.postings, None)?;
            let plain: Vec<_> = decoded.iter().map(|p| Posting { row: p.row.saturating_add(base), ..p }).collect();
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

/// Each term's weight times its idf, scaled so that they add up to [`UNIT`]. Terms that occur nowhere take their share; pairs of
/// characters that occur nowhere do not, because their characters are terms of their own.
fn weights(query: &[QueryTerm], terms: &[TermPostings], statistics: Statistics) -> Vec<f32> {
    let raw: Vec<f32> = query
        .iter()
        .zip(terms)
        .map(|(q, t)| {
            let pair = q.term.characters().is_some_and(|(_, second)| second.is_some());
            let counts = q.weight.is_finite() && !(pair && t.frequency == 0);
            let weight = if counts { q.weight.max(0.0) } else { 0.0 };
            weight * Bm25::idf(statistics.documents, t.frequency)
        })
        .collect();
    let sum: f32 = raw.iter().sum();
    if sum > 0.0 { raw.iter().map(|w| w / sum * UNIT).collect() } else { vec![0.0; raw.len()] }
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

    /// The share of each term in the best possible score: idf over the sum of all idf. Adds up to 1.
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
