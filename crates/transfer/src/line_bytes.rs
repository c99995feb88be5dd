//! The bytes of a line in JSON: a text, or the bytes in hexadecimal digits where they are no UTF-8.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum LineBytes<'a> {
    Text(std::borrow::Cow<'a, str>),
    Other { hex: String },
}

pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let form = match std::str::from_utf8(bytes) {
        Ok(text) => LineBytes::Text(text.into()),
        Err(_) => LineBytes::Other {
            hex: annals_storage::hex(bytes),
        },
    };
    form.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match LineBytes::deserialize(deserializer)? {
        LineBytes::Text(text) => Ok(text.into_owned().into_bytes()),
        LineBytes::Other { hex } => {
            let digit = |digit: u8| {
                char::from(digit)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            };
            let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4) | digit(pair[1])?);
            let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
            let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
            bytes
                .filter(|_| rest.is_empty())
                .ok_or_else(|| D::Error::custom("these are no hexadecimal digits"))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::BadLine;

    proptest::proptest! {
        #[test]
        fn any_line_crosses_as_it_is(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..40), text in ".*") {
            for bytes in [bytes, text.into_bytes()] {
                let line = BadLine { line: 7, reason: "r".to_owned(), wording: None, bytes };
                let sent = serde_json::to_string(&line).unwrap();
                proptest::prop_assert_eq!(serde_json::from_str::<BadLine>(&sent).unwrap(), line);
            }
        }
    }

    #[test]
    fn digits_that_are_none_are_refused() {
        for hex in ["0", "zz", "0x"] {
            let sent = format!(r#"{{"line":1,"reason":"","bytes":{{"hex":"{hex}"}}}}"#);
            assert!(serde_json::from_str::<BadLine>(&sent).is_err(), "{hex}");
        }
    }
}
