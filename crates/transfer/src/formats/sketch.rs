//! The form of the first records of a file of JSON, however long these are.

use std::io::BufRead;

use annals_engine::Error;
use serde_json::{Map, Value};

use super::scan::unreadable;

/// Records that are looked at.
const RECORDS: usize = 20;
/// Bytes of a text of a record that are kept.
pub(super) const TEXT_BYTES: usize = 256;
/// Entries of a list that are kept.
const ENTRIES: usize = 3;
/// Fields of an object that are kept.
const FIELDS: usize = 128;
/// Objects and lists in each other that are kept.
const DEPTH: usize = 12;
/// Bytes outside of texts that are looked at: behind so many no new field of a record is expected.
const MOST_BYTES: u64 = 64 << 20;

/// Reads JSON, and keeps as much of it as tells its form.
pub(super) struct Sketcher<'a> {
    input: &'a mut dyn BufRead,
    /// Bytes outside of texts that were read.
    read: u64,
}

/// Why a sketch ends before its value does.
struct Cut;

impl<'a> Sketcher<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, read: 0 }
    }

    /// The first values, as far as they are JSON.
    pub(super) fn values(mut self) -> Result<Vec<Value>, Error> {
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
            let Ok(name) = self.text()? else {
                return Ok(Err(Cut));
            };
            self.blank()?;
            if self.take()? != Some(b':') {
                return Ok(Err(Cut));
            }
            self.blank()?;
            let mut value = Value::Null;
            let ended = if depth < DEPTH {
                self.value(&mut value, depth + 1)?
            } else {
                self.skip()?
            };
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
            let ended = if keeps && depth < DEPTH {
                self.value(&mut value, depth + 1)?
            } else {
                self.skip()?
            };
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
            if byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']' | b'{' | b'[' | b'"')
            {
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
