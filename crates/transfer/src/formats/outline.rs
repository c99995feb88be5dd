//! The outline of a file: what it is made of, by its beginning and its first records however long
//! these are. Formats are told by it.

use std::io::BufRead;

use annals_engine::Error;
use serde_json::Value;

use super::file::ImportFile;
use super::gemini_page;
use super::items::unreadable;
use super::sketch::Sketcher;
use super::text::decode_head;

/// Bytes of the beginning of a text that are looked at.
pub(super) const HEAD_BYTES: usize = 64 << 10;

/// What a file is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outline {
    /// Nothing but blanks.
    Empty,
    /// JSON: its first values, with long texts and lists cut.
    Json(Vec<Value>),
    /// Words: the beginning of them.
    Text(String),
    /// A page of HTML whose first card this is.
    Page(String),
    /// An SQLite database, by the names of its tables.
    Tables(Vec<String>),
    /// Bytes of another kind.
    Other(Kind),
}

/// A kind of files that are no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Database,
    Pdf,
    Picture,
    Recording,
    Archive,
    Html,
    Binary,
}

impl Kind {
    /// What it is called in errors.
    pub(super) const fn about(self) -> &'static str {
        match self {
            Self::Database => "an SQLite database of a program that is not known",
            Self::Pdf => "a PDF document",
            Self::Picture => "a picture",
            Self::Recording => "a recording or a video",
            Self::Archive => "an archive that is not unpacked: zip, gzip and zstd are",
            Self::Html => "an HTML page",
            Self::Binary => "no text",
        }
    }

    /// The same in one word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Pdf => "pdf",
            Self::Picture => "picture",
            Self::Recording => "recording",
            Self::Archive => "archive",
            Self::Html => "html",
            Self::Binary => "binary",
        }
    }
}

/// Beginnings of files that are no text.
const KINDS: [(&[u8], Kind); 13] = [
    (b"SQLite format 3\0", Kind::Database),
    (b"%PDF", Kind::Pdf),
    (b"\x89PNG", Kind::Picture),
    (b"\xff\xd8\xff", Kind::Picture),
    (b"GIF8", Kind::Picture),
    (b"OggS", Kind::Recording),
    (b"ID3", Kind::Recording),
    (b"\0\0\0", Kind::Recording),
    (b"7z\xbc\xaf\x27\x1c", Kind::Archive),
    (b"Rar!", Kind::Archive),
    (b"BZh", Kind::Archive),
    (b"\xfd7zXZ", Kind::Archive),
    (b"PK\x03\x04", Kind::Archive),
];

impl Outline {
    /// Of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of_file(file: &ImportFile) -> Result<Self, Error> {
        match Self::of(&mut *file.open()?)? {
            Self::Other(Kind::Database) => {
                match file.database().and_then(|mut database| database.tables()) {
                    Ok(tables) => Ok(Self::Tables(tables)),
                    Err(error) if error.is_invalid() => Ok(Self::Other(Kind::Database)),
                    Err(error) => Err(error),
                }
            }
            other => Ok(other),
        }
    }

    /// Of what is read, from its beginning.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of(input: &mut dyn BufRead) -> Result<Self, Error> {
        let head = input.fill_buf().map_err(unreadable)?;
        if let Some((_, kind)) = KINDS.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Ok(Self::Other(*kind));
        }
        let start = head
            .strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(head)
            .trim_ascii_start();
        if begins_as_json(start) && !is_bracketed_date(start) {
            return Ok(Self::Json(Sketcher::new(input).values()?));
        }
        let mut bytes = Vec::new();
        while bytes.len() < HEAD_BYTES {
            let part = input.fill_buf().map_err(unreadable)?;
            if part.is_empty() {
                break;
            }
            let length = part.len();
            bytes.extend_from_slice(part);
            input.consume(length);
        }
        Ok(match decode_head(&bytes) {
            Some(text) if text.trim().is_empty() => Self::Empty,
            Some(text) if looks_like_html(&text) => page(bytes, input)?,
            Some(text) => Self::Text(text),
            None => Self::Other(Kind::Binary),
        })
    }
}

/// A page whose cards stand behind its styles.
fn page(mut bytes: Vec<u8>, input: &mut dyn BufRead) -> Result<Outline, Error> {
    /// Bytes of styles that are passed over, and of the first card that are kept.
    const STYLES: usize = 4 << 20;
    const CARD: usize = 8 << 10;
    let mut from = 0;
    loop {
        let found = memchr::memmem::find(
            bytes.get(from..).unwrap_or_default(),
            gemini_page::CARD.as_bytes(),
        );
        let part = input.fill_buf().map_err(unreadable)?;
        match found.map(|at| at + from) {
            Some(at) if bytes.len() - at >= CARD || part.is_empty() => {
                let card = bytes.get(at..).unwrap_or_default();
                let card = card.get(..CARD.min(card.len())).unwrap_or_default();
                return Ok(Outline::Page(String::from_utf8_lossy(card).into_owned()));
            }
            Some(at) => from = at,
            None if part.is_empty() || bytes.len() > STYLES => {
                return Ok(Outline::Other(Kind::Html));
            }
            None => from = bytes.len().saturating_sub(gemini_page::CARD.len()),
        }
        let length = part.len();
        bytes.extend_from_slice(part);
        input.consume(length);
    }
}

/// Whether a text begins as JSON does: a link of a note, a task or a quotation does not.
pub(super) fn begins_as_json(start: &[u8]) -> bool {
    let behind = start.get(1..).unwrap_or_default().trim_ascii_start();
    let word = |word: &[u8]| behind.starts_with(word);
    match start.first() {
        Some(b'{') => behind
            .first()
            .is_none_or(|byte| matches!(byte, b'"' | b'}')),
        Some(b'[') => match behind.first() {
            Some(b'[' | b'{') => begins_as_json(behind),
            // A task of a note, `[ ] call Ada`, is no empty list.
            Some(b']') => behind
                .get(1..)
                .unwrap_or_default()
                .iter()
                .all(u8::is_ascii_whitespace),
            None | Some(b'"' | b'-' | b'0'..=b'9') => true,
            _ => word(b"null") || word(b"true") || word(b"false"),
        },
        Some(b'"') => {
            let line = start
                .split(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            serde_json::from_slice::<String>(line).is_ok()
        }
        _ => false,
    }
}

/// Whether a text is meant as JSON: it begins so, or as what is written in its place, with single
/// quotes or with names without quotes.
pub(super) fn is_meant_as_json(text: &str) -> bool {
    let start = text.trim_start();
    if begins_as_json(start.as_bytes()) {
        return true;
    }
    let inner = start.trim_start_matches(|c: char| matches!(c, '[' | '{') || c.is_whitespace());
    let marks = start.strip_suffix(inner).unwrap_or_default();
    let quoted = inner.strip_prefix('\'');
    if !marks.contains('{') {
        return marks.starts_with('[') && quoted.is_some();
    }
    let behind = match quoted {
        Some(name) => name.split_once('\'').map(|(_, behind)| behind),
        None => {
            let behind =
                inner.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
            Some(behind).filter(|behind| behind.len() < inner.len())
        }
    };
    behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
}

/// A line of a chat begins with its date in brackets, and a list of JSON with no such thing.
fn is_bracketed_date(start: &[u8]) -> bool {
    let inner = start.strip_prefix(b"[").unwrap_or_default();
    let date = inner.iter().take_while(|byte| **byte != b']').take(40);
    let (mut digits, mut marks) = (0, 0);
    for byte in date {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'/' | b'.' | b'-' | b':' => marks += 1,
            b'"' | b'{' | b'[' => return false,
            _ => {}
        }
    }
    digits >= 6 && marks >= 3
}

fn looks_like_html(text: &str) -> bool {
    let start: String = text
        .trim_start()
        .chars()
        .take(15)
        .collect::<String>()
        .to_ascii_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<?xml")
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use serde_json::json;

    use super::super::sketch::TEXT_BYTES;
    use super::*;

    fn outline(text: &[u8]) -> Outline {
        Outline::of(&mut BufReader::with_capacity(64, text)).unwrap()
    }

    #[test]
    fn the_form_of_a_record_is_kept_however_long_it_is() {
        let picture = "A".repeat(3 << 20);
        let text = format!(
            "{{\"data\":\"{picture}\",\"uuid\":\"u\",\"list\":[1,2,3,4,5],\"n\":{{\"m\":null}}}}\n{{}}"
        );
        let Outline::Json(values) = outline(text.as_bytes()) else {
            panic!("no JSON")
        };
        assert_eq!(values.len(), 2);
        assert_eq!(values[0]["uuid"], "u");
        assert_eq!(values[0]["data"].as_str().unwrap().len(), TEXT_BYTES);
        assert_eq!(
            (&values[0]["list"], &values[0]["n"]),
            (&json!([1, 2, 3]), &json!({"m": null}))
        );
    }

    #[test]
    fn kinds_of_files_are_told_by_their_bytes() {
        assert_eq!(outline(b" \n"), Outline::Empty);
        assert_eq!(
            outline(b"<!DOCTYPE html><html>"),
            Outline::Other(Kind::Html)
        );
        assert_eq!(
            outline(b"SQLite format 3\0abc"),
            Outline::Other(Kind::Database)
        );
        assert_eq!(
            outline(b"one\0two\xff\xfe\x01"),
            Outline::Other(Kind::Binary)
        );
        assert_eq!(
            outline(b"[13.01.26, 18:05:09] Ines: Hi"),
            Outline::Text("[13.01.26, 18:05:09] Ines: Hi".to_owned())
        );
        assert_eq!(outline(b"[1, 2"), Outline::Json(vec![json!([1, 2])]));
        assert_eq!(
            outline(b"[\"a\", {\"b\": nonsense}]"),
            Outline::Json(vec![json!(["a", {"b": null}])])
        );
    }

    #[test]
    fn what_is_meant_as_json_is_no_note() {
        for text in [
            "{'a': 1}",
            " [{'role': 'user'}]",
            "{a: 1}",
            "{ $id : 2 }",
            "['a', 'b']",
            "{\"a\"",
        ] {
            assert!(is_meant_as_json(text), "{text}");
        }
        for text in [
            "{{title}}",
            "{% include x %}",
            "[link](x): y",
            "{note} text: more",
            "'t is",
            "[ ] task",
            "a: {b: 1}",
        ] {
            assert!(!is_meant_as_json(text), "{text}");
        }
    }

    #[test]
    fn deep_json_is_looked_at_without_end() {
        let deep = "[".repeat(1 << 20);
        assert!(matches!(outline(deep.as_bytes()), Outline::Json(_)));
        let deep = "{\"a\":".repeat(1 << 18);
        assert!(matches!(outline(deep.as_bytes()), Outline::Json(_)));
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_has_an_outline(text in "[\\[\\]{},:\"\\\\a1 \n]{0,60}") {
            let outline = outline(text.as_bytes());
            proptest::prop_assert!(!matches!(outline, Outline::Other(_)));
        }
    }
}
