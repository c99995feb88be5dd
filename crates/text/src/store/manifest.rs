//! Which segments a namespace has, and which rows were deleted of late.

use annals_storage::{Reads, Transaction};
use annals_types::{Commit, NamespaceId};

use super::layout::{BODY_VERSION, MANIFEST};
use crate::analysis::ANALYZER_VERSION;
use crate::bytes::Reader;
use crate::error::{Damage, TextError};
use crate::segment::SegmentId;

/// Deletions that a plan may miss before it is stale.
pub(crate) const REMEMBERED: usize = 256;

/// The list of a namespace's segments, in the order of their rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The last commit that changed it.
    pub(crate) commit: Commit,
    /// The first row that is in no segment.
    pub(crate) folded: u32,
    /// The number that the next segment gets.
    pub(crate) next: SegmentId,
    pub(crate) segments: Vec<SegmentId>,
    /// Rows ever deleted.
    pub(crate) deleted: u64,
    /// The last of them, oldest first.
    pub(crate) recent: Vec<u32>,
}

impl Manifest {
    /// Reads the manifest; an empty one when there is none.
    pub(crate) fn read(reads: &impl Reads, namespace: NamespaceId) -> Result<Self, TextError> {
        match reads.get(MANIFEST, &namespace.prefix())? {
            Some(stored) if stored.version == BODY_VERSION => Ok(Self::decode(&stored.body)?),
            Some(_) => Err(Damage::Version.into()),
            None => Ok(Self::default()),
        }
    }

    pub(crate) fn write(
        &mut self,
        tx: &mut Transaction<'_>,
        namespace: NamespaceId,
    ) -> Result<(), TextError> {
        self.commit = tx.commit();
        tx.put(MANIFEST, &namespace.prefix(), BODY_VERSION, &self.encode())?;
        Ok(())
    }

    /// Notes deleted rows.
    pub(crate) fn note_deleted(&mut self, rows: impl Iterator<Item = u32>) {
        for row in rows {
            self.deleted += 1;
            self.recent.push(row);
        }
        let surplus = self.recent.len().saturating_sub(REMEMBERED);
        self.recent.drain(..surplus);
    }

    /// The rows deleted since there were `deleted`; `None` when they are no longer known.
    pub(crate) fn deleted_since(&self, deleted: u64) -> Option<&[u32]> {
        let count = usize::try_from(self.deleted.checked_sub(deleted)?).ok()?;
        self.recent.get(self.recent.len().checked_sub(count)?..)
    }

    /// ```text
    /// manifest = analyser version (u8), commit (u64 LE),
    ///            first unfolded row, next segment number (u32 LE), deleted rows (u64 LE),
    ///            number of segments, numbers of the segments,
    ///            number of remembered deletions, their rows (u32 LE each)
    /// ```
    fn encode(&self) -> Vec<u8> {
        let mut out = vec![ANALYZER_VERSION];
        out.extend(self.commit.0.to_le_bytes());
        out.extend(self.folded.to_le_bytes());
        out.extend(self.next.to_le_bytes());
        out.extend(self.deleted.to_le_bytes());
        for list in [&self.segments, &self.recent] {
            out.extend(u32::try_from(list.len()).unwrap_or(u32::MAX).to_le_bytes());
            out.extend(list.iter().flat_map(|n| n.to_le_bytes()));
        }
        out
    }

    fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != ANALYZER_VERSION {
            return Err(Damage::Version);
        }
        let (commit, folded, next) = (Commit(reader.u64()?), reader.u32()?, reader.u32()?);
        let deleted = reader.u64()?;
        let mut list = || {
            let count = reader.u32()? as usize;
            let bytes = reader.take(count.checked_mul(4).ok_or(Damage::Range)?)?;
            Ok::<_, Damage>(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|n| u32::from_le_bytes(*n))
                    .collect::<Vec<_>>(),
            )
        };
        let (segments, recent) = (list()?, list()?);
        reader.finish()?;
        Ok(Self {
            commit,
            folded,
            next,
            segments,
            deleted,
            recent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let manifest = Manifest {
            commit: Commit(9),
            folded: 300,
            next: 4,
            segments: vec![1, 3],
            deleted: 5,
            recent: vec![7],
        };
        let golden = [
            2, 9, 0, 0, 0, 0, 0, 0, 0, 0x2C, 1, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0,
            0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0,
        ];
        assert_eq!(manifest.encode(), golden);
        assert_eq!(Manifest::decode(&golden), Ok(manifest));
        for end in 0..golden.len() {
            assert!(Manifest::decode(&golden[..end]).is_err());
        }
    }

    #[test]
    fn deletions_are_remembered_for_a_while() {
        let mut manifest = Manifest::default();
        manifest.note_deleted([3, 5].into_iter());
        assert_eq!(manifest.deleted_since(0), Some(&[3, 5][..]));
        assert_eq!(manifest.deleted_since(1), Some(&[5][..]));
        assert_eq!(manifest.deleted_since(2), Some(&[][..]));
        manifest.note_deleted(0..300);
        assert_eq!(manifest.deleted_since(2), None);
        assert_eq!(
            manifest.deleted_since(302 - 256).map(<[u32]>::len),
            Some(256)
        );
    }
}
