//! A run of terms with their lists, a few kilobytes, stored as one value.
//!
//! ```text
//! chunk = number of terms (u32 LE), terms (6 bytes BE each, sorted),
//!         ends of their lists (u32 LE each, from the first list on), lists
//! ```

use super::postings::{self, Posting};
use crate::error::Damage;
use crate::term::Term;

const TERM_BYTES: usize = 6;
const END_BYTES: usize = 4;
const HEAD: usize = 4;

/// Bytes that a term adds to a chunk beside its list.
pub(crate) const TERM_OVERHEAD: usize = TERM_BYTES + END_BYTES;

/// A chunk taken apart into its three areas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'a> {
    terms: &'a [[u8; TERM_BYTES]],
    ends: &'a [[u8; END_BYTES]],
    lists: &'a [u8],
    /// Where the lists begin in the chunk.
    base: usize,
}

impl<'a> Chunk<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, Damage> {
        let (count, rest) = bytes.split_first_chunk::<HEAD>().ok_or(Damage::Short)?;
        let count = u32::from_le_bytes(*count) as usize;
        let (terms, rest) = rest
            .split_at_checked(count * TERM_BYTES)
            .ok_or(Damage::Short)?;
        let (ends, lists) = rest
            .split_at_checked(count * END_BYTES)
            .ok_or(Damage::Short)?;
        let base = HEAD + count * TERM_OVERHEAD;
        Ok(Self {
            terms: terms.as_chunks().0,
            ends: ends.as_chunks().0,
            lists,
            base,
        })
    }

    pub(crate) const fn len(&self) -> usize {
        self.terms.len()
    }

    pub(crate) fn term(&self, at: usize) -> Option<Term> {
        self.terms.get(at).map(term_of)
    }

    /// Where the list of the `at`-th term is, relative to the lists.
    fn span(&self, at: usize) -> Option<(usize, usize)> {
        let end = |at: usize| self.ends.get(at).map(|e| u32::from_le_bytes(*e) as usize);
        let start = if at == 0 { 0 } else { end(at - 1)? };
        Some((start, end(at)?))
    }

    /// The list of the `at`-th term.
    pub(crate) fn list(&self, at: usize) -> Result<&'a [u8], Damage> {
        let (start, end) = self.span(at).ok_or(Damage::Range)?;
        self.lists.get(start..end).ok_or(Damage::Short)
    }

    /// Where the list of `term` is within the chunk.
    pub(crate) fn find(&self, term: Term) -> Option<(usize, usize)> {
        let at = self
            .terms
            .binary_search_by(|t| term_of(t).cmp(&term))
            .ok()?;
        self.span(at)
            .map(|(start, end)| (self.base + start, self.base + end))
    }

    pub(crate) fn entries(self) -> impl Iterator<Item = Result<(Term, &'a [u8]), Damage>> {
        (0..self.len()).map(move |at| Ok((self.term(at).ok_or(Damage::Range)?, self.list(at)?)))
    }
}

fn term_of(bytes: &[u8; TERM_BYTES]) -> Term {
    let [a, b, c, d, e, f] = *bytes;
    Term::from_number(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
}

/// Puts a chunk together.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuilder {
    terms: Vec<u8>,
    ends: Vec<u8>,
    lists: Vec<u8>,
}

impl ChunkBuilder {
    /// The size the chunk has so far.
    pub(crate) fn size(&self) -> usize {
        HEAD + self.terms.len() + self.ends.len() + self.lists.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Adds a term; `list` appends its encoded list.
    pub(crate) fn add(&mut self, term: Term, list: impl FnOnce(&mut Vec<u8>)) {
        let [_, _, bytes @ ..] = term.number().to_be_bytes();
        self.terms.extend(bytes);
        list(&mut self.lists);
        self.ends.extend(
            u32::try_from(self.lists.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
    }

    /// The chunk's bytes; the builder is empty afterwards.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let count = self.terms.len() / TERM_BYTES;
        let mut out = Vec::with_capacity(self.size());
        out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        out.append(&mut self.terms);
        out.append(&mut self.ends);
        out.append(&mut self.lists);
        out
    }
}

/// The chunk without the postings of `gone`: (term, row relative to the segment), sorted. `None`
/// when it holds none of them.
pub(crate) fn without(bytes: &[u8], gone: &[(Term, u32)]) -> Result<Option<Vec<u8>>, Damage> {
    filtered(bytes, |term| {
        let first = gone.partition_point(|(t, _)| *t < term);
        let rows = gone.get(first..).unwrap_or_default();
        let rows = rows
            .get(..rows.partition_point(|(t, _)| *t == term))
            .unwrap_or_default();
        (!rows.is_empty())
            .then_some(move |row: u32| rows.binary_search_by_key(&row, |(_, r)| *r).is_ok())
    })
}

/// The chunk without any posting of `gone`: rows relative to the segment, sorted. `None` when it
/// holds none of them.
pub(crate) fn without_rows(bytes: &[u8], gone: &[u32]) -> Result<Option<Vec<u8>>, Damage> {
    filtered(bytes, |_| Some(|row: u32| gone.binary_search(&row).is_ok()))
}

/// `gone` answers for a term how to tell which rows go, or `None` where all stay.
///
/// The bounds of the shortened lists are those of a row of length zero: loose, but never wrong;
/// the next merge tightens them.
fn filtered<G: Fn(u32) -> bool>(
    bytes: &[u8],
    gone: impl Fn(Term) -> Option<G>,
) -> Result<Option<Vec<u8>>, Damage> {
    let (mut builder, mut changed, mut kept) = (ChunkBuilder::default(), false, Vec::new());
    for entry in Chunk::new(bytes)?.entries() {
        let (term, list) = entry?;
        if let Some(gone) = gone(term) {
            kept.clear();
            postings::decode(list, &mut kept)?;
            let before = kept.len();
            kept.retain(|p: &Posting| !gone(p.row));
            if kept.len() < before {
                changed = true;
                if !kept.is_empty() {
                    builder.add(term, |out| postings::encode(&kept, |_| 0, out));
                }
                continue;
            }
        }
        builder.add(term, |out| out.extend(list));
    }
    Ok(changed.then(|| builder.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut builder = ChunkBuilder::default();
        for (term, rows) in [(1_u64, 0..1_u32), (500, 0..300), (1 << 46, 7..9)] {
            let list: Vec<_> = rows.map(|row| Posting { row, count: 1 }).collect();
            builder.add(Term::from_number(term), |out| {
                postings::encode(&list, |_| 5, out)
            });
        }
        builder.finish()
    }

    fn rows(bytes: &[u8], term: u64) -> Option<Vec<u32>> {
        let (start, end) = Chunk::new(bytes).unwrap().find(Term::from_number(term))?;
        let mut list = Vec::new();
        postings::decode(&bytes[start..end], &mut list).unwrap();
        Some(list.iter().map(|p| p.row).collect())
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let mut builder = ChunkBuilder::default();
        for (term, rows) in [
            (0x0102_0304_0506_u64, &[(0, 1), (3, 2)][..]),
            (1 << 46, &[(258, 1)]),
        ] {
            let list: Vec<_> = rows
                .iter()
                .map(|(row, count)| Posting {
                    row: *row,
                    count: *count,
                })
                .collect();
            builder.add(Term::from_number(term), |out| {
                postings::encode(&list, |_| 5, out)
            });
        }
        let golden = [
            2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 0x40, 0, 0, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0,
            0, // number, terms, ends
            2, 0, 5, 0, // two postings: gap 0 once; gap 2 twice
            1, 0x84, 4, // one posting: gap 258 once
        ];
        assert_eq!(builder.finish(), golden);
        let read: Vec<_> = Chunk::new(&golden)
            .unwrap()
            .entries()
            .map(Result::unwrap)
            .collect();
        assert_eq!(
            read[0],
            (Term::from_number(0x0102_0304_0506), &golden[24..28])
        );
        assert_eq!(read[1], (Term::from_number(1 << 46), &golden[28..]));
    }

    #[test]
    fn terms_are_found() {
        let bytes = sample();
        assert_eq!(rows(&bytes, 1), Some(vec![0]));
        assert_eq!(rows(&bytes, 500), Some((0..300).collect()));
        assert_eq!(rows(&bytes, 1 << 46), Some(vec![7, 8]));
        assert_eq!(rows(&bytes, 2), None);
    }

    #[test]
    fn postings_go_and_nothing_else() {
        let gone = [(1, 0), (500, 0), (500, 299), (500, 1000), (600, 1)]
            .map(|(t, row)| (Term::from_number(t), row));
        let bytes = without(&sample(), &gone).unwrap().unwrap();
        assert_eq!(rows(&bytes, 1), None);
        assert_eq!(rows(&bytes, 500), Some((1..299).collect()));
        assert_eq!(rows(&bytes, 1 << 46), Some(vec![7, 8]));
        assert!(without(&sample(), &gone[3..]).unwrap().is_none());
        let bytes = without_rows(&sample(), &[0, 8]).unwrap().unwrap();
        assert_eq!(
            (rows(&bytes, 1), rows(&bytes, 1 << 46)),
            (None, Some(vec![7]))
        );
        assert!(without_rows(&sample(), &[5000]).unwrap().is_none());
    }

    #[test]
    fn cut_chunks_are_refused() {
        let bytes = sample();
        for end in 0..bytes.len() {
            let read =
                Chunk::new(&bytes[..end]).and_then(|c| c.entries().try_for_each(|e| e.map(drop)));
            assert!(read.is_err(), "{end}");
        }
    }
}
