//! A segment: the inverted lists of a range of rows, in chunks. It is derived from forward lists
//! and never changes, except that deleted rows are taken out.

mod build;
mod chunk;
mod header;
mod merge;
mod postings;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

pub(crate) use build::{Built, from_forwards};
pub(crate) use chunk::{Chunk, without, without_rows};
pub(crate) use header::{
    DirectoryEntry, Header, LENGTHS_PER_VALUE, ROWS_PER_VALUE, decode_lengths, encode_lengths,
};
pub(crate) use merge::{Input, merge};
pub(crate) use postings::{
    BLOCK, Decoded, Posting, blocks, decode as decode_list, total as list_total,
};

use crate::error::{Damage, TextError};
use crate::forward::{Forward, Lengths};
use crate::term::Term;

/// The stored number of a segment within its namespace; never used twice.
pub(crate) type SegmentId = u32;

/// Where the chunks of a segment are.
#[derive(Debug, Clone)]
pub(crate) enum Chunks {
    /// In memory: rows not folded yet.
    Resident(Vec<Arc<[u8]>>),
    /// In storage, loaded when asked for. Chunks rewritten since opening have a version above
    /// zero, so that a cache does not take the old one for the new one.
    Stored {
        id: SegmentId,
        versions: HashMap<u32, u32>,
    },
}

/// A segment as an index holds it.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) header: Header,
    pub(crate) chunks: Chunks,
    /// The length of each row, once loaded.
    lengths: OnceLock<Arc<[u16]>>,
}

impl Segment {
    /// A segment that lives in memory.
    pub(crate) fn resident(built: Built) -> Self {
        let chunks = Chunks::Resident(built.chunks.into_iter().map(Arc::from).collect());
        Self {
            header: built.header,
            chunks,
            lengths: OnceLock::from(Arc::from(built.lengths)),
        }
    }

    /// A segment in storage of which only the header was read.
    pub(crate) fn stored(id: SegmentId, header: Header) -> Self {
        Self {
            header,
            chunks: Chunks::Stored {
                id,
                versions: HashMap::new(),
            },
            lengths: OnceLock::new(),
        }
    }

    /// A segment just written to storage, with the lengths known anyway.
    pub(crate) fn written(id: SegmentId, header: Header, lengths: Arc<[u16]>) -> Self {
        let segment = Self::stored(id, header);
        segment.set_lengths(lengths);
        segment
    }

    /// The input that a merge reads of a segment in memory.
    pub(crate) fn as_input(&self) -> Option<Input<'_>> {
        let (Chunks::Resident(chunks), Some(lengths)) = (&self.chunks, self.lengths()) else {
            return None;
        };
        let load = |number: usize| Ok(chunks.get(number).cloned().ok_or(Damage::Missing)?);
        Some(Input::new(
            self.header.first,
            Arc::clone(lengths),
            chunks.len(),
            Box::new(load),
        ))
    }

    pub(crate) const fn id(&self) -> Option<SegmentId> {
        match &self.chunks {
            Chunks::Resident(_) => None,
            Chunks::Stored { id, .. } => Some(*id),
        }
    }

    pub(crate) fn lengths(&self) -> Option<&Arc<[u16]>> {
        self.lengths.get()
    }

    pub(crate) fn set_lengths(&self, lengths: Arc<[u16]>) {
        // Losing a race is fine: both have read the same values.
        drop(self.lengths.set(lengths));
    }

    /// Bytes it holds in memory, chunks in the cache not counted.
    pub(crate) fn memory(&self) -> usize {
        let chunks = match &self.chunks {
            Chunks::Resident(chunks) => chunks.iter().map(|c| c.len() + 16).sum(),
            Chunks::Stored { versions, .. } => versions.len() * 16,
        };
        let lengths = self.lengths.get().map_or(0, |l| l.len() * 2);
        chunks
            + lengths
            + self.header.directory.len() * size_of::<DirectoryEntry>()
            + size_of::<Self>()
    }

    /// The segment without some of its rows, for one in memory.
    pub(crate) fn without(&self, removed: &[(u32, &Forward)]) -> Result<Self, TextError> {
        let mut out = self.clone();
        if let Chunks::Resident(chunks) = &mut out.chunks {
            for (number, postings) in removals(&self.header, removed) {
                if let Some(chunk) = chunks.get_mut(number)
                    && let Some(shorter) = without(chunk, &postings)?
                {
                    *chunk = Arc::from(shorter);
                }
            }
        }
        out.forget(removed);
        Ok(out)
    }

    /// The segment without some of its rows, for one in storage whose `changed` chunks were
    /// rewritten there.
    pub(crate) fn rewritten(&self, removed: &[(u32, &Forward)], changed: &[u32]) -> Self {
        let mut out = self.clone();
        if let Chunks::Stored { versions, .. } = &mut out.chunks {
            for number in changed {
                *versions.entry(*number).or_default() += 1;
            }
        }
        out.forget(removed);
        out
    }

    /// Takes rows out of statistics and lengths.
    fn forget(&mut self, removed: &[(u32, &Forward)]) {
        forget(&mut self.header, removed);
        if let Some(lengths) = self.lengths.take() {
            let mut lengths = lengths.to_vec();
            for (row, _) in removed {
                if let Some(length) =
                    lengths.get_mut(row.saturating_sub(self.header.first) as usize)
                {
                    *length = Lengths::ABSENT;
                }
            }
            self.lengths = OnceLock::from(Arc::from(lengths));
        }
    }
}

/// Takes rows out of the statistics of a header.
pub(crate) fn forget(header: &mut Header, removed: &[(u32, &Forward)]) {
    for (_, forward) in removed {
        header.documents = header.documents.saturating_sub(1);
        header.total_length = header
            .total_length
            .saturating_sub(forward.lengths().total().into());
    }
}

/// Which postings of which chunks have to go with some rows: by chunk number, each list sorted.
pub(crate) fn removals(
    header: &Header,
    removed: &[(u32, &Forward)],
) -> BTreeMap<usize, Vec<(Term, u32)>> {
    let mut out: BTreeMap<usize, Vec<(Term, u32)>> = BTreeMap::new();
    for (row, forward) in removed {
        let row = row.saturating_sub(header.first);
        for (term, _) in forward.entries() {
            if let Some(chunk) = header.locate(*term, row) {
                out.entry(chunk).or_default().push((*term, row));
            }
        }
    }
    out.values_mut()
        .for_each(|postings| postings.sort_unstable());
    out
}
