//! Output is held back until the database is closed: a reader of the output may be slow, and other
//! processes wait for the file.

use std::cell::RefCell;
use std::io::{self, Read, Seek, Write};

use tempfile::SpooledTempFile;

/// From how many bytes on it is kept in a file.
const IN_MEMORY: usize = 4 << 20;

/// The bytes of standard output and standard error, in the order in which they were written.
pub(crate) struct Held {
    bytes: SpooledTempFile,
    /// Where each part goes, and how long it is.
    parts: Vec<(Stream, u64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Errors,
}

impl Held {
    pub(crate) fn new() -> RefCell<Self> {
        RefCell::new(Self {
            bytes: SpooledTempFile::new(IN_MEMORY),
            parts: Vec::new(),
        })
    }

    /// Writes everything to the real streams.
    pub(crate) fn tell(mut self, output: &mut dyn Write, errors: &mut dyn Write) -> io::Result<()> {
        self.bytes.rewind()?;
        for (stream, length) in self.parts {
            let part = &mut (&mut self.bytes).take(length);
            io::copy(
                part,
                if stream == Stream::Output {
                    &mut *output
                } else {
                    &mut *errors
                },
            )?;
        }
        output.flush()
    }
}

/// One of the two streams.
pub(crate) struct Line<'h> {
    pub(crate) held: &'h RefCell<Held>,
    pub(crate) stream: Stream,
}

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let held = &mut *self.held.borrow_mut();
        let written = held.bytes.write(bytes)?;
        match held.parts.last_mut() {
            Some((stream, length)) if *stream == self.stream => *length += written as u64,
            _ => held.parts.push((self.stream, written as u64)),
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_told_in_order_and_whole() {
        let held = Held::new();
        let (mut out, mut err) = (
            Line {
                held: &held,
                stream: Stream::Output,
            },
            Line {
                held: &held,
                stream: Stream::Errors,
            },
        );
        let long = "x".repeat(IN_MEMORY);
        for line in ["one ", "two ", &long] {
            out.write_all(line.as_bytes()).unwrap();
        }
        err.write_all(b"note").unwrap();
        out.write_all(b" three").unwrap();
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        held.into_inner().tell(&mut output, &mut errors).unwrap();
        assert_eq!(
            String::from_utf8(output).unwrap(),
            format!("one two {long} three")
        );
        assert_eq!(errors, b"note");
    }
}
