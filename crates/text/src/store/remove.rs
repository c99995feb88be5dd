use annals_storage::{Reads as _, Transaction};
use annals_types::{Commit, NamespaceId, Row};

use super::layout::{
    BODY_VERSION, FORWARD, SEGMENT, chunk_key, forward_key, header_key, lengths_key,
};
use super::manifest::Manifest;
use super::{forwards, open};
use crate::error::{Damage, TextError};
use crate::forward::{Forward, Lengths};
use crate::index::within;
use crate::segment::{
    Header, LENGTHS_PER_VALUE, ROWS_PER_VALUE, SegmentId, decode_lengths, encode_lengths, forget,
    removals, without,
};

/// The effect of a deletion; to be applied to the index after the commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// By row.
    pub(crate) rows: Vec<(u32, Forward)>,
    /// Rewritten chunks by segment.
    pub(crate) changed: Vec<(SegmentId, Vec<u32>)>,
    pub(crate) commit: Commit,
}

impl Removed {
    /// The number of rows that had a forward list.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no row had one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Deletes rows with all their traces: forward lists, postings in stored chunks, lengths,
/// statistics. Rows without a forward list are passed over.
///
/// # Errors
/// [`TextError::DamagedSegment`] when stored lists cannot be read:
/// [`drop_derived`](super::drop_derived) in the same transaction, then try again.
/// [`TextError::DamagedForward`], or what storage says.
pub fn remove(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    rows: &[Row],
) -> Result<Removed, TextError> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    let lists = forwards(tx, namespace, &rows)?;
    let mut gone: Vec<(u32, Forward)> = Vec::new();
    for (row, forward) in rows.iter().zip(lists) {
        // A list of another analyser version is in no segment: the list alone has to go.
        tx.delete(FORWARD, &forward_key(namespace, *row))?;
        gone.extend(forward.map(|forward| (row.0, forward)));
    }
    let mut removed = Removed {
        rows: gone,
        changed: Vec::new(),
        commit: tx.commit(),
    };
    if removed.is_empty() {
        return Ok(removed);
    }
    let mut manifest = Manifest::read(tx, namespace)?;
    let lists: Vec<(u32, &Forward)> = removed
        .rows
        .iter()
        .map(|(row, forward)| (*row, forward))
        .collect();
    if lists.first().is_some_and(|(row, _)| *row < manifest.folded) {
        let headers = open::headers(tx, namespace, &manifest)?;
        for (id, mut header) in manifest.segments.iter().zip(headers) {
            let inside = within(&lists, &header);
            if !inside.is_empty() {
                let chunks = rewrite(tx, namespace, *id, &mut header, inside)?;
                removed.changed.push((*id, chunks));
            }
        }
    }
    manifest.note_deleted(lists.iter().map(|(row, _)| *row));
    manifest.write(tx, namespace)?;
    Ok(removed)
}

/// Takes rows out of one segment; answers which chunks changed.
fn rewrite(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    id: SegmentId,
    header: &mut Header,
    rows: &[(u32, &Forward)],
) -> Result<Vec<u32>, TextError> {
    let postings = removals(header, rows);
    let numbers: Vec<u32> = postings
        .keys()
        .filter_map(|n| u32::try_from(*n).ok())
        .collect();
    let mut parts: Vec<u32> = Vec::new();
    for (row, _) in rows {
        let part = (row - header.first) / ROWS_PER_VALUE;
        if parts.last() != Some(&part) {
            parts.push(part);
        }
    }
    let keys: Vec<_> = numbers
        .iter()
        .map(|n| chunk_key(namespace, id, *n))
        .collect();
    let part_keys: Vec<_> = parts
        .iter()
        .map(|n| lengths_key(namespace, id, *n))
        .collect();
    let asked: Vec<_> = keys
        .iter()
        .chain(&part_keys)
        .map(|key| (SEGMENT, &key[..]))
        .collect();
    let mut values = tx.multi_get(&asked)?.into_iter();
    let mut next = || match values.next().flatten() {
        Some(value) if value.version == BODY_VERSION => Ok(value.body),
        Some(_) => Err(Damage::Version),
        None => Err(Damage::Missing),
    };
    let mut changed = Vec::new();
    for ((number, key), postings) in numbers.iter().zip(&keys).zip(postings.values()) {
        if let Some(shorter) = without(&next()?, postings)? {
            tx.put(SEGMENT, key, BODY_VERSION, &shorter)?;
            changed.push(*number);
        }
    }
    for (part, key) in parts.iter().zip(&part_keys) {
        let start = *part as usize * LENGTHS_PER_VALUE;
        let count = LENGTHS_PER_VALUE.min((header.rows as usize).saturating_sub(start));
        let mut lengths = Vec::with_capacity(count);
        decode_lengths(&next()?, count, &mut lengths)?;
        for (row, _) in rows {
            let at = ((row - header.first) as usize).checked_sub(start);
            if let Some(length) = at.and_then(|at| lengths.get_mut(at)) {
                *length = Lengths::ABSENT;
            }
        }
        tx.put(SEGMENT, key, BODY_VERSION, &encode_lengths(&lengths))?;
    }
    forget(header, rows);
    tx.put(
        SEGMENT,
        &header_key(namespace, id),
        BODY_VERSION,
        &header.encode(),
    )?;
    Ok(changed)
}
