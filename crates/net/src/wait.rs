use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// The function that waits; tests put something else in the place of sleeping.
pub type Pause = Box<dyn Fn(Duration) + Send + Sync>;

/// How long to wait before each further attempt: doubling, with jitter, so that many clients do not
/// come back at once.
#[derive(Debug, Clone)]
pub struct Waits {
    next: Duration,
    most: Duration,
    random: u64,
}

impl Waits {
    /// The first wait is about `first`, no wait is longer than `most`. Without a seed each call
    /// draws its own.
    #[must_use]
    pub fn new(first: Duration, most: Duration, seed: Option<u64>) -> Self {
        Self {
            next: first.min(most),
            most,
            random: seed.unwrap_or_else(|| RandomState::new().hash_one(0)),
        }
    }

    /// The next wait: what the server asked for, or between half and all of the next step.
    /// `None` when the server asks for more than one is ready to wait.
    pub fn next(&mut self, asked: Option<Duration>) -> Option<Duration> {
        let step = self.next;
        self.next = step.saturating_mul(2).min(self.most);
        match asked {
            Some(asked) => (asked <= self.most).then_some(asked),
            None => Some(step / 2 + (step / 2).mul_f64(self.fraction())),
        }
    }

    /// SplitMix64 (Steele, Lea, Flood 2014), to a number from 0 to 1.
    fn fraction(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        f64::from(u32::try_from(z >> 32).unwrap_or(0)) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Waits;

    #[test]
    fn waits_double_within_their_bounds() {
        let second = Duration::from_secs(1);
        for seed in 0..50 {
            let mut waits = Waits::new(second, 5 * second, Some(seed));
            for most in [1, 2, 4, 5, 5] {
                let wait = waits.next(None).unwrap();
                assert!(
                    wait >= most * second / 2 && wait <= most * second,
                    "{wait:?}"
                );
            }
        }
        let of = |seed| Waits::new(second, 5 * second, Some(seed)).next(None);
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
    }

    #[test]
    fn the_server_is_obeyed_within_reason() {
        let mut waits = Waits::new(Duration::from_secs(1), Duration::from_secs(60), Some(1));
        assert_eq!(
            waits.next(Some(Duration::from_secs(30))),
            Some(Duration::from_secs(30))
        );
        assert_eq!(waits.next(Some(Duration::ZERO)), Some(Duration::ZERO));
        assert_eq!(waits.next(Some(Duration::from_secs(3600))), None);
    }
}
