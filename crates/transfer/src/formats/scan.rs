//! The bytes of a file of JSON, with their places, and where values end.

use std::io::BufRead;

use annals_engine::Error;

/// The longest record, in bytes.
const MAX_ITEM_BYTES: usize = 64 << 20;

/// Where something stands in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl Place {
    /// Goes on behind some bytes.
    fn pass(&mut self, bytes: &[u8]) {
        let last = match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                self.line += to_u64(memchr::memchr_iter(b'\n', bytes).count());
                self.column = 1;
                last + 1
            }
            None => 0,
        };
        self.column += to_u64(bytes.len() - last);
    }
}

fn to_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Bytes with their place.
pub(super) struct Bytes<'a> {
    input: &'a mut dyn BufRead,
    pub(super) place: Place,
    /// What was read already and comes again, last byte first.
    back: Vec<u8>,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            place: Place { line: 1, column: 1 },
            back: Vec::new(),
        }
    }

    pub(super) fn peek(&mut self) -> Result<Option<u8>, Error> {
        if let Some(byte) = self.back.last() {
            return Ok(Some(*byte));
        }
        let rest = self.input.fill_buf().map_err(unreadable)?;
        Ok(rest.first().copied())
    }

    pub(super) fn take(&mut self) -> Result<Option<u8>, Error> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            if self.back.pop().is_none() {
                self.input.consume(1);
            }
            self.place.pass(&[byte]);
        }
        Ok(byte)
    }

    pub(super) fn push_back(&mut self, bytes: Vec<u8>) {
        let lines = to_u64(memchr::memchr_iter(b'\n', &bytes).count());
        self.place.line = self.place.line.saturating_sub(lines);
        self.back.extend(bytes.into_iter().rev());
    }

    /// Blanks, a mark of byte order, and marks between records.
    pub(super) fn skip_blank(&mut self) -> Result<(), Error> {
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF | 0x1E)) {
                break;
            }
            self.take()?;
        }
        Ok(())
    }

    /// Takes a value; answers whether it is whole. A line break within a text of an outermost value
    /// ends it: there every record has a line.
    pub(super) fn capture(&mut self, bytes: &mut Vec<u8>, outermost: bool) -> Result<bool, Error> {
        let mut scan = Scan::new(outermost);
        loop {
            if bytes.len() > MAX_ITEM_BYTES {
                let Place { line, .. } = self.place;
                let reason = format!("a record has more than {} MiB", MAX_ITEM_BYTES >> 20);
                return Err(Error::bad_line(line, reason));
            }
            if let Some(byte) = self.back.last().copied() {
                match scan.step(byte) {
                    Step::On => {
                        self.take()?;
                        bytes.push(byte);
                    }
                    Step::Last => {
                        self.take()?;
                        bytes.push(byte);
                        return Ok(true);
                    }
                    Step::Before => return Ok(!bytes.is_empty()),
                    Step::Broken => return Ok(false),
                }
                continue;
            }
            let rest = self.input.fill_buf().map_err(unreadable)?;
            if rest.is_empty() {
                return Ok(scan.is_bare() && !bytes.is_empty());
            }
            let (count, ended) = scan.chunk(rest);
            let taken = rest.get(..count).unwrap_or_default();
            self.place.pass(taken);
            bytes.extend_from_slice(taken);
            self.input.consume(count);
            match ended {
                Some(Step::Broken) => return Ok(false),
                Some(_) => return Ok(!bytes.is_empty()),
                None => {}
            }
        }
    }
}

/// What a byte of a value means for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    /// It is the last byte.
    Last,
    /// The value ended before it.
    Before,
    /// It cannot go on.
    Broken,
}

/// A value as far as it was read.
struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
    begun: bool,
    /// A number or a word.
    bare: bool,
    by_line: bool,
}

impl Scan {
    const fn new(by_line: bool) -> Self {
        Self {
            depth: 0,
            in_text: false,
            escaped: false,
            begun: false,
            bare: false,
            by_line,
        }
    }

    const fn is_bare(&self) -> bool {
        self.bare
    }

    fn step(&mut self, byte: u8) -> Step {
        if self.in_text {
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_text = false;
                return if self.depth == 0 {
                    Step::Last
                } else {
                    Step::On
                };
            } else if byte == b'\n' && self.by_line {
                return Step::Broken;
            }
            return Step::On;
        }
        let begun = std::mem::replace(&mut self.begun, true);
        match byte {
            b'"' if self.bare => Step::Before,
            b'"' => {
                self.in_text = true;
                Step::On
            }
            b'{' | b'[' if self.bare => Step::Before,
            b'{' | b'[' => {
                self.depth += 1;
                Step::On
            }
            b'}' | b']' if self.depth == 0 => {
                if begun {
                    Step::Before
                } else {
                    // A closing mark without its opening one is taken away, so that reading goes
                    // on.
                    Step::Last
                }
            }
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    Step::Last
                } else {
                    Step::On
                }
            }
            b',' if self.depth == 0 => Step::Before,
            _ if self.depth == 0 && byte.is_ascii_whitespace() => Step::Before,
            _ => {
                self.bare |= self.depth == 0;
                Step::On
            }
        }
    }

    /// Takes as many bytes as belong to the value; answers how it ended.
    fn chunk(&mut self, bytes: &[u8]) -> (usize, Option<Step>) {
        let mut at = 0;
        while let Some(byte) = bytes.get(at).copied() {
            // Texts are most of a file: nothing in them counts but their end.
            if self.in_text && !self.escaped {
                let rest = bytes.get(at..).unwrap_or_default();
                let plain = memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
                at += plain;
                if plain > 0 {
                    continue;
                }
            }
            match self.step(byte) {
                Step::On => at += 1,
                Step::Last => return (at + 1, Some(Step::Last)),
                ended @ (Step::Before | Step::Broken) => return (at, Some(ended)),
            }
        }
        (at, None)
    }
}

pub(super) fn unreadable(error: std::io::Error) -> Error {
    Error::io("reading the file to import".to_owned(), error)
}
