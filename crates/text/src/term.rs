use std::fmt;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The seed of term hashes. Changing it changes every stored list: it would need a new analyser
/// version.
const SEED: u64 = 0x616E_6E61_6C73_0001;

/// Bits of a term that are significant.
pub(crate) const TERM_BITS: u32 = 47;

const GRAM_FLAG: u64 = 1 << 46;
const HASH_MASK: u64 = GRAM_FLAG - 1;
const CHAR_BITS: u32 = 21;
const CHAR_MASK: u64 = (1 << CHAR_BITS) - 1;

/// An analysed term as 47 bits.
///
/// - A word is the low 46 bits of XXH3-64 (seed `0x616E6E616C730001`) of its normalised bytes.
///   Among a million different words the chance that any two share a term is 0.7 percent, and what
///   would follow is one wrong match.
/// - A character n-gram (bit 46 set) holds its one or two code points exactly: first character in
///   bits 21..42, second in bits 0..21, zero when there is none. So the n-grams of one first
///   character are neighbours, and n-grams never collide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u64);

impl Term {
    /// The mark of a memory that speaks of time. No text can spell it: it is the n-gram of no
    /// character.
    pub const TIME: Self = Self(GRAM_FLAG);

    /// The term of a normalised word, number, path or identifier.
    #[must_use]
    pub fn word(normalised: &[u8]) -> Self {
        Self(xxh3_64_with_seed(normalised, SEED) & HASH_MASK)
    }

    /// The term of one character or of two adjacent ones.
    #[must_use]
    pub fn gram(first: char, second: Option<char>) -> Self {
        Self(
            GRAM_FLAG
                | (u64::from(u32::from(first)) << CHAR_BITS)
                | second.map_or(0, |c| u64::from(u32::from(c))),
        )
    }

    /// The number of the term, below 2^47.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The term of a stored number; bits above the 47th are dropped.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number & ((1 << TERM_BITS) - 1))
    }

    /// The code points of an n-gram, zero for none.
    pub(crate) fn gram_parts(self) -> Option<(u32, u32)> {
        let part = |bits: u64| u32::try_from(bits & CHAR_MASK).ok();
        (self.0 & GRAM_FLAG != 0).then_some(())?;
        Some((part(self.0 >> CHAR_BITS)?, part(self.0)?))
    }

    /// The n-gram of two code points; `None` when one of them has more than 21 bits.
    pub(crate) fn from_gram_parts(first: u32, second: u32) -> Option<Self> {
        let (first, second) = (u64::from(first), u64::from(second));
        let fits = first <= CHAR_MASK && second <= CHAR_MASK;
        fits.then_some(Self(GRAM_FLAG | (first << CHAR_BITS) | second))
    }

    /// The characters of an n-gram; `None` for a word.
    #[must_use]
    pub fn characters(self) -> Option<(char, Option<char>)> {
        if self == Self::TIME {
            return None;
        }
        let (first, second) = self.gram_parts()?;
        Some((
            char::from_u32(first)?,
            char::from_u32(second).filter(|c| *c != '\0'),
        ))
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.characters() {
            Some((a, Some(b))) => write!(f, "Term({a}{b})"),
            Some((a, None)) => write!(f, "Term({a})"),
            None => write!(f, "Term({:012x})", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_frozen() {
        assert_eq!(Term::word(b"berlin").number(), 7_469_781_707_618);
        assert_eq!(Term::word(b"").number(), 16_855_103_220_003);
        assert_eq!(
            Term::gram('北', Some('京')).number(),
            (1 << 46) | (0x5317 << 21) | 0x4EAC
        );
    }

    #[test]
    fn grams_hold_their_characters() {
        for (a, b) in [
            ('北', Some('京')),
            ('猫', None),
            ('\u{10FFFF}', Some('\u{10FFFF}')),
            ('\u{20000}', None),
        ] {
            let term = Term::gram(a, b);
            assert_eq!(term.characters(), Some((a, b)));
            assert_eq!(term.number() >> TERM_BITS, 0);
            assert_eq!(Term::from_number(term.number()), term);
        }
        assert_eq!(Term::word(b"x").characters(), None);
        assert_eq!(Term::TIME.characters(), None);
    }
}
