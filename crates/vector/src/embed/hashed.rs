//! Hashed features: words that no piece spells still get a direction of their own in the same
//! space.
//!
//! Feature hashing after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
//! (2009), in the block form of Kane and Nelson, "Sparser Johnson-Lindenstrauss Transforms" (2014):
//! the 256 numbers are 8 blocks of 32, a feature adds its weight with one sign to one number of
//! each block. So each feature has exactly the length of its weight, two features are nearly
//! orthogonal, and adding one costs eight additions.

use annals_static_table::{DIMS, Symbol, TABLE, UNKNOWN_PIECE};
use unicode_normalization::char::decompose_compatible;

const BLOCKS: usize = 8;
const BLOCK: usize = DIMS / BLOCKS;

/// Changing it changes every hashed direction, and so the vector space.
const SEED: u64 = 0x616e_6e61_6c73_0001;

/// The weights of features; the row of an ordinary rare word has a length of about 1.
mod weight {
    /// A whole word.
    pub(super) const WORD: f32 = 0.5;
    /// All triples of a word of up to [`FEW_TRIPLES`] characters together; each of a longer one
    /// weighs the same as there.
    pub(super) const TRIPLES: f32 = 1.0;
    pub(super) const FEW_TRIPLES: u8 = 8;
    /// The row of the unknown piece, which every hashed word has beside its features: texts of
    /// hashed words are as similar to each other as texts of pieces are, so that one range of
    /// cosines serves both.
    pub(super) const UNKNOWN: f32 = 0.5;
}

/// The sum of the features of a text's unknown words.
#[derive(Debug)]
pub(super) struct Hashed {
    sums: [f32; DIMS],
    /// Words added so far.
    words: f32,
    /// The word being read, in lower case and without marks.
    word: Vec<char>,
}

impl Default for Hashed {
    fn default() -> Self {
        Self {
            sums: [0.0; DIMS],
            words: 0.0,
            word: Vec::new(),
        }
    }
}

/// A feature to hash; equal contents in different kinds are different features.
#[derive(Debug, Clone, Copy)]
enum Feature<'a> {
    Word(&'a [char]),
    /// Three characters in a row of a word; `None` beyond its ends.
    Triple([Option<char>; 3]),
}

impl Hashed {
    /// Takes the next unknown character of a text, or `None` where known ones lie between it and
    /// the last.
    pub(super) fn push(&mut self, character: Option<char>) {
        let Some(character) = character else {
            self.finish_word();
            return;
        };
        if !character.is_alphanumeric() {
            self.finish_word();
        }
        if is_invisible(character) {
            return;
        }
        decompose_compatible(character, |part| {
            if !TABLE.symbols(part).eq([Symbol::DROPPED]) {
                self.word.extend(part.to_lowercase());
            }
        });
        // A sign such as an emoji is a word of its own.
        if !character.is_alphanumeric() {
            self.finish_word();
        }
    }

    /// Adds the features of a text to some numbers, and forgets them; answers how many words they
    /// are of.
    pub(super) fn add_to(&mut self, numbers: &mut [f32; DIMS]) -> f32 {
        self.finish_word();
        if self.words == 0.0 {
            return 0.0;
        }
        let (row, scale) = TABLE.row(UNKNOWN_PIECE).unwrap_or((&[0; DIMS], 0.0));
        let unknown = weight::UNKNOWN * self.words * scale;
        for ((number, hashed), code) in numbers.iter_mut().zip(&self.sums).zip(row) {
            *number += hashed + unknown * f32::from(code.cast_signed());
        }
        self.sums = [0.0; DIMS];
        std::mem::take(&mut self.words)
    }

    fn finish_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        self.words += 1.0;
        self.add(Feature::Word(&word), weight::WORD);
        let few = u8::try_from(word.len())
            .unwrap_or(u8::MAX)
            .min(weight::FEW_TRIPLES);
        let each = weight::TRIPLES / f32::from(few).sqrt();
        let mut triple = [None, None, None];
        for character in word.iter().copied().map(Some).chain([None]) {
            let [_, second, third] = triple;
            triple = [second, third, character];
            // The first one with a middle is the beginning of the word.
            if third.is_some() {
                self.add(Feature::Triple(triple), each);
            }
        }
        self.word = word;
        self.word.clear();
    }

    /// Adds a feature; its contribution has the length `weight`.
    fn add(&mut self, feature: Feature<'_>, weight: f32) {
        let mut bits = feature.hash();
        let each = weight * INVERSE_ROOT;
        for block in self.sums.as_chunks_mut::<BLOCK>().0 {
            // Five bits choose the number, the sixth its sign.
            let [low, ..] = bits.to_le_bytes();
            if let Some(sum) = block.get_mut(usize::from(low & 31)) {
                *sum += if low & 32 == 0 { each } else { -each };
            }
            bits >>= 6;
        }
    }
}

/// Controls, and the characters that join, direct or hide others.
fn is_invisible(character: char) -> bool {
    let joins = matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    character.is_control() || joins || matches!(character, '\u{202a}'..='\u{202e}')
}

/// 1 over the square root of the number of blocks.
const INVERSE_ROOT: f32 = 0.353_553_4;

impl Feature<'_> {
    fn hash(self) -> u64 {
        match self {
            Self::Word(word) => word
                .iter()
                .fold(SEED ^ (2 << 32), |hash, c| mix(hash ^ u64::from(*c))),
            Self::Triple(characters) => characters.into_iter().fold(SEED ^ (3 << 32), |hash, c| {
                mix(hash ^ c.map_or(u64::MAX, u64::from))
            }),
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Feature, Hashed};

    fn direction(feature: Feature<'_>) -> [f32; 256] {
        let mut hashed = Hashed::default();
        hashed.add(feature, 2.0);
        hashed.sums
    }

    fn dot(a: &[f32; 256], b: &[f32; 256]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn a_feature_has_the_length_of_its_weight() {
        for feature in [Feature::Word(&['т', 'у', 'т']), Feature::Triple([None; 3])] {
            let sums = direction(feature);
            assert!((dot(&sums, &sums) - 4.0).abs() < 1e-5, "{feature:?}");
            assert_eq!(sums.iter().filter(|x| **x != 0.0).count(), 8, "{feature:?}");
        }
    }

    #[test]
    fn different_features_are_nearly_orthogonal() {
        let directions: Vec<_> = ('а'..'ю').map(|c| direction(Feature::Word(&[c]))).collect();
        let mut sum = 0.0;
        let mut count = 0.0_f32;
        for (at, a) in directions.iter().enumerate() {
            for b in &directions[at + 1..] {
                sum += (dot(a, b) / 4.0).powi(2);
                count += 1.0;
            }
        }
        // Random directions of 256 numbers have a mean square cosine of 1/256.
        assert!(
            count > 100.0 && sum / count < 2.0 / 256.0,
            "{} over {count}",
            sum / count
        );
    }

    #[test]
    fn kinds_and_orders_differ() {
        let word = direction(Feature::Word(&['к', 'т', 'о']));
        assert_ne!(word, direction(Feature::Word(&['о', 'т', 'к'])));
        assert_ne!(
            word,
            direction(Feature::Triple([Some('к'), Some('т'), Some('о')]))
        );
    }

    #[test]
    fn signs_are_words_of_their_own_and_marks_count_nothing() {
        let sums = |text: &str| {
            let mut hashed = Hashed::default();
            text.chars().for_each(|c| hashed.push(Some(c)));
            let mut sums = [0.0; 256];
            hashed.add_to(&mut sums);
            sums
        };
        assert_eq!(sums("🙂🙂"), sums("🙂").map(|x| x * 2.0));
        assert_eq!(sums("ёж"), sums("ЕЖ"));
        assert_eq!(sums("\u{200b}\u{7}"), [0.0; 256]);
        assert_ne!(sums("мир"), sums("рим"));
    }
}
