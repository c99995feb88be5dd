//! The full-text index of one open namespace.

mod cache;
mod fetch;
mod load;
mod lookup;
mod recent;
mod search;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_types::{Commit, NamespaceId, Row};

pub use cache::ChunkCache;
pub use load::Matches;
pub use lookup::Occurrences;
pub use search::Hit;

use crate::error::TextError;
use crate::forward::Forward;
use crate::segment::{Header, Segment, SegmentId};
use crate::settings::Settings;
use crate::store::{Published, Removed};
use recent::Recent;

static OPENINGS: AtomicU64 = AtomicU64::new(0);

/// The full-text index of a namespace: stored segments, segments in memory, and the newest rows as
/// forward lists.
///
/// A clone is a snapshot: it copies a few dozen pointers. One owner changes its copy after each
/// commit and hands out clones.
#[derive(Debug, Clone)]
pub struct Index {
    pub(crate) namespace: NamespaceId,
    pub(crate) settings: Settings,
    pub(crate) cache: Arc<ChunkCache>,
    /// Tells the cache entries of this opening from those of another.
    pub(crate) opening: u64,
    /// In the order of their rows.
    pub(crate) stored: Vec<Arc<Segment>>,
    pub(crate) recent: Recent,
    /// The last commit that changed stored segments as this index knows them.
    pub(crate) commit: Commit,
    /// Rows ever deleted in this namespace.
    pub(crate) deleted: u64,
    /// The first row that is in no stored segment.
    pub(crate) folded: u32,
    /// Whether forward lists of another analyser version wait for renewal: nothing is folded until
    /// then.
    pub(crate) waiting: bool,
}

/// Numbers that BM25 needs, exact after deletions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Memories that have a forward list.
    pub documents: u64,
    /// The sum of their lengths, text and reply together.
    pub total_length: u64,
}

impl Statistics {
    /// The mean length of a memory; 0 when there is none.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a mean length needs no more than six digits"
    )]
    pub fn average_length(self) -> f32 {
        if self.documents == 0 {
            0.0
        } else {
            (self.total_length as f64 / self.documents as f64) as f32
        }
    }
}

impl Index {
    /// An empty index.
    #[must_use]
    pub fn new(namespace: NamespaceId, settings: Settings, cache: Arc<ChunkCache>) -> Self {
        Self {
            namespace,
            settings,
            cache,
            opening: OPENINGS.fetch_add(1, Ordering::Relaxed),
            stored: Vec::new(),
            recent: Recent::default(),
            commit: Commit::ZERO,
            deleted: 0,
            folded: 0,
            waiting: false,
        }
    }

    /// The namespace.
    #[must_use]
    pub const fn namespace(&self) -> NamespaceId {
        self.namespace
    }

    /// Adds a committed row. Rows must rise; a row that is not above all others is ignored, and
    /// `false` is returned.
    pub fn append(&mut self, row: Row, forward: Arc<Forward>) -> bool {
        if row.0 < self.end() {
            return false;
        }
        self.recent.append(row.0, forward, &self.settings);
        true
    }

    /// Takes rows out after the commit that deleted them.
    ///
    /// # Errors
    /// [`TextError::DamagedSegment`] when a segment in memory cannot be read.
    pub fn apply_removed(&mut self, removed: &Removed) -> Result<(), TextError> {
        if removed.is_empty() {
            // Nothing was written: the commit that it names may never come to be.
            return Ok(());
        }
        let rows: Vec<(u32, &Forward)> = removed
            .rows
            .iter()
            .map(|(row, forward)| (*row, forward))
            .collect();
        for segment in &mut self.stored {
            let inside = within(&rows, &segment.header);
            if let Some(id) = segment.id()
                && !inside.is_empty()
            {
                let changed = removed
                    .changed
                    .iter()
                    .find(|(s, _)| *s == id)
                    .map_or(&[][..], |(_, chunks)| chunks);
                *segment = Arc::new(segment.rewritten(inside, changed));
            }
        }
        self.recent.remove(&rows)?;
        self.deleted += removed.rows.len() as u64;
        self.commit = self.commit.max(removed.commit);
        Ok(())
    }

    /// Takes over the segment of a published plan. Answers `false`, and changes nothing, when the
    /// plan was for another state.
    pub fn apply_published(&mut self, published: &Published) -> bool {
        let segment = Arc::clone(&published.segment);
        let Some(end) = published.folded else {
            let Some(start) = self.position(published.replaced.first().copied()) else {
                return false;
            };
            self.stored
                .splice(start..start + published.replaced.len(), [segment]);
            self.commit = self.commit.max(published.commit);
            return true;
        };
        if end <= self.folded || !self.recent.drop_before(end, self.settings.chunk_bytes) {
            return false;
        }
        self.stored.push(segment);
        self.folded = end;
        self.commit = self.commit.max(published.commit);
        true
    }

    fn position(&self, id: Option<SegmentId>) -> Option<usize> {
        self.stored
            .iter()
            .position(|s| s.id() == id && id.is_some())
    }

    /// The first row that was never added.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.folded.max(self.recent.end())
    }

    /// Rows that are in no stored segment yet.
    #[must_use]
    pub fn unfolded(&self) -> usize {
        self.recent.rows()
    }

    /// Number of memories and their total length.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut sum = self.recent.statistics();
        for segment in &self.stored {
            sum.documents += u64::from(segment.header.documents);
            sum.total_length += segment.header.total_length;
        }
        sum
    }

    /// Stored segments, segments in memory.
    #[must_use]
    pub fn segments(&self) -> (usize, usize) {
        (self.stored.len(), self.recent.segments().len())
    }

    /// Bytes in memory, the chunk cache not counted.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + self.stored.iter().map(|s| s.memory()).sum::<usize>()
            + self.recent.memory()
    }
}

/// The rows of a sorted list that lie within a segment.
pub(crate) fn within<'a, 'f>(
    rows: &'a [(u32, &'f Forward)],
    header: &Header,
) -> &'a [(u32, &'f Forward)] {
    let start = rows.partition_point(|(row, _)| *row < header.first);
    let end = rows.partition_point(|(row, _)| *row < header.end());
    rows.get(start..end).unwrap_or_default()
}
