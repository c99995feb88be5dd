//! The postings of one query term over the whole index, and a cursor over them.

use std::sync::Arc;

use crate::error::Damage;
use crate::segment::{Decoded, Posting};

/// A block of up to 128 postings of one term, somewhere in the index. Rows are absolute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockRef {
    /// No posting of the block is below.
    pub(crate) floor: u32,
    /// Its last row.
    pub(crate) last: u32,
    /// The greatest count, and the least length of its rows.
    pub(crate) most: u32,
    pub(crate) shortest: u32,
    pub(crate) place: Place,
}

/// Where the postings of a block are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// Decoded, among the term's own postings.
    Plain { start: u32, end: u32 },
    /// Encoded, in one of the term's chunks; rows are relative to `base`.
    Chunk {
        chunk: u32,
        start: u32,
        end: u32,
        postings: u8,
        base: u32,
        before: Option<u32>,
    },
}

/// All postings of a term, in blocks of rising rows.
#[derive(Debug, Default)]
pub(crate) struct TermPostings {
    pub(crate) frequency: u64,
    pub(crate) blocks: Vec<BlockRef>,
    pub(crate) chunks: Vec<Arc<[u8]>>,
    pub(crate) plain: Vec<Posting>,
}

impl TermPostings {
    /// Adds decoded postings as one block.
    pub(crate) fn add_plain(&mut self, postings: &[Posting], shortest: u32) {
        let (Some(first), Some(last)) = (postings.first(), postings.last()) else {
            return;
        };
        let start = u32::try_from(self.plain.len()).unwrap_or(u32::MAX);
        self.plain.extend_from_slice(postings);
        let end = u32::try_from(self.plain.len()).unwrap_or(u32::MAX);
        self.frequency += postings.len() as u64;
        self.blocks.push(BlockRef {
            floor: first.row,
            last: last.row,
            most: postings.iter().map(|p| p.count).max().unwrap_or(0),
            shortest,
            place: Place::Plain { start, end },
        });
    }
}

/// Walks upwards over the postings of a term.
pub(crate) struct Cursor<'a> {
    term: &'a TermPostings,
    /// The block at hand.
    at: usize,
    /// Whether `decoded` is that block.
    ready: bool,
    position: usize,
    decoded: Box<Decoded>,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(term: &'a TermPostings) -> Self {
        Self {
            term,
            at: 0,
            ready: false,
            position: 0,
            decoded: Box::new(Decoded::new()),
        }
    }

    pub(crate) fn block(&self) -> Option<&'a BlockRef> {
        self.term.blocks.get(self.at)
    }

    /// The number of the block at hand.
    pub(crate) const fn block_number(&self) -> usize {
        self.at
    }

    /// A row that no posting from here on is below; `None` at the end.
    pub(crate) fn floor(&self) -> Option<u32> {
        let block = self.block()?;
        if self.ready {
            self.decoded.rows().get(self.position).copied()
        } else {
            Some(block.floor)
        }
    }

    /// Goes to the block that may hold `row` or what follows it.
    pub(crate) fn skip_to(&mut self, row: u32) {
        if self.block().is_none_or(|b| b.last >= row) {
            return;
        }
        let mut step = 1;
        let mut low = self.at;
        while self
            .term
            .blocks
            .get(low + step)
            .is_some_and(|b| b.last < row)
        {
            low += step;
            step *= 2;
        }
        let rest = self.term.blocks.get(low..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(step + 1)).unwrap_or_default();
        self.at = low + rest.partition_point(|b| b.last < row);
        self.ready = false;
        self.position = 0;
    }

    /// Leaves everything below `row` behind, without decoding anything.
    pub(crate) fn pass(&mut self, row: u32) {
        self.skip_to(row);
        if self.ready {
            self.position = self.decoded.rows().partition_point(|r| *r < row);
        }
    }

    /// How often the term occurs in `row`; rows must not fall from call to call.
    #[inline]
    pub(crate) fn count(&mut self, row: u32) -> Result<u32, Damage> {
        self.skip_to(row);
        match self.block() {
            Some(block) if block.floor <= row => self.decode()?,
            _ => return Ok(0),
        }
        let rows = self.decoded.rows().get(self.position..).unwrap_or_default();
        self.position += match rows.first() {
            Some(first) if *first >= row => 0,
            _ => rows.partition_point(|r| *r < row),
        };
        let found = self.decoded.rows().get(self.position) == Some(&row);
        Ok(if found {
            self.decoded.counts.get(self.position).copied().unwrap_or(0)
        } else {
            0
        })
    }

    /// Calls `visit` for every posting from the cursor on up to, and without, `end`.
    pub(crate) fn walk(
        &mut self,
        start: u32,
        end: u32,
        mut visit: impl FnMut(u32, u32),
    ) -> Result<(), Damage> {
        self.skip_to(start);
        while self.block().is_some_and(|b| b.floor < end) {
            self.decode()?;
            let rows = self.decoded.rows();
            if rows.get(self.position).is_some_and(|r| *r < start) {
                self.position = rows.partition_point(|r| *r < start);
            }
            let stop = if rows.last().is_some_and(|last| *last < end) {
                rows.len()
            } else {
                self.position.max(rows.partition_point(|r| *r < end))
            };
            let rows = rows.get(self.position..stop).unwrap_or_default();
            let counts = self
                .decoded
                .counts
                .get(self.position..stop)
                .unwrap_or_default();
            for (row, count) in rows.iter().zip(counts) {
                visit(*row, *count);
            }
            self.position = stop;
            if self.decoded.rows().len() > stop {
                return Ok(());
            }
            self.at += 1;
            self.ready = false;
            self.position = 0;
        }
        Ok(())
    }

    fn decode(&mut self) -> Result<(), Damage> {
        if self.ready {
            return Ok(());
        }
        let block = self.block().ok_or(Damage::Range)?;
        match block.place {
            Place::Plain { start, end } => {
                let postings = self
                    .term
                    .plain
                    .get(start as usize..end as usize)
                    .ok_or(Damage::Range)?;
                let slots = self.decoded.rows.iter_mut().zip(&mut self.decoded.counts);
                for (posting, (row, count)) in postings.iter().zip(slots) {
                    (*row, *count) = (posting.row, posting.count);
                }
                self.decoded.len = postings.len();
            }
            Place::Chunk {
                chunk,
                start,
                end,
                postings,
                base,
                before,
            } => {
                let chunk = self
                    .term
                    .chunks
                    .get(chunk as usize)
                    .ok_or(Damage::Missing)?;
                let bytes = chunk
                    .get(start as usize..end as usize)
                    .ok_or(Damage::Short)?;
                self.decoded.fill(bytes, postings.into(), before)?;
                self.decoded
                    .rows
                    .iter_mut()
                    .for_each(|row| *row = row.wrapping_add(base));
            }
        }
        self.ready = true;
        self.position = 0;
        Ok(())
    }
}
