//! Characters above U+FFFF as two halves: in escapes of JSON, and as two codes of three bytes.

use std::borrow::Cow;

/// What stands for half a character.
const LOST: &[u8] = b"\\ufffd";

/// JSON whose strings any reader takes: pairs written as two codes of three bytes (CESU-8) become
/// the character, and a half without its other half becomes U+FFFD. Programs that count text in
/// 16-bit units write such halves where they cut a text.
#[must_use]
pub fn mended(json: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Vec<u8> = Vec::new();
    // Everything before this place is in `out`, where anything is.
    let (mut at, mut kept) = (0, 0);
    // Most bytes are neither the beginning of an escape nor of such a code.
    let next = |at: usize| Some(at + memchr::memchr2(b'\\', 0xED, json.get(at..)?)?);
    while let Some((found, byte)) = next(at).and_then(|at| Some((at, json.get(at)?))) {
        at = found;
        let rest = json.get(at..).unwrap_or_default();
        let (length, instead) = match byte {
            b'\\' => escape(rest),
            0xED => coded(rest),
            _ => (1, None),
        };
        if let Some(instead) = instead {
            out.extend_from_slice(json.get(kept..at).unwrap_or_default());
            out.extend_from_slice(&instead);
            kept = at + length;
        }
        at += length;
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    out.extend_from_slice(json.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// The length of an escape, and what stands for one that is half a character.
fn escape(rest: &[u8]) -> (usize, Option<Vec<u8>>) {
    match unit(rest) {
        // The next byte is escaped, a backslash among others.
        None => (2, None),
        Some(0xD800..=0xDBFF) if unit(rest.get(6..).unwrap_or_default()).is_some_and(is_low) => {
            (12, None)
        }
        Some(0xD800..=0xDFFF) => (6, Some(LOST.to_vec())),
        Some(_) => (6, None),
    }
}

/// The 16-bit unit of `\uXXXX`.
fn unit(rest: &[u8]) -> Option<u32> {
    let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

const fn is_low(unit: u32) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
}

/// The length of a code of three bytes that begins with ED, and what stands for one or two that are
/// halves.
fn coded(rest: &[u8]) -> (usize, Option<Vec<u8>>) {
    let Some(first) = half(rest) else {
        return (1, None);
    };
    let second =
        half(rest.get(3..).unwrap_or_default()).filter(|second| !is_low(first) && is_low(*second));
    let whole = second
        .and_then(|second| char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    match whole {
        Some(whole) => (6, Some(whole.to_string().into_bytes())),
        None => (3, Some(LOST.to_vec())),
    }
}

/// The half of a character that a code of three bytes is.
fn half(rest: &[u8]) -> Option<u32> {
    let &[0xED, middle @ 0xA0..=0xBF, last @ 0x80..=0xBF] = rest.get(..3)? else {
        return None;
    };
    Some(0xD000 | (u32::from(middle) & 0x3F) << 6 | u32::from(last) & 0x3F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &[u8]) -> String {
        serde_json::from_slice(&mended(json)).unwrap()
    }

    #[test]
    fn halves_are_lost_and_pairs_are_characters() {
        for (json, text) in [
            (
                &br#""plain \u00e9 \ud83d\ude02 \\ud83d""#[..],
                "plain é 😂 \\ud83d",
            ),
            (
                br#""half \ud83d and \ude02.""#,
                "half \u{fffd} and \u{fffd}.",
            ),
            (br#""\ud83d\ud83d\ude02""#, "\u{fffd}😂"),
            (b"\"said \xed\xa0\xbd\xed\xb8\x82 again\"", "said 😂 again"),
            (
                b"\"half \xed\xa0\xbd and \xed\xb8\x82\"",
                "half \u{fffd} and \u{fffd}",
            ),
            ("\"한국어 텍스트\"".as_bytes(), "한국어 텍스트"),
        ] {
            assert_eq!(read(json), text);
        }
        assert!(matches!(
            mended(br#"{"a": "\\\" \ud83d\ude02"}"#),
            Cow::Borrowed(_)
        ));
    }

    proptest::proptest! {
        #[test]
        fn what_is_json_stays_what_it_is(text in ".{0,40}", more in "(\\\\|\"|u|d83d|😂|\\PC){0,20}") {
            let json = serde_json::to_vec(&(&text, &more)).unwrap();
            proptest::prop_assert_eq!(&*mended(&json), &json[..]);
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..60)) {
            let once = mended(&bytes).into_owned();
            proptest::prop_assert_eq!(&*mended(&once), &once[..]);
        }
    }
}
