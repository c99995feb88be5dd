//! Keys: fixed-width, big-endian, the namespace number first.

use annals_types::{MemoryId, NamespaceId, Row};

use crate::label::{LabelClass, LabelId};

/// Set in the class byte of the entries that lead from number to label.
pub(crate) const BY_NUMBER: u8 = 0x80;

pub(crate) fn space(ns: NamespaceId) -> [u8; 4] {
    ns.prefix()
}

fn joined<const A: usize, const N: usize>(ns: NamespaceId, tail: &[u8; A]) -> [u8; N] {
    const { assert!(A + 4 == N) };
    let mut key = [0; N];
    for (to, from) in key.iter_mut().zip(ns.prefix().iter().chain(tail)) {
        *to = *from;
    }
    key
}

/// For [`ROWS`](crate::keyspaces::ROWS), [`STATES`](crate::keyspaces::STATES) and
/// [`COLUMNS`](crate::keyspaces::COLUMNS).
pub(crate) fn row(ns: NamespaceId, row: Row) -> [u8; 8] {
    joined(ns, &row.0.to_be_bytes())
}

pub(crate) fn id(ns: NamespaceId, id: MemoryId) -> [u8; 20] {
    joined(ns, id.as_bytes())
}

pub(crate) fn event(ns: NamespaceId, seq: u64) -> [u8; 12] {
    joined(ns, &seq.to_be_bytes())
}

pub(crate) fn session(ns: NamespaceId, session: LabelId) -> [u8; 8] {
    joined(ns, &session.0.to_be_bytes())
}

pub(crate) fn turn(ns: NamespaceId, session: LabelId, position: u32) -> [u8; 12] {
    let place = (u64::from(session.0) << 32) | u64::from(position);
    joined(ns, &place.to_be_bytes())
}

pub(crate) fn label(ns: NamespaceId, class: LabelClass, text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(5 + text.len());
    key.extend(ns.prefix());
    key.push(class.to_byte());
    key.extend(text.as_bytes());
    key
}

pub(crate) fn dialogue(ns: NamespaceId, session: &str) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend(session.as_bytes());
    key
}

pub(crate) fn label_number(ns: NamespaceId, class: LabelClass, number: LabelId) -> [u8; 9] {
    let [a, b, c, d] = number.0.to_be_bytes();
    joined(ns, &[class.to_byte() | BY_NUMBER, a, b, c, d])
}

/// What follows the namespace number.
pub(crate) fn tail(key: &[u8]) -> &[u8] {
    key.get(4..).unwrap_or_default()
}

/// The four bytes after the namespace number, as a number.
pub(crate) fn tail_u32(key: &[u8]) -> Option<u32> {
    tail(key).try_into().ok().map(u32::from_be_bytes)
}

/// The eight bytes after the namespace number, as a number.
pub(crate) fn tail_u64(key: &[u8]) -> Option<u64> {
    tail(key).try_into().ok().map(u64::from_be_bytes)
}

/// Session and position of a key of [`TURNS`](crate::keyspaces::TURNS).
pub(crate) fn turn_parts(key: &[u8]) -> Option<(LabelId, u32)> {
    let place = tail_u64(key)?;
    let session = u32::try_from(place >> 32).ok()?;
    let position = u32::try_from(place & u64::from(u32::MAX)).ok()?;
    Some((LabelId(session), position))
}
