//! Reads what a question needs from storage, in one round.

use std::sync::Arc;

use annals_storage::{Keyspace, Reads};

use super::Index;
use super::cache::ChunkKey;
use crate::analysis::Query;
use crate::error::{Damage, TextError};
use crate::segment::{Chunks, LENGTHS_PER_VALUE, Segment, SegmentId, decode_lengths};
use crate::store::layout::{BODY_VERSION, SEGMENT, SegmentKey, chunk_key, lengths_key};
use crate::store::manifest::Manifest;

impl Index {
    /// The stored chunks that may hold a term of the question, by segment, term and number, from
    /// the cache or in one read; and the lengths of segments where they are not in memory.
    pub(super) fn fetch(
        &self,
        reads: &impl Reads,
        query: &Query,
    ) -> Result<Vec<Arc<[u8]>>, TextError> {
        let wanted = self.wanted(query);
        let mut chunks = self.cache.get_all(&wanted);
        let mut missing: Vec<ChunkKey> = wanted
            .iter()
            .zip(&chunks)
            .filter(|(_, chunk)| chunk.is_none())
            .map(|(key, _)| *key)
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let unknown: Vec<(&Segment, SegmentId)> = self
            .stored
            .iter()
            .filter(|s| s.lengths().is_none())
            .filter_map(|s| Some((s.as_ref(), s.id()?)))
            .collect();
        let lengths = unknown
            .iter()
            .flat_map(|(segment, id)| self.length_keys(segment, *id));
        let keys: Vec<SegmentKey> = missing
            .iter()
            .map(|k| chunk_key(self.namespace, k.segment, k.chunk))
            .chain(lengths)
            .collect();
        let mut values = self.read(reads, &keys)?.into_iter();
        let read: Vec<Arc<[u8]>> = values.by_ref().take(missing.len()).map(Arc::from).collect();
        for (key, bytes) in missing.iter().zip(&read) {
            self.cache.put(*key, Arc::clone(bytes));
        }
        for (segment, _) in unknown {
            segment.set_lengths(decode_all(segment, &mut values)?);
        }
        for (chunk, key) in chunks
            .iter_mut()
            .zip(&wanted)
            .filter(|(chunk, _)| chunk.is_none())
        {
            *chunk = missing
                .binary_search(key)
                .ok()
                .and_then(|at| read.get(at).cloned());
        }
        Ok(chunks
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or(Damage::Missing)?)
    }

    /// By segment, term and number: what [`load`](super::load) takes in that order.
    fn wanted(&self, query: &Query) -> Vec<ChunkKey> {
        let mut wanted = Vec::new();
        for segment in &self.stored {
            let Chunks::Stored { id, versions } = &segment.chunks else {
                continue;
            };
            for chunk in query
                .terms()
                .iter()
                .flat_map(|t| segment.header.span(t.term))
            {
                let chunk = u32::try_from(chunk).unwrap_or(u32::MAX);
                let version = if versions.is_empty() {
                    0
                } else {
                    versions.get(&chunk).copied().unwrap_or(0)
                };
                wanted.push(ChunkKey {
                    opening: self.opening,
                    namespace: self.namespace,
                    segment: *id,
                    chunk,
                    version,
                });
            }
        }
        wanted
    }

    fn length_keys(
        &self,
        segment: &Segment,
        id: SegmentId,
    ) -> impl Iterator<Item = SegmentKey> + use<> {
        let values = (segment.header.rows as usize).div_ceil(LENGTHS_PER_VALUE);
        let namespace = self.namespace;
        (0..u32::try_from(values).unwrap_or(u32::MAX)).map(move |n| lengths_key(namespace, id, n))
    }

    /// The bodies of some values of segments, all of which must be there.
    fn read(&self, reads: &impl Reads, keys: &[SegmentKey]) -> Result<Vec<Vec<u8>>, TextError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (SEGMENT, &key[..])).collect();
        let body = |value: Option<annals_storage::Stored>| match value {
            Some(value) if value.version == BODY_VERSION => Ok(value.body),
            Some(_) => Err(Damage::Version.into()),
            None => Err(self.missing(reads)),
        };
        reads.multi_get(&keys)?.into_iter().map(body).collect()
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

    /// The lengths of a segment's rows, read if they are not in memory.
    pub(crate) fn load_lengths(
        &self,
        segment: &Segment,
        reads: &impl Reads,
    ) -> Result<Arc<[u16]>, TextError> {
        if let Some(lengths) = segment.lengths() {
            return Ok(Arc::clone(lengths));
        }
        let Some(id) = segment.id() else {
            return Err(Damage::Missing.into());
        };
        let keys: Vec<SegmentKey> = self.length_keys(segment, id).collect();
        decode_all(segment, &mut self.read(reads, &keys)?.into_iter())
    }
}

fn decode_all(
    segment: &Segment,
    values: &mut impl Iterator<Item = Vec<u8>>,
) -> Result<Arc<[u16]>, TextError> {
    let rows = segment.header.rows as usize;
    let mut lengths = Vec::with_capacity(rows);
    while lengths.len() < rows {
        let part = LENGTHS_PER_VALUE.min(rows - lengths.len());
        decode_lengths(&values.next().ok_or(Damage::Missing)?, part, &mut lengths)?;
    }
    Ok(Arc::from(lengths))
}
