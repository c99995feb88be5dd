//! The forward list: which terms a memory has and how often. It is primary; everything else here is
//! derived from it.

use crate::analysis::ANALYZER_VERSION;
use crate::bytes::{Reader, put_varint};
use crate::error::Damage;
use crate::term::Term;

/// How often a term occurs in a memory's text and in the reply that belongs to it. Both stop at
/// 65,535.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Counts {
    /// Occurrences in the text.
    pub text: u16,
    /// Occurrences in the reply.
    pub reply: u16,
}

impl Counts {
    pub(crate) fn add_one(&mut self, in_reply: bool) {
        let field = if in_reply {
            &mut self.reply
        } else {
            &mut self.text
        };
        *field = field.saturating_add(1);
    }

    /// Occurrences in both together.
    #[must_use]
    pub fn total(self) -> u32 {
        u32::from(self.text) + u32::from(self.reply)
    }

    /// Whether the term does not occur.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.text == 0 && self.reply == 0
    }
}

/// The number of words, numbers and n-grams of a memory's text and of its reply. Both stop at
/// 65,534.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Lengths {
    /// In the text.
    pub text: u16,
    /// In the reply.
    pub reply: u16,
}

impl Lengths {
    const LONGEST: u16 = u16::MAX - 1;
    /// Stands for the length of a row without a forward list.
    pub(crate) const ABSENT: u16 = u16::MAX;

    pub(crate) fn saturating(text: usize, reply: usize) -> Self {
        let clip = |n: usize| u16::try_from(n).unwrap_or(Self::LONGEST).min(Self::LONGEST);
        Self {
            text: clip(text),
            reply: clip(reply),
        }
    }

    /// Both together; stops at 65,534.
    #[must_use]
    pub fn total(self) -> u16 {
        self.text.saturating_add(self.reply).min(Self::LONGEST)
    }
}

/// The terms of one memory with their counts, and its lengths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forward {
    entries: Box<[(Term, Counts)]>,
    lengths: Lengths,
}

impl Forward {
    /// `entries` sorted by term, each term once.
    pub(crate) fn new(entries: Vec<(Term, Counts)>, lengths: Lengths) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        Self {
            entries: entries.into_boxed_slice(),
            lengths,
        }
    }

    /// Terms and counts, sorted by term.
    #[must_use]
    pub const fn entries(&self) -> &[(Term, Counts)] {
        &self.entries
    }

    /// The lengths of text and reply.
    #[must_use]
    pub const fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// Bytes it takes in memory.
    pub(crate) fn memory(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.entries)
    }

    /// How often `term` occurs.
    #[must_use]
    pub fn counts(&self, term: Term) -> Counts {
        let found = self.entries.binary_search_by_key(&term, |(t, _)| *t).ok();
        found
            .and_then(|at| self.entries.get(at))
            .map_or(Counts::default(), |(_, counts)| *counts)
    }

    /// The stored form; docs/format.md describes it byte by byte.
    ///
    /// Analyser version; text length, reply length and number of words as varints; the words, six
    /// bytes each, big-endian; number of first characters of n-grams as varint, for each of them:
    /// what it is above the one before (from 0), number of its n-grams, and for each n-gram what
    /// its second character is above that of the n-gram before (from 0), all as varints; two bits
    /// a term (0 = once in the text, 1 = once in the reply, 2 = once in each, 3 = written out),
    /// four to a byte from the low end; for each 3 the two counts as varints.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(12 + self.entries.len() * 7);
        out.push(ANALYZER_VERSION);
        put_varint(&mut out, self.lengths.text.into());
        put_varint(&mut out, self.lengths.reply.into());
        let (words, grams) = self.entries.split_at(
            self.entries
                .partition_point(|(term, _)| term.gram_parts().is_none()),
        );
        put_varint(&mut out, words.len() as u64);
        for (term, _) in words {
            let [_, _, bytes @ ..] = term.number().to_be_bytes();
            out.extend_from_slice(&bytes);
        }
        put_grams(
            &mut out,
            grams.iter().filter_map(|(term, _)| term.gram_parts()),
        );
        for four in self.entries.chunks(4) {
            out.push(
                four.iter()
                    .rev()
                    .fold(0, |packed, (_, counts)| (packed << 2) | shape(*counts)),
            );
        }
        for (_, counts) in self
            .entries
            .iter()
            .filter(|(_, counts)| shape(*counts) == WRITTEN_OUT)
        {
            put_varint(&mut out, counts.text.into());
            put_varint(&mut out, counts.reply.into());
        }
        out
    }

    /// Reads a stored list of this analyser version.
    ///
    /// # Errors
    /// [`Damage`] when the bytes are no such list.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != ANALYZER_VERSION {
            return Err(Damage::Version);
        }
        let mut field = || {
            reader
                .varint()
                .and_then(|n| u16::try_from(n).map_err(|_| Damage::Range))
        };
        let lengths = Lengths {
            text: field()?,
            reply: field()?,
        };
        let words = usize::try_from(reader.varint()?).map_err(|_| Damage::Range)?;
        let words = reader
            .take(words.checked_mul(6).ok_or(Damage::Range)?)?
            .as_chunks()
            .0;
        let mut terms: Vec<Term> = words
            .iter()
            .map(|[a, b, c, d, e, f]| {
                Term::from_number(u64::from_be_bytes([0, 0, *a, *b, *c, *d, *e, *f]))
            })
            .collect();
        take_grams(&mut reader, &mut terms)?;
        if !terms.is_sorted_by(|a, b| a < b) {
            return Err(Damage::Order);
        }
        let shapes = reader.take(terms.len().div_ceil(4))?;
        let shapes = shapes
            .iter()
            .flat_map(|byte| [byte & 3, (byte >> 2) & 3, (byte >> 4) & 3, byte >> 6]);
        let mut entries: Vec<(Term, Counts)> = Vec::with_capacity(terms.len());
        for (term, shape) in terms.into_iter().zip(shapes) {
            let counts = match shape {
                0 => Counts { text: 1, reply: 0 },
                1 => Counts { text: 0, reply: 1 },
                2 => Counts { text: 1, reply: 1 },
                _ => {
                    let mut field = || {
                        reader
                            .varint()
                            .and_then(|n| u16::try_from(n).map_err(|_| Damage::Range))
                    };
                    Counts {
                        text: field()?,
                        reply: field()?,
                    }
                }
            };
            entries.push((term, counts));
        }
        reader.finish()?;
        Ok(Self::new(entries, lengths))
    }
}

/// Writes n-grams, sorted, grouped by their first character.
fn put_grams(out: &mut Vec<u8>, grams: impl Iterator<Item = (u32, u32)>) {
    let grams: Vec<(u32, u32)> = grams.collect();
    let groups = || grams.chunk_by(|a, b| a.0 == b.0);
    put_varint(out, groups().count() as u64);
    let mut above = 0;
    for group in groups() {
        let first = group.first().map_or(0, |(first, _)| *first);
        put_varint(out, (first - above).into());
        put_varint(out, group.len() as u64);
        above = first;
        let mut before = 0;
        for (_, second) in group {
            put_varint(out, (second - before).into());
            before = *second;
        }
    }
}

fn take_grams(reader: &mut Reader<'_>, terms: &mut Vec<Term>) -> Result<(), Damage> {
    let mut first = 0_u32;
    for _ in 0..reader.varint()? {
        first = first
            .checked_add(reader.varint_u32()?)
            .ok_or(Damage::Range)?;
        let mut second = 0_u32;
        for _ in 0..reader.varint()? {
            second = second
                .checked_add(reader.varint_u32()?)
                .ok_or(Damage::Range)?;
            terms.push(Term::from_gram_parts(first, second).ok_or(Damage::Range)?);
        }
    }
    Ok(())
}

const WRITTEN_OUT: u8 = 3;

const fn shape(counts: Counts) -> u8 {
    match (counts.text, counts.reply) {
        (1, 0) => 0,
        (0, 1) => 1,
        (1, 1) => 2,
        _ => WRITTEN_OUT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Forward {
        let counts = |text, reply| Counts { text, reply };
        let grams = [
            Term::gram('北', None),
            Term::gram('北', Some('京')),
            Term::gram('猫', None),
        ];
        let terms = [1_u64, 2, 300, 1 << 40, (1 << 46) - 1].map(Term::from_number);
        let terms = terms.into_iter().chain(grams);
        let counted = [
            counts(1, 0),
            counts(0, 1),
            counts(1, 1),
            counts(2, 0),
            counts(300, 65_535),
        ];
        let counted = counted
            .into_iter()
            .chain([counts(1, 0), counts(2, 2), counts(1, 0)]);
        Forward::new(
            terms.zip(counted).collect(),
            Lengths {
                text: 304,
                reply: 65_534,
            },
        )
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let golden: &[u8] = &[
            2, 176, 2, 254, 255, 3, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 44, 1, 0,
            0, 0, 0, 0, 63, 255, 255, 255, 255, 255, 2, 151, 166, 1, 2, 0, 172, 157, 1, 148, 64, 1,
            0, 228, 51, 2, 0, 172, 2, 255, 255, 3, 2, 2,
        ];
        assert_eq!(sample().encode(), golden);
        assert_eq!(Forward::decode(golden), Ok(sample()));
    }

    #[test]
    fn every_cut_and_every_other_version_is_refused() {
        let bytes = sample().encode();
        for end in 0..bytes.len() {
            assert!(Forward::decode(&bytes[..end]).is_err(), "{end} bytes");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(Forward::decode(&longer), Err(Damage::Trailing));
        let mut newer = bytes;
        newer[0] += 1;
        assert_eq!(Forward::decode(&newer), Err(Damage::Version));
    }

    #[test]
    fn counts_are_found_by_term() {
        let forward = sample();
        assert_eq!(
            forward.counts(Term::from_number(300)),
            Counts { text: 1, reply: 1 }
        );
        assert!(forward.counts(Term::from_number(301)).is_zero());
    }
}
