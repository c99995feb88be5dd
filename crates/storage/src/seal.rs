//! The seal around each stored value.
//!
//! ```text
//! byte 0            version of the body
//! bytes 1 .. n-4    body
//! bytes n-4 .. n    CRC-32C (Castagnoli), little-endian, over
//!                     keyspace name, one zero byte, key length as u32 little-endian, key, version, body
//! ```
//!
//! Because name and key are part of the checksum, a value that turns up under another key is noticed too.

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
    let crc = checksum(keyspace, key, &sealed);
    sealed.extend_from_slice(&crc.to_le_bytes());
    sealed
}

/// Checks a sealed value and gives version and body.
pub(crate) fn open<'a>(keyspace: Keyspace, key: &[u8], sealed: &'a [u8]) -> Result<(u8, &'a [u8]), StorageError> {
    let damaged = |detail: &str| {
        StorageError::corruption(
            format!("read {keyspace} key {}", hex(key)),
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

/// A key for an error message: at most 32 bytes of it.
fn hex(key: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in key.iter().take(32) {
        let _infallible = write!(text, "{byte:02x}");
    }
    if key.len() > 32 {
        text.push('…');
    }
    text
}
