//! Turns values into bytes and back. The only place that knows the serialisation library.
//!
//! The encoding (bincode 2: little-endian, variable-length integers) does not describe itself: the
//! crate that stores a value gives it a version number and keeps the structure of each version.
//! See [`Stored::version`](crate::Stored::version).

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most that one value may claim to hold, in bytes. A damaged length cannot ask for more
/// memory.
const LIMIT: usize = 256 << 20;

fn config() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_variable_int_encoding()
        .with_limit::<LIMIT>()
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
    #[error(
        "{extra} of {len} bytes are left over after a {what}; the data are damaged or of another version"
    )]
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
    let mut bytes = Vec::new();
    encode_into(value, &mut bytes)?;
    Ok(bytes)
}

/// The same at the end of some bytes.
pub(crate) fn encode_into<T: Serialize>(value: &T, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    bincode::serde::encode_into_std_write(value, bytes, config())
        .map(drop)
        .map_err(|e| CodecError::Encode {
            what: std::any::type_name::<T>(),
            detail: e.to_string(),
        })
}

/// Decodes a value; all bytes must be used. Do not store sequences of values that take no bytes,
/// such as `Vec<()>`: a damaged length would be counted out.
///
/// # Errors
/// When the bytes are not such a value, claim to be larger than 256 MiB, or more bytes follow.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let what = std::any::type_name::<T>();
    let len = bytes.len();
    let (value, used) =
        bincode::serde::decode_from_slice(bytes, config()).map_err(|e| CodecError::Decode {
            what,
            len,
            detail: e.to_string(),
        })?;
    match len.saturating_sub(used) {
        0 => Ok(value),
        extra => Err(CodecError::Leftover { what, len, extra }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Dot,
        Line(u64, i64),
        Text {
            text: String,
            tags: Vec<String>,
            more: Option<BTreeMap<String, f64>>,
        },
    }

    #[test]
    fn golden_bytes_of_the_encoding() {
        let text = Shape::Text {
            text: "hé".into(),
            tags: vec!["a".into()],
            more: Some([("x".into(), 1.5)].into()),
        };
        let golden: &[u8] = &[
            2, 3, b'h', 0xC3, 0xA9, 1, 1, b'a', 1, 1, 1, b'x', 0, 0, 0, 0, 0, 0, 0xF8, 0x3F,
        ];
        assert_eq!(encode(&text).unwrap(), golden);
        assert_eq!(decode::<Shape>(golden).unwrap(), text);
        assert_eq!(encode(&Shape::Dot).unwrap(), [0]);
        // 300 needs the marker of a u16; -1 is zigzag 1.
        assert_eq!(
            encode(&Shape::Line(300, -1)).unwrap(),
            [1, 251, 0x2C, 0x01, 1]
        );
    }

    #[test]
    fn bytes_left_over_are_refused() {
        assert!(matches!(
            decode::<Shape>(&[0, 0]),
            Err(CodecError::Leftover {
                extra: 1,
                len: 2,
                ..
            })
        ));
        assert!(matches!(
            decode::<Shape>(&[9]),
            Err(CodecError::Decode { len: 1, .. })
        ));
        assert!(matches!(
            decode::<Shape>(&[]),
            Err(CodecError::Decode { .. })
        ));
    }

    #[test]
    fn a_huge_claimed_length_is_refused_before_it_is_allocated() {
        let mut claims = vec![253_u8];
        claims.extend(u64::MAX.to_le_bytes());
        assert!(decode::<String>(&claims).is_err());
        assert!(decode::<Vec<u64>>(&claims).is_err());
        assert!(decode::<BTreeMap<u64, u64>>(&claims).is_err());
        assert!(decode::<Vec<Vec<Vec<String>>>>(&claims).is_err());
    }

    proptest! {
        #[test]
        fn hostile_bytes_are_an_error_or_a_value_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(shape) = decode::<Shape>(&bytes) {
                // A value that can be read can be written again, to the same value.
                let again: Shape = decode(&encode(&shape).unwrap()).unwrap();
                prop_assert_eq!(format!("{again:?}"), format!("{shape:?}"));
            }
        }
    }
}
