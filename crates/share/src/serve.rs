//! The two sides of a call: who answers it, and the reader, writer and callback that it lends.

use std::io::{self, BufRead, Read, Write};

use annals_engine::Error;
use serde_json::value::RawValue;

use crate::Call;

/// Answers calls.
pub trait Serve: Send + Sync + 'static {
    /// Carries a call out; the answer is JSON. None when the file is closed.
    fn serve(&self, call: &Call, caller: &dyn Caller) -> Option<Result<Vec<u8>, Error>>;

    /// Whether the file that it serves is still at its path.
    ///
    /// # Errors
    /// When the system does not tell.
    fn is_in_place(&self) -> Result<bool, Error>;

    /// Facts that clients are told once.
    fn facts(&self) -> serde_json::Value;
}

/// The caller of a call, as whoever answers it sees it.
pub trait Caller {
    /// Tells the caller of progress.
    ///
    /// # Errors
    /// When the caller has ended.
    fn progress(&self, progress: &RawValue) -> io::Result<()>;

    /// At most `most` bytes of the caller's input; none at its end.
    ///
    /// # Errors
    /// When the caller has ended, or cannot read.
    fn input(&self, most: usize) -> io::Result<Vec<u8>>;

    /// Gives bytes of output to the caller.
    ///
    /// # Errors
    /// When the caller has ended, or cannot write.
    fn output(&self, bytes: &[u8]) -> io::Result<()>;
}

/// How much of an input is asked for at once, in bytes.
const PULLED: usize = 1 << 18;

/// The input of a caller as a reader.
pub struct CallerInput<'a> {
    caller: &'a dyn Caller,
    buffer: Vec<u8>,
    at: usize,
}

impl<'a> CallerInput<'a> {
    /// Reads from a caller.
    pub fn new(caller: &'a dyn Caller) -> Self {
        Self {
            caller,
            buffer: Vec::new(),
            at: 0,
        }
    }
}

impl Read for CallerInput<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for CallerInput<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.buffer.len() {
            self.buffer = self.caller.input(PULLED)?;
            self.at = 0;
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

/// The output of a caller as a writer.
pub struct CallerOutput<'a>(pub &'a dyn Caller);

impl Write for CallerOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.output(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A function that is told of the progress of a call.
pub type OnProgress<'a> = &'a mut dyn FnMut(&RawValue) -> io::Result<()>;

/// The reader, writer and function that a caller lends to a call.
#[derive(Default)]
pub struct Lent<'a> {
    /// Where the call reads.
    pub input: Option<&'a mut dyn BufRead>,
    /// Where the call writes.
    pub output: Option<&'a mut dyn Write>,
    /// The function that is told of progress.
    pub progress: Option<OnProgress<'a>>,
    /// Whether a call has read or written.
    pub(crate) used: bool,
}

impl Lent<'_> {
    pub(crate) fn read(&mut self, most: usize) -> io::Result<Vec<u8>> {
        self.used = true;
        let Some(input) = &mut self.input else {
            return Ok(Vec::new());
        };
        let bytes = input.fill_buf()?;
        let bytes = bytes.get(..most).unwrap_or(bytes).to_vec();
        input.consume(bytes.len());
        Ok(bytes)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.used = true;
        self.output
            .as_mut()
            .map_or(Ok(()), |output| output.write_all(bytes))
    }

    pub(crate) fn told(&mut self, progress: &RawValue) -> io::Result<()> {
        self.progress.as_mut().map_or(Ok(()), |told| told(progress))
    }
}
