//! Several segments of neighbouring rows to one.

use std::sync::Arc;

use super::build::{Builder, Built};
use super::chunk::Chunk;
use super::postings::{self, Posting};
use crate::error::{Damage, TextError};
use crate::forward::Lengths;
use crate::term::Term;

/// Gives the chunk of a number.
pub(crate) type Load<'a> = Box<dyn FnMut(usize) -> Result<Arc<[u8]>, TextError> + 'a>;

/// A segment as the merge reads it.
pub(crate) struct Input<'a> {
    first: u32,
    /// Rows below are left out.
    from: u32,
    lengths: Arc<[u16]>,
    chunks: usize,
    load: Load<'a>,
}

impl<'a> Input<'a> {
    /// A segment with `chunks` chunks and the lengths of all rows from `first` on.
    pub(crate) fn new(first: u32, lengths: Arc<[u16]>, chunks: usize, load: Load<'a>) -> Self {
        Self {
            first,
            from: first,
            lengths,
            chunks,
            load,
        }
    }

    /// Without the rows below `row`.
    pub(crate) fn from(mut self, row: u32) -> Self {
        self.from = self.from.max(row);
        self
    }
}

/// Walks over the terms of one segment.
struct Stream<'a> {
    input: Input<'a>,
    next_chunk: usize,
    chunk: Arc<[u8]>,
    at: usize,
    term: Option<Term>,
    /// The first row of the merged segment.
    out_first: u32,
}

impl<'a> Stream<'a> {
    fn new(input: Input<'a>, first: u32) -> Result<Self, TextError> {
        let mut stream = Self {
            input,
            next_chunk: 0,
            chunk: Arc::from([]),
            at: 0,
            term: None,
            out_first: first,
        };
        stream.next_chunk()?;
        Ok(stream)
    }

    /// Goes to the first term of the next chunk that has any.
    fn next_chunk(&mut self) -> Result<(), TextError> {
        self.term = None;
        while self.term.is_none() && self.next_chunk < self.input.chunks {
            self.chunk = (self.input.load)(self.next_chunk)?;
            self.next_chunk += 1;
            self.at = 0;
            self.term = Chunk::new(&self.chunk)?.term(0);
        }
        Ok(())
    }

    /// Adds the postings of the current term, and goes to the next.
    fn take(&mut self, out: &mut Vec<Posting>) -> Result<(), TextError> {
        let chunk = Chunk::new(&self.chunk)?;
        let start = out.len();
        postings::decode(chunk.list(self.at)?, out)?;
        for posting in out.iter_mut().skip(start) {
            posting.row = posting
                .row
                .checked_add(self.input.first)
                .ok_or(Damage::Range)?;
        }
        if self.input.from > self.input.first {
            let kept = out
                .iter()
                .skip(start)
                .position(|p| p.row >= self.input.from)
                .unwrap_or(out.len() - start);
            out.drain(start..start + kept);
        }
        for posting in out.iter_mut().skip(start) {
            posting.row = posting
                .row
                .checked_sub(self.out_first)
                .ok_or(Damage::Range)?;
        }
        self.at += 1;
        self.term = chunk.term(self.at);
        if self.term.is_none() {
            self.next_chunk()
        } else {
            Ok(())
        }
    }
}

/// Merges segments, given by rising rows, into one with chunks of about `limit` bytes. `None` for
/// no segments.
pub(crate) fn merge(inputs: Vec<Input<'_>>, limit: usize) -> Result<Option<Built>, TextError> {
    let Some(first) = inputs.first().map(|i| i.from) else {
        return Ok(None);
    };
    let mut lengths = Vec::new();
    for input in &inputs {
        lengths.resize(input.from.saturating_sub(first) as usize, Lengths::ABSENT);
        lengths.extend_from_slice(
            input
                .lengths
                .get((input.from - input.first) as usize..)
                .unwrap_or_default(),
        );
    }
    let mut builder = Builder::new(first, lengths, limit);
    let mut streams: Vec<Stream<'_>> = inputs
        .into_iter()
        .map(|i| Stream::new(i, first))
        .collect::<Result<_, _>>()?;
    let mut list = Vec::new();
    while let Some(term) = streams.iter().filter_map(|s| s.term).min() {
        list.clear();
        for stream in &mut streams {
            while stream.term == Some(term) {
                stream.take(&mut list)?;
            }
        }
        builder.add(term, &list);
    }
    Ok(Some(builder.finish()))
}
