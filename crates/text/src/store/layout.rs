//! Keyspaces and keys.
//!
//! | keyspace | key | value |
//! |---|---|---|
//! | `text.forward` | namespace, row | forward list (primary) |
//! | `text.manifest` | namespace | manifest: which segments there are |
//! | `text.segment` | namespace, segment, 0 | header |
//! | `text.segment` | namespace, segment, 1 + n | chunk n |
//! | `text.segment` | namespace, segment, 2^31 + n | lengths of the rows from 4096 n on |
//!
//! All numbers in keys are four bytes, big-endian.

use annals_storage::table::Opaque;
use annals_storage::{AnyTable, Keyspace};
use annals_types::{NamespaceId, Row};

use crate::segment::SegmentId;

/// Forward lists, one a row: primary.
pub const FORWARD: Keyspace = Keyspace::new("text.forward");
/// Which segments a namespace has: derived.
pub const MANIFEST: Keyspace = Keyspace::new("text.manifest");
/// Headers, chunks and lengths of segments: derived.
pub const SEGMENT: Keyspace = Keyspace::new("text.segment");
/// Everything that this crate stores; every key begins with the namespace number.
pub const KEYSPACES: [Keyspace; 3] = [FORWARD, MANIFEST, SEGMENT];
/// The same as tables, which are validated and purged in a loop.
pub const TABLES: &[&dyn AnyTable] = &[&opaque(FORWARD), &opaque(MANIFEST), &opaque(SEGMENT)];

const fn opaque(keyspace: Keyspace) -> Opaque {
    Opaque(keyspace.up_to(BODY_VERSION))
}

/// The version of the body of every value of this crate.
pub(crate) const BODY_VERSION: u8 = 1;

const LENGTHS_FROM: u32 = 1 << 31;

pub(crate) type SegmentKey = [u8; 12];

pub(crate) fn forward_key(namespace: NamespaceId, row: Row) -> [u8; 8] {
    let mut key = [0; 8];
    let (head, tail) = key.split_at_mut(4);
    head.copy_from_slice(&namespace.prefix());
    tail.copy_from_slice(&row.0.to_be_bytes());
    key
}

/// The row of a forward key.
pub(crate) fn row_of(key: &[u8]) -> Option<Row> {
    let (_, row) = key.split_at_checked(4)?;
    row.try_into().ok().map(|row| Row(u32::from_be_bytes(row)))
}

pub(crate) fn segment_prefix(namespace: NamespaceId, segment: SegmentId) -> [u8; 8] {
    forward_key(namespace, Row(segment))
}

pub(crate) fn header_key(namespace: NamespaceId, segment: SegmentId) -> SegmentKey {
    part_key(namespace, segment, 0)
}

pub(crate) fn chunk_key(namespace: NamespaceId, segment: SegmentId, chunk: u32) -> SegmentKey {
    part_key(
        namespace,
        segment,
        chunk.saturating_add(1).min(LENGTHS_FROM - 1),
    )
}

pub(crate) fn lengths_key(namespace: NamespaceId, segment: SegmentId, number: u32) -> SegmentKey {
    part_key(namespace, segment, number | LENGTHS_FROM)
}

fn part_key(namespace: NamespaceId, segment: SegmentId, part: u32) -> SegmentKey {
    let mut key = [0; 12];
    let (head, tail) = key.split_at_mut(8);
    head.copy_from_slice(&segment_prefix(namespace, segment));
    tail.copy_from_slice(&part.to_be_bytes());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_by_namespace_segment_and_part() {
        let ns = NamespaceId(1);
        let keys = [
            header_key(ns, 2),
            chunk_key(ns, 2, 0),
            chunk_key(ns, 2, 900),
            lengths_key(ns, 2, 0),
            header_key(ns, 3),
        ];
        assert!(keys.is_sorted());
        assert_eq!(row_of(&forward_key(ns, Row(77))), Some(Row(77)));
        assert_eq!(row_of(b"short"), None);
    }
}
