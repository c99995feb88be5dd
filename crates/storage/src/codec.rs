//! Turns values into bytes and back. The only place that knows the serialisation library.
//!
//! The encoding (bincode 2: little-endian, variable-length integers) does not describe itself: whoever stores a value gives it a
//! version number and keeps the structure of each version. See [`Stored::version`](crate::Stored::version).

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most that one value may claim to hold, in bytes. A damaged length cannot ask for more memory.
const LIMIT: usize = 256 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_variable_int_encoding().with_limit::<LIMIT>()
}

/// Why a value could not be encoded or decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The value cannot be written in this encoding.
    #[error("a {what} cannot be encoded: {detail}")]
    Encode {
        /// The type.
        what: &'static str,
        /// Why.
        detail: String,
    },
    /// The bytes are not such a value.
    #[error("{len} bytes are not a {what}: {detail}; the data are damaged or of another version")]
    Decode {
        /// The type.
        what: &'static str,
        /// How many bytes were given.
        len: usize,
        /// Why.
        detail: String,
    },
    /// The bytes hold a value and something after it.
    #[error("{extra} of {len} bytes are left over after a {what}; the data are damaged or of another version")]
    Leftover {
        /// The type.
        what: &'static str,
        /// How many bytes were given.
        len: usize,
        /// How many were not used.
        extra: usize,
    },
}

/// Encodes a value.
///
/// # Errors
/// When the value cannot be written, for example a sequence of unknown length.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, CodecError> {
    bincode::serde::encode_to_vec(value, config())
        .map_err(|e| CodecError::Encode { what: std::any::type_name::<T>(), detail: e.to_string() })
}

/// Decodes a value; all bytes must be used.
///
/// # Errors
/// When the bytes are not such a value, claim to be larger than 256 MiB, or more bytes follow.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let what = std::any::type_name::<T>();
    let len = bytes.len();
    let (value, used) = bincode::serde::decode_from_slice(bytes, config()).map_err(|e| CodecError::Decode {
        what,
        len,
        detail: e.to_string(),
    })?;
    match len.saturating_sub(used) {
        0 => Ok(value),
        extra => Err(CodecError::Leftover { what, len, extra }),
    }
}
