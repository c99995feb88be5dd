/// A character of the alphabet in which the pieces are written, or what else a character becomes.
///
/// The normal form of a text is NFKD without combining marks, in lower case and without white
/// space, with [`WORD_START`](Self::WORD_START) before each run of ASCII letters and digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub(crate) u16);

impl Symbol {
    /// A character that no piece holds.
    pub const UNKNOWN: Self = Self(0);
    /// The mark that begins a word of ASCII letters and digits. No character becomes it.
    pub const WORD_START: Self = Self(37);
    /// White space, which ends a word and leaves nothing behind.
    pub const SPACE: Self = Self(0x7fff);
    /// A combining mark, which leaves nothing behind.
    pub const DROPPED: Self = Self(0x7ffe);

    /// Whether it is an ASCII letter or digit, which makes words.
    #[inline]
    #[must_use]
    pub const fn is_alphanumeric(self) -> bool {
        matches!(self.0, 1..=36)
    }
}
