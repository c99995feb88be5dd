//! The outline of a file: what it is made of, by its beginning and its first records however long
//! these are. Formats are told by it.

use std::io::BufRead;

use annals_engine::Error;
use serde_json::{Map, Value};

use super::file::ImportFile;
use super::items::unreadable;
use super::text::decode_head;

/// Bytes of the beginning of a text that are looked at.
pub(super) const HEAD_BYTES: usize = 64 << 10;
/// Records that are looked at.
const RECORDS: usize = 20;
/// Bytes of a text of a record that are kept.
const TEXT_BYTES: usize = 256;
/// Entries of a list that are kept.
const ENTRIES: usize = 3;
/// Fields of an object that are kept.
const FIELDS: usize = 128;
/// Objects and lists in each other that are kept.
const DEPTH: usize = 12;
/// Bytes outside of texts that are looked at: behind so many no new field of a record is expected.
const MOST_BYTES: u64 = 64 << 20;

/// What a file is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outline {
    /// Nothing but blanks.
    Empty,
    /// JSON: its first values, with long texts and lists cut.
    Json(Vec<Value>),
    /// Words: the beginning of them.
    Text(String),
    /// An SQLite database, by the names of its tables.
    Tables(Vec<String>),
    /// Bytes of another kind, by its name.
    Other(&'static str),
}

/// Beginnings of files that are no text, and what they are called.
const KINDS: [(&[u8], &str); 14] = [
    (b"SQLite format 3\0", DATABASE),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"RIFF", "a picture or a recording"),
    (b"OggS", "a recording"),
    (b"ID3", "a recording"),
    (b"\0\0\0", "a video or a recording"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"PK\x03\x04", "an archive within an archive"),
];

/// The name of a database among those kinds.
const DATABASE: &str = "an SQLite database";

impl Outline {
    /// Of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of_file(file: &ImportFile) -> Result<Self, Error> {
        match Self::of(&mut *file.open()?)? {
            Self::Other(DATABASE) => match file.database().and_then(|mut database| database.tables()) {
                Ok(tables) => Ok(Self::Tables(tables)),
                Err(error) if error.is_invalid() => Ok(Self::Other(DATABASE)),
                Err(error) => Err(error),
            },
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
            return Ok(Self::Other(kind));
        }
        let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
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
            Some(text) if looks_like_html(&text) => Self::Other("an HTML page"),
            Some(text) => Self::Text(text),
            None => Self::Other("no text"),
        })
    }
}

/// Whether a text begins as JSON does: a link of a note, a task or a quotation does not.
pub(super) fn begins_as_json(start: &[u8]) -> bool {
    let behind = start.get(1..).unwrap_or_default().trim_ascii_start();
    let word = |word: &[u8]| behind.starts_with(word);
    match start.first() {
        Some(b'{') => behind.first().is_none_or(|byte| matches!(byte, b'"' | b'}')),
        Some(b'[') => match behind.first() {
            Some(b'[' | b'{') => begins_as_json(behind),
            None | Some(b'"' | b']' | b'-' | b'0'..=b'9') => true,
            _ => word(b"null") || word(b"true") || word(b"false"),
        },
        Some(b'"') => {
            let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
            serde_json::from_slice::<String>(line).is_ok()
        }
        _ => false,
    }
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
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<?xml")
}

/// Reads JSON, and keeps as much of it as tells its form.
struct Sketcher<'a> {
    input: &'a mut dyn BufRead,
    /// Bytes outside of texts that were read.
    read: u64,
}

/// Why a sketch ends before its value does.
struct Cut;

impl<'a> Sketcher<'a> {
    fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, read: 0 }
    }

    /// The first values, as far as they are JSON.
    fn values(mut self) -> Result<Vec<Value>, Error> {
        let mut found = Vec::new();
        while found.len() < RECORDS {
            self.blank()?;
            if self.peek()?.is_none() {
                break;
            }
            let mut value = Value::Null;
            let ended = self.value(&mut value, 0)?;
            found.push(value);
            if ended.is_err() {
                break;
            }
        }
        Ok(found)
    }

    fn peek(&mut self) -> Result<Option<u8>, Error> {
        Ok(self.input.fill_buf().map_err(unreadable)?.first().copied())
    }

    fn take(&mut self) -> Result<Option<u8>, Error> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.input.consume(1);
            self.read += 1;
        }
        Ok(byte)
    }

    fn blank(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0x1E | b',')) {
                break;
            }
            self.take()?;
        }
        Ok(())
    }

    /// Reads a value into its place, so that one that is cut is kept as far as it goes.
    fn value(&mut self, into: &mut Value, depth: usize) -> Result<Result<(), Cut>, Error> {
        match self.peek()? {
            Some(b'{') => self.object(into, depth),
            Some(b'[') => self.list(into, depth),
            Some(b'"') => {
                let text = self.text()?;
                let is_whole = text.is_ok();
                *into = Value::String(text.unwrap_or_default());
                Ok(if is_whole { Ok(()) } else { Err(Cut) })
            }
            Some(_) => self.bare(into),
            None => Ok(Err(Cut)),
        }
    }

    fn object(&mut self, into: &mut Value, depth: usize) -> Result<Result<(), Cut>, Error> {
        self.take()?;
        *into = Value::Object(Map::new());
        loop {
            self.blank()?;
            match self.peek()? {
                Some(b'}') => {
                    self.take()?;
                    return Ok(Ok(()));
                }
                Some(b'"') if self.read < MOST_BYTES => {}
                _ => return Ok(Err(Cut)),
            }
            let Ok(name) = self.text()? else { return Ok(Err(Cut)) };
            self.blank()?;
            if self.take()? != Some(b':') {
                return Ok(Err(Cut));
            }
            self.blank()?;
            let mut value = Value::Null;
            let ended = if depth < DEPTH { self.value(&mut value, depth + 1)? } else { self.skip()? };
            if let Value::Object(fields) = into
                && fields.len() < FIELDS
            {
                fields.insert(name, value);
            }
            if ended.is_err() {
                return Ok(Err(Cut));
            }
        }
    }

    fn list(&mut self, into: &mut Value, depth: usize) -> Result<Result<(), Cut>, Error> {
        self.take()?;
        let mut entries = Vec::new();
        let ended = loop {
            self.blank()?;
            match self.peek()? {
                Some(b']') => {
                    self.take()?;
                    break Ok(());
                }
                None => break Err(Cut),
                _ if self.read >= MOST_BYTES => break Err(Cut),
                // Nothing of interest stands behind a list of records.
                _ if depth == 0 && entries.len() == RECORDS => break Err(Cut),
                _ => {}
            }
            let keeps = entries.len() < if depth == 0 { RECORDS } else { ENTRIES };
            let mut value = Value::Null;
            let ended = if keeps && depth < DEPTH { self.value(&mut value, depth + 1)? } else { self.skip()? };
            if keeps {
                entries.push(value);
            }
            if ended.is_err() {
                break Err(Cut);
            }
        };
        *into = Value::Array(entries);
        Ok(ended)
    }

    /// Passes a value over, however deep it is.
    fn skip(&mut self) -> Result<Result<(), Cut>, Error> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                None => return Ok(Err(Cut)),
                Some(b'"') => {
                    if self.text()?.is_err() {
                        return Ok(Err(Cut));
                    }
                }
                Some(b'{' | b'[') => {
                    self.take()?;
                    depth += 1;
                }
                Some(b'}' | b']') => {
                    if depth == 0 {
                        return Ok(Err(Cut));
                    }
                    self.take()?;
                    depth -= 1;
                }
                Some(b',') if depth == 0 => return Ok(Ok(())),
                Some(_) => {
                    self.take()?;
                    if depth == 0 {
                        self.bare(&mut Value::Null)?.ok();
                    }
                }
            }
            if depth == 0 || self.read >= MOST_BYTES {
                return Ok(if depth == 0 { Ok(()) } else { Err(Cut) });
            }
        }
    }

    /// The beginning of a text, which is read to its end.
    fn text(&mut self) -> Result<Result<String, Cut>, Error> {
        self.take()?;
        let (mut kept, mut escaped) = (Vec::new(), false);
        loop {
            let part = self.input.fill_buf().map_err(unreadable)?;
            if part.is_empty() {
                return Ok(Err(Cut));
            }
            let (mut used, mut over) = (part.len(), false);
            for (at, byte) in part.iter().enumerate() {
                if *byte == b'"' && !escaped {
                    (used, over) = (at + 1, true);
                    break;
                }
                if kept.len() < TEXT_BYTES {
                    kept.push(*byte);
                }
                escaped = *byte == b'\\' && !escaped;
            }
            self.input.consume(used);
            if over {
                return Ok(Ok(kept_text(&kept)));
            }
        }
    }

    fn bare(&mut self, into: &mut Value) -> Result<Result<(), Cut>, Error> {
        let mut kept = Vec::new();
        while let Some(byte) = self.peek()? {
            if byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']' | b'{' | b'[' | b'"') {
                break;
            }
            self.take()?;
            if kept.len() < TEXT_BYTES {
                kept.push(byte);
            }
        }
        match serde_json::from_slice(&kept) {
            Ok(value) => *into = value,
            // Words that are no JSON end the sketch, but for the numbers that some programs write.
            Err(_) if matches!(kept.as_slice(), b"NaN" | b"Infinity" | b"-Infinity") => {}
            Err(_) => return Ok(Err(Cut)),
        }
        Ok(Ok(()))
    }
}

/// The text of what was kept, whose end may have been cut within an escape or a character.
fn kept_text(kept: &[u8]) -> String {
    /// Bytes of two escapes that are one character.
    const LONGEST: usize = 12;
    for cut in 0..LONGEST.min(kept.len() + 1) {
        let mut quoted = vec![b'"'];
        quoted.extend_from_slice(kept.get(..kept.len() - cut).unwrap_or_default());
        quoted.push(b'"');
        if let Ok(Value::String(text)) = super::repair::parse(&quoted) {
            return text;
        }
    }
    String::from_utf8_lossy(kept).into_owned()
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use serde_json::json;

    use super::*;

    fn outline(text: &[u8]) -> Outline {
        Outline::of(&mut BufReader::with_capacity(64, text)).unwrap()
    }

    #[test]
    fn the_form_of_a_record_is_kept_however_long_it_is() {
        let picture = "A".repeat(3 << 20);
        let text = format!("{{\"data\":\"{picture}\",\"uuid\":\"u\",\"list\":[1,2,3,4,5],\"n\":{{\"m\":null}}}}\n{{}}");
        let Outline::Json(values) = outline(text.as_bytes()) else { panic!("no JSON") };
        assert_eq!(values.len(), 2);
        assert_eq!(values[0]["uuid"], "u");
        assert_eq!(values[0]["data"].as_str().unwrap().len(), TEXT_BYTES);
        assert_eq!((&values[0]["list"], &values[0]["n"]), (&json!([1, 2, 3]), &json!({"m": null})));
    }

    #[test]
    fn kinds_of_files_are_told_by_their_bytes() {
        assert_eq!(outline(b" \n"), Outline::Empty);
        assert_eq!(outline(b"<!DOCTYPE html><html>"), Outline::Other("an HTML page"));
        assert_eq!(outline(b"SQLite format 3\0abc"), Outline::Other("an SQLite database"));
        assert_eq!(outline(b"one\0two\xff\xfe\x01"), Outline::Other("no text"));
        assert_eq!(outline(b"[13.01.26, 18:05:09] Ines: Hi"), Outline::Text("[13.01.26, 18:05:09] Ines: Hi".to_owned()));
        assert_eq!(outline(b"[1, 2"), Outline::Json(vec![json!([1, 2])]));
        assert_eq!(outline(b"[\"a\", {\"b\": nonsense}]"), Outline::Json(vec![json!(["a", {"b": null}])]));
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
