//! Segments from forward lists, and from other segments.

use super::chunk::{ChunkBuilder, TERM_OVERHEAD};
use super::postings::{self, BLOCK, Block, Posting, TABLE_ENTRY};
use super::{DirectoryEntry, Header};
use crate::forward::{Forward, Lengths};
use crate::term::Term;

/// Everything of a segment, encoded.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    pub(crate) header: Header,
    pub(crate) chunks: Vec<Vec<u8>>,
    /// The length of each row from the first to the last; [`Lengths::ABSENT`] for a row that is not
    /// there.
    pub(crate) lengths: Vec<u16>,
}

/// Takes terms in rising order, each with all its postings, and cuts them into chunks.
pub(crate) struct Builder {
    limit: usize,
    header: Header,
    lengths: Vec<u16>,
    chunk: ChunkBuilder,
    chunks: Vec<Vec<u8>>,
}

impl Builder {
    /// `lengths`: of each row from `first` on. `limit`: bytes after which a chunk is closed.
    pub(crate) fn new(first: u32, lengths: Vec<u16>, limit: usize) -> Self {
        let present = || lengths.iter().filter(|l| **l != Lengths::ABSENT);
        let header = Header {
            first,
            rows: u32::try_from(lengths.len()).unwrap_or(u32::MAX),
            documents: u32::try_from(present().count()).unwrap_or(u32::MAX),
            total_length: present().map(|l| u64::from(*l)).sum(),
            directory: Vec::new(),
        };
        Self {
            limit,
            header,
            lengths,
            chunk: ChunkBuilder::default(),
            chunks: Vec::new(),
        }
    }

    /// `postings`: by rising row, relative to the first row of the segment.
    pub(crate) fn add(&mut self, term: Term, postings: &[Posting]) {
        let mut pending: Vec<Block> = Vec::new();
        let (mut bytes, mut first_row) = (0, 0);
        for slice in postings.chunks(BLOCK) {
            let before = pending.last().map(|b| b.last);
            let row = slice.first().map_or(0, |p| p.row);
            let mut block = self.encode(slice, before);
            let table = if pending.is_empty() {
                0
            } else {
                TABLE_ENTRY * (pending.len() + 1)
            };
            let needed = TERM_OVERHEAD + 4 + table + bytes + block.bytes.len();
            if self.chunk.size() + needed > self.limit
                && !(self.chunk.is_empty() && pending.is_empty())
            {
                self.put(term, first_row, &mut pending);
                self.close();
                bytes = 0;
                block = self.encode(slice, None);
            }
            if pending.is_empty() {
                first_row = row;
            }
            bytes += block.bytes.len();
            pending.push(block);
        }
        self.put(term, first_row, &mut pending);
    }

    fn encode(&self, slice: &[Posting], before: Option<u32>) -> Block {
        let length = |row: u32| self.lengths.get(row as usize).copied().unwrap_or(0);
        postings::encode_block(slice, before, length)
    }

    fn put(&mut self, term: Term, row: u32, pending: &mut Vec<Block>) {
        if pending.is_empty() {
            return;
        }
        if self.chunk.is_empty() {
            self.header.directory.push(DirectoryEntry { term, row });
        }
        self.chunk.add(term, |out| postings::assemble(pending, out));
        pending.clear();
    }

    fn close(&mut self) {
        if !self.chunk.is_empty() {
            self.chunks.push(self.chunk.finish());
        }
    }

    pub(crate) fn finish(mut self) -> Built {
        self.close();
        Built {
            header: self.header,
            chunks: self.chunks,
            lengths: self.lengths,
        }
    }
}

/// A segment of some rows, given in rising order. `None` for no rows.
pub(crate) fn from_forwards<'a>(
    rows: impl Iterator<Item = (u32, &'a Forward)> + Clone,
    limit: usize,
) -> Option<Built> {
    let first = rows.clone().next()?.0;
    let mut lengths: Vec<u16> = Vec::new();
    let mut found: Vec<(u64, u32, u32)> = Vec::new();
    for (row, forward) in rows {
        let row = row - first;
        lengths.resize(row as usize, Lengths::ABSENT);
        lengths.push(forward.lengths().total());
        found.extend(
            forward
                .entries()
                .iter()
                .map(|(term, counts)| (term.number(), row, counts.total())),
        );
    }
    found.sort_unstable_by_key(|(term, row, _)| (*term, *row));
    let mut builder = Builder::new(first, lengths, limit);
    let mut list: Vec<Posting> = Vec::new();
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        list.clear();
        list.extend(same.iter().map(|(_, row, count)| Posting {
            row: *row,
            count: *count,
        }));
        if let Some((term, _, _)) = same.first() {
            builder.add(Term::from_number(*term), &list);
        }
    }
    Some(builder.finish())
}
