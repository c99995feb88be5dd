//! The header of a segment: facts that are known without reading its chunks.

use std::ops::Range;

use crate::bytes::Reader;
use crate::error::Damage;
use crate::term::Term;

/// The first term of a chunk and the first row of that term's part in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DirectoryEntry {
    pub(crate) term: Term,
    pub(crate) row: u32,
}

/// Extent, statistics and directory of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Header {
    /// Its first row.
    pub(crate) first: u32,
    /// Rows from the first to the last, those that are gone included.
    pub(crate) rows: u32,
    /// Rows that are there.
    pub(crate) documents: u32,
    /// The sum of their lengths.
    pub(crate) total_length: u64,
    /// One entry a chunk, sorted.
    pub(crate) directory: Vec<DirectoryEntry>,
}

const ENTRY: usize = 10;

impl Header {
    /// The first row after it.
    pub(crate) const fn end(&self) -> u32 {
        self.first.saturating_add(self.rows)
    }

    /// The chunks that may hold postings of `term`.
    pub(crate) fn span(&self, term: Term) -> Range<usize> {
        let start = self
            .directory
            .partition_point(|e| e.term < term)
            .saturating_sub(1);
        start..self.directory.partition_point(|e| e.term <= term)
    }

    /// The only chunk that can hold `term` in `row` (relative to the segment).
    pub(crate) fn locate(&self, term: Term, row: u32) -> Option<usize> {
        self.directory
            .partition_point(|e| *e <= DirectoryEntry { term, row })
            .checked_sub(1)
    }

    /// ```text
    /// header = first row, rows, documents (u32 LE), total length (u64 LE), number of chunks (u32 LE),
    ///          for each chunk: first term (6 bytes BE), first row of its part (u32 LE)
    /// ```
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(24 + self.directory.len() * ENTRY);
        for number in [self.first, self.rows, self.documents] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.total_length.to_le_bytes());
        out.extend(
            u32::try_from(self.directory.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        for entry in &self.directory {
            let [_, _, term @ ..] = entry.term.number().to_be_bytes();
            out.extend(term);
            out.extend(entry.row.to_le_bytes());
        }
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let mut reader = Reader::new(bytes);
        let (first, rows, documents) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let (total_length, chunks) = (reader.u64()?, reader.u32()? as usize);
        let entries = reader.take(chunks.checked_mul(ENTRY).ok_or(Damage::Range)?)?;
        reader.finish()?;
        let mut directory = Vec::with_capacity(chunks);
        for entry in entries.as_chunks::<ENTRY>().0 {
            let [a, b, c, d, e, f, row @ ..] = *entry;
            let term = Term::from_number(u64::from_be_bytes([0, 0, a, b, c, d, e, f]));
            directory.push(DirectoryEntry {
                term,
                row: u32::from_le_bytes(row),
            });
        }
        if !directory.is_sorted() {
            return Err(Damage::Order);
        }
        Ok(Self {
            first,
            rows,
            documents,
            total_length,
            directory,
        })
    }
}

/// Rows in one stored value of lengths.
pub(crate) const ROWS_PER_VALUE: u32 = 4096;
pub(crate) const LENGTHS_PER_VALUE: usize = ROWS_PER_VALUE as usize;

const ABSENT: u8 = 255;
const LONG: u8 = 254;

/// One byte a row: its length, 255 for a row that is not there, 254 for a longer one, whose length
/// (u16 LE) stands after all bytes.
pub(crate) fn encode_lengths(lengths: &[u16]) -> Vec<u8> {
    let byte = |l: &u16| match *l {
        crate::forward::Lengths::ABSENT => ABSENT,
        short => u8::try_from(short).unwrap_or(LONG).min(LONG),
    };
    let mut out: Vec<u8> = lengths.iter().map(byte).collect();
    let long = lengths.iter().filter(|l| byte(l) == LONG);
    out.extend(long.flat_map(|l| l.to_le_bytes()));
    out
}

/// Reads `rows` lengths back.
pub(crate) fn decode_lengths(bytes: &[u8], rows: usize, out: &mut Vec<u16>) -> Result<(), Damage> {
    let mut reader = Reader::new(bytes);
    for byte in reader.take(rows)? {
        out.push(match *byte {
            ABSENT => crate::forward::Lengths::ABSENT,
            LONG => reader.u16()?,
            short => short.into(),
        });
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Header {
        let entry = |term, row| DirectoryEntry {
            term: Term::from_number(term),
            row,
        };
        let directory = vec![entry(5, 0), entry(9, 3), entry(9, 700), entry(1 << 46, 1)];
        Header {
            first: 7,
            rows: 1000,
            documents: 998,
            total_length: 12_345,
            directory,
        }
    }

    #[test]
    fn the_stored_form_is_frozen() {
        let golden = [
            7, 0, 0, 0, 0xE8, 3, 0, 0, 0xE6, 3, 0, 0, 0x39, 0x30, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0,
            0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0xBC, 2, 0,
            0, 0x40, 0, 0, 0, 0, 0, 1, 0, 0, 0,
        ];
        assert_eq!(sample().encode(), golden);
        assert_eq!(Header::decode(&golden), Ok(sample()));
        for end in 0..golden.len() {
            assert!(Header::decode(&golden[..end]).is_err());
        }
    }

    #[test]
    fn chunks_are_located() {
        let (header, term) = (sample(), Term::from_number);
        assert_eq!(header.span(term(4)), 0..0);
        assert_eq!(header.span(term(5)), 0..1);
        assert_eq!(header.span(term(9)), 0..3);
        assert_eq!(header.span(term(10)), 2..3);
        assert_eq!(header.locate(term(9), 2), Some(0));
        assert_eq!(header.locate(term(9), 699), Some(1));
        assert_eq!(header.locate(term(9), 700), Some(2));
        assert_eq!(header.locate(term(4), 0), None);
    }

    #[test]
    fn lengths_survive() {
        let lengths: Vec<u16> = vec![0, 1, 253, 254, 255, 256, 65_534, u16::MAX, 3];
        let bytes = encode_lengths(&lengths);
        assert_eq!(
            bytes,
            [
                0, 1, 253, 254, 254, 254, 254, 255, 3, 254, 0, 255, 0, 0, 1, 0xFE, 0xFF
            ]
        );
        let mut back = Vec::new();
        decode_lengths(&bytes, lengths.len(), &mut back).unwrap();
        assert_eq!(back, lengths);
        assert!(decode_lengths(&bytes[..16], lengths.len(), &mut Vec::new()).is_err());
    }
}
