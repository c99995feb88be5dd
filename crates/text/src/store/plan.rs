//! Folding rows into stored segments, and merging segments. Planned on a snapshot, published in one
//! transaction.

use std::sync::Arc;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{Commit, NamespaceId};

use super::layout::{BODY_VERSION, SEGMENT, chunk_key, header_key, lengths_key, segment_prefix};
use super::manifest::Manifest;
use crate::error::{Damage, TextError};
use crate::forward::Lengths;
use crate::index::Index;
use crate::segment::{
    Built, Input, LENGTHS_PER_VALUE, Segment, SegmentId, encode_lengths, from_forwards, merge,
    without_rows,
};

/// A segment ready to be published.
#[derive(Debug, Clone)]
pub struct Plan {
    namespace: NamespaceId,
    built: Built,
    /// The segments whose rows it takes over; none for a fold.
    replaced: Vec<SegmentId>,
    /// For a fold: the first row of the index that was unfolded, and the first that will be
    /// afterwards.
    folded: Option<(u32, u32)>,
    /// Rows that were ever deleted when it was planned.
    deleted: u64,
}

/// A segment that was published; to be applied to the index after the commit.
#[derive(Debug, Clone)]
pub struct Published {
    pub(crate) segment: Arc<Segment>,
    pub(crate) replaced: Vec<SegmentId>,
    /// For a fold: the first row that is unfolded now.
    pub(crate) folded: Option<u32>,
    pub(crate) commit: Commit,
}

impl Plan {
    /// Bytes that publishing writes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.built.chunks.iter().map(Vec::len).sum::<usize>() + self.built.lengths.len()
    }

    /// Memories in the segment.
    #[must_use]
    pub const fn documents(&self) -> u32 {
        self.built.header.documents
    }

    /// Whether it folds new rows, rather than merging segments.
    #[must_use]
    pub const fn is_fold(&self) -> bool {
        self.folded.is_some()
    }
}

/// The work that is due for an index: a fold of the rows in memory, or a merge of stored segments;
/// `None` when nothing is due. `reads`, a state at or after the last commit that the index was
/// told of, is used by merges only. Takes milliseconds for a fold, up to seconds for a merge of
/// hundreds of thousands of rows: not a job for the writer.
///
/// # Errors
/// [`TextError::Outdated`], [`TextError::DamagedSegment`], or what storage says.
pub fn plan(index: &Index, reads: &impl Reads) -> Result<Option<Plan>, TextError> {
    if index.waiting {
        return Ok(None);
    }
    if index.unfolded() > 0 && index.unfolded() >= index.settings.fold_after {
        return fold(index);
    }
    match mergeable(index) {
        // An older state may still hold rows that the index knows to be deleted.
        Some(_) if reads.commit() < index.commit => Err(TextError::Outdated),
        Some(segments) => merge_stored(index, segments, reads),
        None => Ok(None),
    }
}

fn fold(index: &Index) -> Result<Option<Plan>, TextError> {
    let limit = index.settings.chunk_bytes;
    let rows = index
        .recent
        .tail()
        .iter()
        .map(|(row, forward)| (*row, forward.as_ref()));
    let tail = from_forwards(rows, limit).map(Segment::resident);
    let segments: Vec<&Segment> = index
        .recent
        .segments()
        .iter()
        .map(AsRef::as_ref)
        .chain(tail.as_ref())
        .collect();
    // After a loss of segments everything is unfolded: several folds then, none larger than a merge
    // makes them.
    let first = segments.first().map_or(0, |s| s.header.first);
    let fits = |s: &&&Segment| s.header.end() - first <= index.settings.max_segment_rows;
    let taken = segments
        .iter()
        .take_while(fits)
        .count()
        .max(1)
        .min(segments.len());
    let (now, later) = segments.split_at(taken);
    let end = later.first().map_or(index.end(), |s| s.header.first);
    let built = merge(now.iter().filter_map(|s| s.as_input()).collect(), limit)?;
    Ok(built.map(|built| Plan {
        namespace: index.namespace,
        folded: Some((index.folded, end)),
        built,
        replaced: Vec::new(),
        deleted: index.deleted,
    }))
}

/// Neighbouring segments of one size class, as many as the merge factor says.
fn mergeable(index: &Index) -> Option<&[Arc<Segment>]> {
    let factor = index.settings.merge_factor.max(2);
    let unit = index.settings.fold_after.max(1);
    let most = u64::from(index.settings.max_segment_rows);
    let class = |s: &Segment| (s.header.documents as usize / unit).max(1).ilog(factor);
    let stored = &index.stored;
    let runs = stored.len().checked_sub(factor)?;
    (0..=runs)
        .rev()
        .filter_map(|start| stored.get(start..start + factor))
        .find(|run| {
            let rows = run.iter().map(|s| u64::from(s.header.rows)).sum::<u64>();
            let newest = run.last().map_or(0, |s| class(s));
            // Deletions may have shrunk some: a smaller one among equals goes along.
            rows <= most && run.iter().all(|s| class(s) <= newest)
        })
}

fn merge_stored(
    index: &Index,
    segments: &[Arc<Segment>],
    reads: &impl Reads,
) -> Result<Option<Plan>, TextError> {
    let mut inputs = Vec::with_capacity(segments.len());
    for segment in segments {
        let Some(id) = segment.id() else {
            return Ok(None);
        };
        let lengths = index.load_lengths(segment, reads)?;
        let mut ready: Vec<Arc<[u8]>> = Vec::new();
        let chunks = segment.header.directory.len();
        let load = move |number: usize| {
            if ready.is_empty() {
                ready = read_chunks(
                    index.namespace,
                    id,
                    number..chunks.min(number + AT_ONCE),
                    reads,
                )?;
                ready.reverse();
            }
            Ok(ready.pop().ok_or(Damage::Missing)?)
        };
        inputs.push(Input::new(
            segment.header.first,
            lengths,
            chunks,
            Box::new(load),
        ));
    }
    let replaced = segments.iter().filter_map(|s| s.id()).collect();
    let built = merge(inputs, index.settings.chunk_bytes)?;
    Ok(built.map(|built| Plan {
        namespace: index.namespace,
        built,
        replaced,
        folded: None,
        deleted: index.deleted,
    }))
}

/// Chunks that a merge reads in one round.
const AT_ONCE: usize = 32;

fn read_chunks(
    namespace: NamespaceId,
    id: SegmentId,
    numbers: std::ops::Range<usize>,
    reads: &impl Reads,
) -> Result<Vec<Arc<[u8]>>, TextError> {
    let keys: Vec<_> = numbers
        .filter_map(|n| u32::try_from(n).ok())
        .map(|n| chunk_key(namespace, id, n))
        .collect();
    let keys: Vec<_> = keys.iter().map(|key| (SEGMENT, &key[..])).collect();
    let values = reads.multi_get(&keys)?;
    values
        .into_iter()
        .map(|value| match value {
            Some(value) if value.version == BODY_VERSION => Ok(Arc::from(value.body)),
            Some(_) => Err(Damage::Version.into()),
            None => Err(TextError::Outdated),
        })
        .collect()
}

/// Writes a plan's segment, the new manifest, and deletes what it replaces. `None`, with nothing
/// written, when another plan was published since.
///
/// # Errors
/// [`TextError::StalePlan`] when more rows were deleted since than the manifest remembers; then
/// plan again.
pub fn publish(tx: &mut Transaction<'_>, plan: &Plan) -> Result<Option<Published>, TextError> {
    let mut manifest = Manifest::read(tx, plan.namespace)?;
    let place = match plan.folded {
        Some((start, _)) if manifest.folded == start => Some(manifest.segments.len()),
        Some(_) => None,
        None => manifest
            .segments
            .windows(plan.replaced.len())
            .position(|run| run == plan.replaced),
    };
    let Some(place) = place else { return Ok(None) };
    let built = match manifest.deleted_since(plan.deleted) {
        Some([]) => None,
        Some(rows) => Some(stripped(&plan.built, rows)?),
        None => return Err(TextError::StalePlan),
    };
    let built = built.as_ref().unwrap_or(&plan.built);
    let id = manifest.next;
    write(tx, plan.namespace, id, built)?;
    for old in &plan.replaced {
        tx.delete_range(
            &KeyRange::prefix(SEGMENT, &segment_prefix(plan.namespace, *old)),
            usize::MAX,
        )?;
    }
    manifest.next = id.saturating_add(1);
    manifest
        .segments
        .splice(place..place + plan.replaced.len(), [id]);
    if let Some((_, end)) = plan.folded {
        manifest.folded = end;
    }
    manifest.write(tx, plan.namespace)?;
    let segment = Segment::written(
        id,
        built.header.clone(),
        Arc::from(built.lengths.as_slice()),
    );
    Ok(Some(Published {
        segment: Arc::new(segment),
        replaced: plan.replaced.clone(),
        folded: plan.folded.map(|(_, end)| end),
        commit: tx.commit(),
    }))
}

fn write(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    id: SegmentId,
    built: &Built,
) -> Result<(), TextError> {
    tx.put(
        SEGMENT,
        &header_key(namespace, id),
        BODY_VERSION,
        &built.header.encode(),
    )?;
    for (number, chunk) in (0..).zip(&built.chunks) {
        tx.put(
            SEGMENT,
            &chunk_key(namespace, id, number),
            BODY_VERSION,
            chunk,
        )?;
    }
    for (number, lengths) in (0..).zip(built.lengths.chunks(LENGTHS_PER_VALUE)) {
        tx.put(
            SEGMENT,
            &lengths_key(namespace, id, number),
            BODY_VERSION,
            &encode_lengths(lengths),
        )?;
    }
    Ok(())
}

/// A built segment without rows that were deleted since it was built.
fn stripped(built: &Built, deleted: &[u32]) -> Result<Built, TextError> {
    let mut out = built.clone();
    let mut rows: Vec<u32> = deleted
        .iter()
        .filter_map(|row| row.checked_sub(built.header.first))
        .collect();
    rows.retain(|row| {
        built
            .lengths
            .get(*row as usize)
            .is_some_and(|l| *l != Lengths::ABSENT)
    });
    rows.sort_unstable();
    rows.dedup();
    for chunk in &mut out.chunks {
        if let Some(shorter) = without_rows(chunk, &rows)? {
            *chunk = shorter;
        }
    }
    for row in rows {
        if let Some(length) = out.lengths.get_mut(row as usize) {
            out.header.documents = out.header.documents.saturating_sub(1);
            out.header.total_length = out.header.total_length.saturating_sub((*length).into());
            *length = Lengths::ABSENT;
        }
    }
    Ok(out)
}
