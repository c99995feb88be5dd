//! What is unpacked, within bounds.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;

/// Bytes read at a time.
pub(super) const BUFFER: usize = 64 << 10;
/// Compressed data may become so many bytes whatever it is made of ...
const FREE_BYTES: u64 = 256 << 20;
/// ... and more where it is no more than so many times longer than before.
const MOST_TIMES: u64 = 150;

pub(super) fn unpacked(decoder: impl Read + 'static, packed: Rc<Cell<u64>>) -> Box<dyn BufRead> {
    Box::new(BufReader::with_capacity(
        BUFFER,
        Bounded::new(decoder, packed),
    ))
}

/// Counts the bytes that are read.
pub(super) struct Counted<R> {
    inner: R,
    pub(super) read: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            read: Rc::default(),
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(into)?;
        self.read.set(
            self.read
                .get()
                .saturating_add(u64::try_from(read).unwrap_or(0)),
        );
        Ok(read)
    }
}

/// Ends where a few bytes become more than any words do.
pub(super) struct Bounded<R> {
    inner: R,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R> Bounded<R> {
    pub(super) const fn new(inner: R, packed: Rc<Cell<u64>>) -> Self {
        Self {
            inner,
            packed,
            unpacked: 0,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(into)?;
        self.unpacked = self
            .unpacked
            .saturating_add(u64::try_from(read).unwrap_or(0));
        let most = self.packed.get().saturating_mul(MOST_TIMES).max(FREE_BYTES);
        if self.unpacked > most {
            let reason = format!(
                "it is more than {MOST_TIMES} times as long unpacked: no conversation is; \
                 unpack it by hand if it is one"
            );
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, reason));
        }
        Ok(read)
    }
}
