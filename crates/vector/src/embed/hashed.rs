//! Hashed features: what the table has no row for still gets a direction of its own in the same space.
//!
//! Feature hashing after Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009), in the block
//! form of Kane and Nelson, "Sparser Johnson-Lindenstrauss Transforms" (2014): the 256 numbers are 8 blocks of 32, a
//! feature adds its weight with one sign to one number of each block. So each feature has exactly the length of its
//! weight, two features are nearly orthogonal, and adding one costs eight additions.

use annals_static_table::DIMS;

const BLOCKS: usize = 8;
const BLOCK: usize = DIMS / BLOCKS;

/// Changing it changes every hashed direction, and so the vector space.
const SEED: u64 = 0x616e_6e61_6c73_0001;

/// The sum of some features.
#[derive(Debug)]
pub(super) struct Hashed {
    sums: [f32; DIMS],
    /// The weights added so far, for the direction that all texts share.
    total: f32,
}

/// A feature to hash; equal numbers in different kinds are different features.
#[derive(Debug, Clone, Copy)]
pub(super) enum Feature<'a> {
    /// One ideograph.
    Character(char),
    /// Two ideographs that follow each other.
    Pair(char, char),
    /// A whole word.
    Word(&'a [u8]),
    /// Three characters in a row of a word; `None` beyond its ends.
    Triple([Option<char>; 3]),
}

impl Hashed {
    pub(super) const fn new() -> Self {
        Self { sums: [0.0; DIMS], total: 0.0 }
    }

    /// Adds a feature; its contribution has the length `weight`.
    pub(super) fn add(&mut self, feature: Feature<'_>, weight: f32) {
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
        self.total += weight;
    }

    pub(super) fn sums(&self) -> &[f32; DIMS] {
        &self.sums
    }

    pub(super) fn total(&self) -> f32 {
        self.total
    }
}

/// 1 over the square root of the number of blocks.
const INVERSE_ROOT: f32 = 0.353_553_4;

impl Feature<'_> {
    fn hash(self) -> u64 {
        match self {
            Self::Character(a) => mix(SEED ^ u64::from(a)),
            Self::Pair(a, b) => mix(mix(SEED ^ u64::from(a) ^ (1 << 32)) ^ u64::from(b)),
            Self::Word(bytes) => {
                // FNV-1a with 64 bits.
                let hash =
                    bytes.iter().fold(SEED ^ (2 << 32), |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
                mix(hash)
            }
            Self::Triple(characters) => {
                characters.into_iter().fold(SEED ^ (3 << 32), |hash, c| mix(hash ^ c.map_or(u64::MAX, u64::from)))
            }
        }
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
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
        let mut hashed = Hashed::new();
        hashed.add(feature, 2.0);
        assert!((hashed.total() - 2.0).abs() < 1e-6);
        *hashed.sums()
    }

    fn dot(a: &[f32; 256], b: &[f32; 256]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn a_feature_has_the_length_of_its_weight() {
        for feature in
            [Feature::Character('茶'), Feature::Pair('喝', '茶'), Feature::Word(b"proxy"), Feature::Triple([None; 3])]
        {
            let sums = direction(feature);
            assert!((dot(&sums, &sums) - 4.0).abs() < 1e-5, "{feature:?}");
            assert_eq!(sums.iter().filter(|x| **x != 0.0).count(), 8, "{feature:?}");
        }
    }

    #[test]
    fn different_features_are_nearly_orthogonal() {
        let characters: Vec<char> = ('一'..'丂').chain('七'..'且').collect();
        let directions: Vec<_> = characters.iter().map(|&c| direction(Feature::Character(c))).collect();
        let mut sum = 0.0;
        let mut count = 0.0_f32;
        for (at, a) in directions.iter().enumerate() {
            for b in &directions[at + 1..] {
                sum += (dot(a, b) / 4.0).powi(2);
                count += 1.0;
            }
        }
        // Random directions of 256 numbers have a mean square cosine of 1/256.
        assert!(count > 100.0 && sum / count < 2.0 / 256.0, "{} over {count}", sum / count);
    }

    #[test]
    fn kinds_and_orders_differ() {
        let pair = direction(Feature::Pair('北', '京'));
        assert_ne!(pair, direction(Feature::Pair('京', '北')));
        assert_ne!(direction(Feature::Triple([Some('a'), None, None])), direction(Feature::Word(b"a")));
    }
}
