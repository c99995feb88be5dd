//! Keys: fixed-width, big-endian; the namespace number first, except where time leads.

use annals_types::{NamespaceId, Row, Timestamp};

use crate::Lane;

/// Makes the order of moments that of bytes: the sign bit is turned around.
const SIGN: u64 = 1 << 63;

fn joined<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut key = [0; N];
    for (to, from) in key.iter_mut().zip(parts.iter().copied().flatten()) {
        *to = *from;
    }
    key
}

pub(crate) fn row(ns: NamespaceId, row: Row) -> [u8; 8] {
    joined(&[&ns.prefix(), &row.0.to_be_bytes()])
}

fn moment(moment: Timestamp) -> [u8; 8] {
    (moment.as_millis().cast_unsigned() ^ SIGN).to_be_bytes()
}

/// A place of the due index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) lane: Lane,
    pub(crate) at: Timestamp,
    pub(crate) ns: NamespaceId,
    pub(crate) row: Row,
}

impl Due {
    pub(crate) fn key(&self) -> [u8; 20] {
        joined(&[&self.lane.0.to_be_bytes(), &moment(self.at), &self.ns.prefix(), &self.row.0.to_be_bytes()])
    }

    pub(crate) fn parse(key: &[u8]) -> Option<Self> {
        let (lane, rest) = key.split_first_chunk::<4>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let (ns, rest) = rest.split_first_chunk::<4>()?;
        let row: [u8; 4] = rest.try_into().ok()?;
        Some(Self {
            lane: Lane(u32::from_be_bytes(*lane)),
            at: Timestamp::from_millis((u64::from_be_bytes(*at) ^ SIGN).cast_signed()),
            ns: NamespaceId(u32::from_be_bytes(*ns)),
            row: Row(u32::from_be_bytes(row)),
        })
    }
}

/// The first key of a lane after everything that is due at `until`.
pub(crate) fn due_end(lane: Lane, until: Timestamp) -> [u8; 12] {
    joined(&[&lane.0.to_be_bytes(), &moment(until.plus_millis(1))])
}

pub(crate) fn lane(lane: Lane) -> [u8; 4] {
    lane.0.to_be_bytes()
}

pub(crate) fn job(lane: Lane, name: &str) -> Vec<u8> {
    [&lane.0.to_be_bytes(), name.as_bytes()].concat()
}

/// What follows the first four bytes.
pub(crate) fn tail(key: &[u8]) -> &[u8] {
    key.get(4..).unwrap_or_default()
}

/// The four bytes after the first four, as a number.
pub(crate) fn tail_u32(key: &[u8]) -> Option<u32> {
    tail(key).try_into().ok().map(u32::from_be_bytes)
}

pub(crate) fn task(ns: NamespaceId, number: u64) -> [u8; 12] {
    joined(&[&ns.prefix(), &number.to_be_bytes()])
}

/// The eight bytes after the first four, as a number.
pub(crate) fn tail_u64(key: &[u8]) -> Option<u64> {
    tail(key).try_into().ok().map(u64::from_be_bytes)
}

pub(crate) fn task_key(ns: NamespaceId, lane: Lane, unique: &[u8]) -> Vec<u8> {
    [&ns.prefix()[..], &lane.0.to_be_bytes(), unique].concat()
}

pub(crate) fn ready(lane: Lane, at: Timestamp, ns: NamespaceId, number: u64) -> [u8; 24] {
    joined(&[&lane.0.to_be_bytes(), &moment(at), &ns.prefix(), &number.to_be_bytes()])
}

/// Namespace and number of a key made by [`ready`].
pub(crate) fn ready_parts(key: &[u8]) -> Option<(Timestamp, NamespaceId, u64)> {
    let (_, rest) = key.split_first_chunk::<4>()?;
    let (at, rest) = rest.split_first_chunk::<8>()?;
    let (ns, rest) = rest.split_first_chunk::<4>()?;
    let number: [u8; 8] = rest.try_into().ok()?;
    let at = Timestamp::from_millis((u64::from_be_bytes(*at) ^ SIGN).cast_signed());
    Some((at, NamespaceId(u32::from_be_bytes(*ns)), u64::from_be_bytes(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn keys_are_frozen_and_sort_as_time_does() {
        let (ns, lane, at) = (NamespaceId(1), Lane(2), Timestamp::from_millis);
        assert_eq!(hex(&super::row(ns, Row(3))), "0000000100000003");
        let due = Due { lane, at: at(5), ns, row: Row(3) };
        assert_eq!(hex(&due.key()), "0000000280000000000000050000000100000003");
        assert_eq!(Due::parse(&due.key()), Some(due));
        assert_eq!(Due::parse(&[0; 19]), None);
        assert_eq!(hex(&due_end(lane, at(5))), "000000028000000000000006");
        assert_eq!(hex(&job(lane, "j")), "000000026a");
        assert_eq!(hex(&task(ns, 7)), "000000010000000000000007");
        assert_eq!(hex(&task_key(ns, lane, b"k")), "00000001000000026b");
        assert_eq!(hex(&ready(lane, at(-1), ns, 7)), "000000027fffffffffffffff000000010000000000000007");
        let key = |millis: i64| Due { at: at(millis), ..due }.key();
        assert!(key(-2) < key(-1) && key(-1) < key(0) && key(0) < key(1));
        assert_eq!(ready_parts(&ready(lane, at(-1), ns, 7)), Some((at(-1), ns, 7)));
    }
}
