//! The seal around each stored value.
//!
//! ```text
//! byte 0            version of the body
//! bytes 1 .. n-4    body
//! bytes n-4 .. n    CRC-32C (Castagnoli), little-endian, over
//!                     keyspace name, one zero byte, key length as u32 little-endian, key, version, body
//! ```
//!
//! Because name and key are part of the checksum, a value that turns up under another key is
//! noticed too.

use crate::hex::shown_key;
use crate::{Keyspace, StorageError};

/// Bytes that a seal adds to a body.
pub(crate) const OVERHEAD: usize = 5;

fn checksum(keyspace: Keyspace, key: &[u8], versioned: &[u8]) -> u32 {
    // A key longer than u32::MAX cannot be stored, so the saturated value is never compared.
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut crc = crc32c::crc32c(keyspace.name().as_bytes());
    let mut head = [0_u8; 5];
    if let Some(tail) = head.get_mut(1..) {
        tail.copy_from_slice(&length.to_le_bytes());
    }
    crc = crc32c::crc32c_append(crc, &head);
    crc = crc32c::crc32c_append(crc, key);
    crc32c::crc32c_append(crc, versioned)
}

/// Seals a body.
pub(crate) fn seal(keyspace: Keyspace, key: &[u8], version: u8, body: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(body.len() + OVERHEAD);
    sealed.push(version);
    sealed.extend_from_slice(body);
    close(keyspace, key, sealed)
}

/// Seals a version with its body.
pub(crate) fn close(keyspace: Keyspace, key: &[u8], mut sealed: Vec<u8>) -> Vec<u8> {
    let crc = checksum(keyspace, key, &sealed);
    // Large values stay in the batch until its commit: they take no more than they need.
    sealed.reserve_exact(4);
    sealed.extend_from_slice(&crc.to_le_bytes());
    sealed
}

/// Checks a sealed value and gives version and body.
pub(crate) fn open<'a>(
    keyspace: Keyspace,
    key: &[u8],
    sealed: &'a [u8],
) -> Result<(u8, &'a [u8]), StorageError> {
    let damaged = |detail: &str| {
        StorageError::corruption(
            format!("read {keyspace} key {}", shown_key(key)),
            format!("{detail}, {} bytes", sealed.len()),
        )
    };
    let Some((versioned, stored)) = sealed.split_last_chunk::<4>() else {
        return Err(damaged("value shorter than its checksum"));
    };
    let Some((&version, body)) = versioned.split_first() else {
        return Err(damaged("value without a version"));
    };
    if checksum(keyspace, key, versioned) != u32::from_le_bytes(*stored) {
        return Err(damaged("checksum does not match"));
    }
    Ok((version, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: Keyspace = Keyspace::new("test.notes");
    const KEY: &[u8] = b"\0\0\0\x01key";

    /// The bytes were made by another program (a bitwise CRC-32C in Python); they must never
    /// change.
    #[test]
    fn golden_bytes_of_a_seal() {
        let golden = include_bytes!("../tests/fixtures/seal-1.bin");
        assert_eq!(seal(NOTES, KEY, 3, b"a body"), golden);
        assert_eq!(open(NOTES, KEY, golden).unwrap(), (3, &b"a body"[..]));
    }

    #[test]
    fn every_single_flipped_bit_is_noticed() {
        let sealed = seal(
            NOTES,
            KEY,
            3,
            b"a body that is a little longer than the seal around it",
        );
        for bit in 0..sealed.len() * 8 {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(
                open(NOTES, KEY, &flipped).unwrap_err().is_corruption(),
                "bit {bit}"
            );
        }
        for len in 0..sealed.len() {
            assert!(open(NOTES, KEY, &sealed[..len]).is_err(), "cut to {len}");
        }
    }

    #[test]
    fn a_value_under_another_key_or_in_another_keyspace_is_noticed() {
        let sealed = seal(NOTES, b"ab", 0, b"c");
        assert!(open(NOTES, b"ab", &sealed).is_ok());
        assert!(open(NOTES, b"ac", &sealed).is_err());
        assert!(open(NOTES, b"a", &sealed).is_err());
        assert!(open(Keyspace::new("test.note"), b"ab", &sealed).is_err());
        // The same bytes in a row, cut elsewhere between key and value.
        let moved = seal(NOTES, b"a", b'b', b"\0c");
        assert!(open(NOTES, b"ab", moved.get(1..).unwrap()).is_err());
    }

    #[test]
    fn the_error_names_keyspace_and_key() {
        let error = open(NOTES, &[0xAB; 40], b"xx").unwrap_err().to_string();
        assert!(
            error.contains("test.notes") && error.contains("abab") && error.contains('…'),
            "{error}"
        );
    }
}
