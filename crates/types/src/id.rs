use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::shorten;
use crate::{InvalidValue, Timestamp};

/// The public id of a memory: a UUID version 7 (RFC 9562) of the moment it was stored.
///
/// Ids sort by storing time. Serialises as text in human-readable formats and as 16 bytes
/// elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryId([u8; 16]);

impl MemoryId {
    /// A short name: the last six hexadecimal digits, which differ among ids of one moment, with as
    /// many of the first ones behind them as it takes to be a name that is not taken.
    #[must_use]
    pub fn short_name(&self, mut taken: impl FnMut(&str) -> bool) -> String {
        const SHORTEST: usize = 6;
        let digits = format!("{:032x}", u128::from_be_bytes(self.0).rotate_right(24));
        let free = (SHORTEST..=digits.len())
            .filter_map(|length| digits.get(..length))
            .find(|name| !taken(name));
        free.unwrap_or(&digits).to_owned()
    }

    /// From its 16 bytes, big-endian as in RFC 9562.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// A number made of the id, for programs whose keys are whole numbers: the same wherever the
    /// memory goes, from 1 to 2^53 - 1, which JSON and JavaScript keep exactly. It cannot be
    /// turned back.
    ///
    /// Both halves of the id go through SplitMix64, so that ids of one millisecond differ in it as
    /// much as any others. Among n memories two have the same number with a probability of about
    /// n^2 / 2^54: one in 180 million for 10,000, one in 18,000 for a million.
    #[must_use]
    pub fn number(&self) -> u64 {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = self.0;
        let mut first = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        let mut both = splitmix(&mut first) ^ u64::from_be_bytes([i, j, k, l, m, n, o, p]);
        (splitmix(&mut both) >> (u64::BITS - NUMBER_BITS)).max(1)
    }

    /// The storing time that the id carries, to the millisecond.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        let [a, b, c, d, e, f, ..] = self.0;
        Timestamp::from_millis(i64::from_be_bytes([0, 0, a, b, c, d, e, f]))
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        uuid::Uuid::from_bytes(self.0).hyphenated().fmt(f)
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryId({self})")
    }
}

impl FromStr for MemoryId {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let parsed = uuid::Uuid::try_parse(text.trim());
        parsed
            .map(|u| Self(u.into_bytes()))
            .map_err(|_| InvalidValue::BadId {
                value: shorten(text),
            })
    }
}

impl Serialize for MemoryId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for MemoryId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            String::deserialize(deserializer)?
                .parse()
                .map_err(serde::de::Error::custom)
        } else {
            <[u8; 16]>::deserialize(deserializer).map(Self)
        }
    }
}

/// Makes [`MemoryId`]s that rise strictly within one generator, even when the clock stands still or
/// goes back.
#[derive(Debug)]
pub struct IdGenerator {
    state: Mutex<IdState>,
}

#[derive(Debug)]
struct IdState {
    millis: i64,
    /// 74 random bits of the last id, counted up within one millisecond.
    tail: u128,
    random: u64,
}

const TAIL_BITS: u32 = 74;
/// The bits of a [`MemoryId::number`]: what a double holds exactly.
const NUMBER_BITS: u32 = 53;

impl IdGenerator {
    /// A generator seeded from the operating system's randomness.
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(RandomState::new().hash_one(std::process::id()))
    }

    /// A generator whose ids depend only on `seed` and the moments it is asked for.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self {
            state: Mutex::new(IdState {
                millis: i64::MIN,
                tail: 0,
                random: seed,
            }),
        }
    }

    /// The next id, for a memory stored at `now`.
    pub fn next(&self, now: Timestamp) -> MemoryId {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let millis = now.as_millis().max(0);
        if millis > state.millis {
            state.millis = millis;
            // The top bit stays free so that counting up within one millisecond cannot overflow.
            let high = u128::from(splitmix(&mut state.random));
            let low = u128::from(splitmix(&mut state.random));
            state.tail = ((high << 64) | low) & ((1 << (TAIL_BITS - 1)) - 1);
        } else {
            state.tail += 1;
        }
        let tail = state.tail.to_be_bytes();
        let [.., r0, r1, r2, r3, r4, r5, r6, r7, r8, r9] = tail;
        let millis = u64::try_from(state.millis).unwrap_or(0);
        // 74 bits: 12 beside the version, 62 beside the variant; the builder overwrites those two
        // places.
        let wide = u128::from_be_bytes([0, 0, 0, 0, 0, 0, r0, r1, r2, r3, r4, r5, r6, r7, r8, r9]);
        let placed = ((wide >> 62) << 64) | (wide & ((1 << 62) - 1));
        let [.., b0, b1, b2, b3, b4, b5, b6, b7, b8, b9] = placed.to_be_bytes();
        let bytes = [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9];
        MemoryId(
            uuid::Builder::from_unix_timestamp_millis(millis, &bytes)
                .into_uuid()
                .into_bytes(),
        )
    }
}

impl Default for IdGenerator {
    fn default() -> Self {
        Self::new()
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The dense number of a stored memory within its namespace: given once, never reused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Row(pub u32);

impl Row {
    /// The row as an index into in-memory arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a transaction: rises by one with each commit of a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Commit(pub u64);

impl Commit {
    /// The commit before the first one: an empty file.
    pub const ZERO: Self = Self(0);

    /// The following commit.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_strictly_and_carry_version_variant_and_time() {
        let ids = IdGenerator::seeded(1);
        let now = Timestamp::from_millis(1_767_463_200_123);
        let mut last = ids.next(now);
        assert_eq!(last.timestamp(), now);
        for i in 0..10_000_i64 {
            let id = ids.next(now.plus_millis(-(i % 3)));
            assert!(id > last, "{id} after {last}");
            assert_eq!(id.as_bytes()[6] >> 4, 7);
            assert_eq!(id.as_bytes()[8] >> 6, 0b10);
            last = id;
        }
        assert!(ids.next(now.plus_millis(1)) > last);
    }

    #[test]
    fn numbers_of_ids_stay_what_they_are() {
        // They are in tables of other programs.
        for (id, number) in [
            ("019b0000-0000-7000-8000-000000000000", 938_580_943_008_865),
            (
                "019b0000-0000-7000-8000-000000000001",
                2_266_349_710_430_572,
            ),
            (
                "019b0000-0000-7001-8000-000000000000",
                2_109_281_554_204_487,
            ),
            (
                "00000000-0000-0000-0000-000000000000",
                5_876_733_520_225_071,
            ),
            (
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                3_484_500_655_666_319,
            ),
        ] {
            assert_eq!(id.parse::<MemoryId>().unwrap().number(), number);
        }
        // Of one millisecond or of many: none twice, none 0, none that a double rounds.
        let ids = IdGenerator::seeded(1);
        let many = (0..100_000_i64).map(|n| ids.next(Timestamp::from_millis(n / 1000)).number());
        let different: std::collections::BTreeSet<u64> = many.collect();
        assert_eq!(different.len(), 100_000);
        assert!(different.first() > Some(&0) && different.last() < Some(&(1 << 53)));
        // They use the whole range.
        let high = different
            .iter()
            .filter(|number| **number >= 1 << 52)
            .count();
        assert!((49_000..51_000).contains(&high), "{high}");
    }

    #[test]
    fn ids_survive_text_and_refuse_nonsense() {
        let id = IdGenerator::seeded(2).next(Timestamp::from_millis(1));
        assert_eq!(id.to_string().parse::<MemoryId>().unwrap(), id);
        assert!("mem_7".parse::<MemoryId>().is_err());
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_an_id_or_refused(
            text in proptest::prop_oneof![".*", "[0-9a-fA-F{}-]{30,40}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"],
        ) {
            if let Ok(id) = text.parse::<MemoryId>() {
                proptest::prop_assert_eq!(id.to_string().parse::<MemoryId>().ok(), Some(id));
            }
        }
    }

    #[test]
    fn seeded_generators_repeat_themselves() {
        let (a, b) = (IdGenerator::seeded(3), IdGenerator::seeded(3));
        let now = Timestamp::from_millis(77);
        assert_eq!(a.next(now), b.next(now));
        assert_ne!(
            IdGenerator::seeded(4).next(now),
            IdGenerator::seeded(5).next(now)
        );
    }
}
