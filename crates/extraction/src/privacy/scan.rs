use std::ops::Range;

use annals_types::half_width;

use super::{Finding, Sensitive};

/// A text as one byte a character: ASCII as it is, full-width forms as the ASCII that they stand for, everything else 0x80.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: Vec<u8>,
    /// The same in lower case.
    pub(super) lower: Vec<u8>,
    /// Where each character begins in the text, and at the end its length.
    offsets: Vec<usize>,
}

/// A character that is no ASCII.
pub(super) const OTHER: u8 = 0x80;

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes: Vec<u8> = text.chars().map(narrow).collect();
        let lower = bytes.to_ascii_lowercase();
        let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        Self { text, bytes, lower, offsets }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The character before a place; 0 at the beginning.
    pub(super) fn before(&self, at: usize) -> u8 {
        at.checked_sub(1).map_or(0, |at| self.byte(at))
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// The end of the run of characters from a place on.
    pub(super) fn run(&self, from: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| wanted(**byte)).count()
    }

    /// The same, at most so many characters long.
    pub(super) fn run_within(&self, from: usize, most: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take(most).take_while(|byte| wanted(**byte)).count()
    }

    /// The places at which some letters stand, whatever their case.
    pub(super) fn places<'b>(&'b self, letters: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
        let last = self.lower.len().saturating_sub(letters.len());
        let fits = move |at: &usize| self.lower.get(*at..at + letters.len()).is_some_and(|here| here == letters);
        (0..=last).filter(fits)
    }

    /// The text from one character to another.
    pub(super) fn words(&self, range: Range<usize>) -> &'a str {
        let at = |n: usize| self.offsets.get(n).copied().unwrap_or(self.text.len());
        self.text.get(at(range.start)..at(range.end)).unwrap_or_default()
    }

    /// The text of at most so many characters before a place.
    pub(super) fn ahead(&self, at: usize, chars: usize) -> &'a str {
        self.words(at.saturating_sub(chars)..at)
    }

    pub(super) fn finding(&self, kind: Sensitive, range: Range<usize>) -> Finding {
        let at = |n: usize| self.offsets.get(n).copied().unwrap_or(self.text.len());
        Finding { kind, range: at(range.start)..at(range.end) }
    }

    /// The place of a byte of the text.
    pub(super) fn place_of(&self, byte: usize) -> usize {
        self.offsets.partition_point(|at| *at < byte)
    }
}

fn narrow(c: char) -> u8 {
    if c == '\u{A0}' { b' ' } else { u8::try_from(half_width(c)).ok().filter(u8::is_ascii).unwrap_or(OTHER) }
}

/// Whether a character may be part of a word or a key.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
