//! One entry of the log: the changes of a batch, with what tells whether they are whole and belong
//! here.
//!
//! ```text
//! bytes 0 .. 8       u64 generation of the log, a random number
//! bytes 8 .. 12      u32 number in this generation, from 0
//! bytes 12 .. 16     u32 length of the body
//! bytes 16 .. 20     CRC-32C of the bytes before and of the body
//! body               for each keyspace: u16 length of its name, name, u32 number of changes, and for each of them
//!                    u32 length of the key, key, u32 length of the value (0xFFFF_FFFF: the key is removed), value
//! ```
//!
//! All numbers are big-endian. Entries begin at multiples of 512 bytes.

use crate::Batch;
use crate::batch::Changes;

/// Entries begin at multiples of so many bytes: a write never touches a sector that holds an older
/// entry.
pub(super) const ALIGNMENT: usize = 512;

/// Bytes before the body.
pub(super) const HEADER: usize = 20;

/// The length that stands for a key that is removed.
const REMOVED: u32 = u32::MAX;

/// The changes of one keyspace, by its name.
pub(super) type Named = (String, Changes);

/// The entry of a batch, padded to the alignment; `None` when it would be longer than `room`.
pub(super) fn encode(batch: &Batch, generation: u64, number: u32, room: usize) -> Option<Vec<u8>> {
    let mut entry = vec![0; HEADER];
    for (keyspace, changes) in batch.keyspaces() {
        let name = keyspace.name().as_bytes();
        entry.extend(u16::try_from(name.len()).ok()?.to_be_bytes());
        entry.extend(name);
        entry.extend(u32::try_from(changes.len()).ok()?.to_be_bytes());
        for (key, value) in changes {
            entry.extend(u32::try_from(key.len()).ok()?.to_be_bytes());
            entry.extend(key);
            match value {
                None => entry.extend(REMOVED.to_be_bytes()),
                Some(value) => {
                    entry.extend(u32::try_from(value.len()).ok()?.to_be_bytes());
                    entry.extend(value);
                }
            }
            if entry.len() > room {
                return None;
            }
        }
    }
    let (head, body) = entry.split_at_mut_checked(HEADER)?;
    let mut start = generation.to_be_bytes().to_vec();
    start.extend(number.to_be_bytes());
    start.extend(u32::try_from(body.len()).ok()?.to_be_bytes());
    start.extend(crc32c::crc32c_append(crc32c::crc32c(&start), body).to_be_bytes());
    head.copy_from_slice(&start);
    entry.resize(entry.len().next_multiple_of(ALIGNMENT), 0);
    (entry.len() <= room).then_some(entry)
}

/// The body of the entry at the start of `bytes`, when there is a whole one of this generation, and
/// its number.
pub(super) fn find(bytes: &[u8], generation: u64) -> Option<(u32, &[u8])> {
    let mut rest = bytes;
    if u64::from_be_bytes(take(&mut rest)?) != generation {
        return None;
    }
    let number = u32::from_be_bytes(take(&mut rest)?);
    let length = usize::try_from(u32::from_be_bytes(take(&mut rest)?)).ok()?;
    let stored = u32::from_be_bytes(take(&mut rest)?);
    let body = rest.get(..length)?;
    let crc = crc32c::crc32c_append(crc32c::crc32c(bytes.get(..HEADER - 4)?), body);
    (crc == stored).then_some((number, body))
}

/// Whether an entry that is not whole may be the one of this number: one bit of it may be another.
pub(super) fn resembles(bytes: &[u8], generation: u64, number: u32) -> bool {
    let Some((head, _)) = bytes.split_first_chunk::<12>() else {
        return false;
    };
    let expected = (u128::from(generation) << 32) | u128::from(number);
    let found = head
        .iter()
        .fold(0_u128, |found, byte| found << 8 | u128::from(*byte));
    (expected ^ found).count_ones() <= 1
}

/// The changes of a body; `None` when it is no such thing.
pub(super) fn decode(mut body: &[u8]) -> Option<Vec<Named>> {
    let mut keyspaces = Vec::new();
    while !body.is_empty() {
        decode_keyspace(&mut body, &mut keyspaces)?;
    }
    Some(keyspaces)
}

/// The changes of a damaged body, as far as they can be told.
pub(super) fn decode_part(mut body: &[u8]) -> Vec<Named> {
    let mut keyspaces = Vec::new();
    while !body.is_empty() && decode_keyspace(&mut body, &mut keyspaces).is_some() {}
    keyspaces
}

fn decode_keyspace(body: &mut &[u8], keyspaces: &mut Vec<Named>) -> Option<()> {
    let length = u16::from_be_bytes(take(body)?);
    let name = String::from_utf8(slice(body, length.into())?.to_vec()).ok()?;
    keyspaces.push((name, Changes::new()));
    let (_, changes) = keyspaces.last_mut()?;
    for _ in 0..u32::from_be_bytes(take(body)?) {
        let length = u32::from_be_bytes(take(body)?);
        let key = slice(body, length)?.to_vec();
        let value = match u32::from_be_bytes(take(body)?) {
            REMOVED => None,
            length => Some(slice(body, length)?.to_vec()),
        };
        changes.insert(key, value);
    }
    Some(())
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

fn slice<'a>(bytes: &mut &'a [u8], length: u32) -> Option<&'a [u8]> {
    let (head, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some(head)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Keyspace;

    proptest! {
        /// Bytes of any kind, and entries of which some bytes were changed.
        #[test]
        fn fuzz_any_bytes_are_an_entry_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        ) {
            let _bounded = decode(&bytes);
            let part = decode_part(&bytes);
            prop_assert!(decode(&bytes).is_none_or(|whole| whole == part));
            let mut entry = encode(&batch(), 7, 3, 4096).unwrap();
            let whole = entry.clone();
            for (at, byte) in changes {
                let at = at.index(entry.len());
                entry[at] = byte;
            }
            if let Some((number, body)) = find(&entry, 7) {
                prop_assert_eq!((number, body), find(&whole, 7).unwrap(), "what is changed is found");
            }
            decode_part(entry.get(HEADER..).unwrap());
        }
    }

    fn batch() -> Batch {
        let mut batch = Batch::default();
        batch.put(Keyspace::new("t.a"), b"k1".to_vec(), b"value".to_vec());
        batch.delete(Keyspace::new("t.a"), b"k2".to_vec());
        batch.put(Keyspace::new("t.b"), Vec::new(), Vec::new());
        batch
    }

    /// The bytes of an entry; they must never change.
    #[test]
    fn golden_bytes_of_an_entry() {
        let entry = encode(&batch(), 7, 3, 4096).unwrap();
        let body: &[u8] =
            b"\0\x03t.a\0\0\0\x02\0\0\0\x02k1\0\0\0\x05value\0\0\0\x02k2\xFF\xFF\xFF\xFF\
                            \0\x03t.b\0\0\0\x01\0\0\0\0\0\0\0\0";
        assert_eq!(&entry[HEADER..HEADER + body.len()], body);
        assert_eq!(
            entry[..16],
            [
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                7,
                0,
                0,
                0,
                3,
                0,
                0,
                0,
                u8::try_from(body.len()).unwrap()
            ]
        );
        assert_eq!(
            entry[16..20],
            [0x82, 0xCC, 0x2B, 0x03],
            "{:02x?}",
            &entry[16..20]
        );
        assert_eq!(entry.len(), ALIGNMENT);
    }

    #[test]
    fn an_entry_is_found_whole_and_only_in_its_generation() {
        let entry = encode(&batch(), 7, 3, 4096).unwrap();
        let (number, body) = find(&entry, 7).unwrap();
        assert_eq!(number, 3);
        let decoded = decode(body).unwrap();
        let expected: Vec<Named> = batch()
            .keyspaces()
            .map(|(k, c)| (k.name().to_owned(), c.clone()))
            .collect();
        assert_eq!(decoded, expected);
        assert_eq!(find(&entry, 8), None);
        assert_eq!(encode(&batch(), 7, 3, ALIGNMENT - 1), None);
        for at in 0..HEADER + body.len() {
            let mut damaged = entry.clone();
            damaged[at] ^= 0x20;
            assert_eq!(find(&damaged, 7), None, "byte {at}");
        }
        for end in 0..HEADER + body.len() {
            assert_eq!(find(&entry[..end], 7), None, "cut at {end}");
        }
        for end in 1..body.len() {
            assert_ne!(decode(&body[..end]), Some(expected.clone()), "cut at {end}");
        }
    }
}
