//! JSON that other programs write a little wrong.

use serde_json::Value;

use crate::surrogates::mended;

/// Reads a value; where it is no JSON, what programs are known to write is read as they meant it.
///
/// # Errors
/// Of the text as it stands.
pub(super) fn parse(json: &[u8]) -> Result<Value, serde_json::Error> {
    let json = mended(json);
    serde_json::from_slice(&json)
        .or_else(|error| serde_json::from_slice(&repaired(&json)).map_err(|_| error))
}

/// The same with UTF-8 in place of other bytes, `\u000b` for `\x0B`, escapes for control characters
/// within texts, and `null` for numbers that are none.
fn repaired(json: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(json);
    let mut out = String::with_capacity(text.len() + 16);
    let mut in_text = false;
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if !in_text {
            in_text = first == '"';
            match ["NaN", "-Infinity", "Infinity"]
                .iter()
                .find(|word| rest.starts_with(**word))
            {
                Some(word) => {
                    out.push_str("null");
                    length = word.len();
                }
                None => out.push(first),
            }
        } else if first == '\\' {
            let (instead, taken) = escape(rest);
            out.push_str(&instead);
            length = taken;
        } else if u32::from(first) < 0x20 {
            out.push_str(&format!("\\u{:04x}", u32::from(first)));
        } else {
            in_text = first != '"';
            out.push(first);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    out.into_bytes()
}

/// An escape as JSON has it, and the bytes that it takes.
fn escape(rest: &str) -> (String, usize) {
    let mut after = rest.chars().skip(1);
    match after.next() {
        Some('x') => match rest
            .get(2..4)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            Some(digits) => (format!("\\u00{digits}"), 4),
            None => ("\\\\x".to_owned(), 2),
        },
        Some(known @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => {
            (format!("\\{known}"), 2)
        }
        // A backslash that was not escaped.
        Some(other) => (
            format!("\\\\{}", if other < ' ' { ' ' } else { other }),
            1 + other.len_utf8(),
        ),
        None => ("\\\\".to_owned(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_write_wrong_is_read_as_they_meant_it() {
        for (json, read) in [
            (&br#"{"a": "page\x0Bbreak"}"#[..], "page\u{b}break"),
            (b"{\"a\": \"two\nlines\"}", "two\nlines"),
            (b"{\"a\": \"caf\xe9\", \"b\": NaN}", "caf\u{fffd}"),
            (br#"{"a": "C:\dir"}"#, "C:\\dir"),
            (br#"{"a": "half \ud83d"}"#, "half \u{fffd}"),
        ] {
            assert_eq!(parse(json).unwrap()["a"], read);
        }
        assert!(parse(b"{\"a\": ").is_err());
    }
}
