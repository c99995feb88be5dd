/// The hash by which pieces are looked up, fed one byte at a time.
///
/// Feeding a word byte by byte gives the hash of each of its prefixes on the way, which is what a longest-match
/// tokenizer needs. FNV-1a (Fowler, Noll, Vo) with a final mix; a piece inside a word starts from another state
/// than one at its beginning, so that both can have the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceHash(u32);

impl PieceHash {
    /// The state before a piece that begins a word.
    pub const WORD: Self = Self(0x811c_9dc5);
    /// The state before a piece that goes on with a word (written `##piece` in the model's vocabulary).
    pub const INSIDE: Self = Self(0x050c_5d1f);

    /// The hash after one more byte of UTF-8.
    #[inline]
    #[must_use]
    pub const fn byte(self, byte: u8) -> Self {
        // A byte always fits; `From` is not const.
        Self((self.0 ^ byte as u32).wrapping_mul(0x0100_0193))
    }

    /// Spreads the state over all bits: the upper half chooses the slot, the lower half is the tag kept in it.
    #[inline]
    pub(crate) const fn mixed(self) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 15)).wrapping_mul(0x2c1b_3c6d);
        mixed ^ (mixed >> 13)
    }
}
