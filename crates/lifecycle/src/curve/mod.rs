//! The retention of a memory at a moment, in closed form, and when it falls below a value.

mod crossing;
mod steps;

use annals_types::Timestamp;

use crate::{ClassId, Passes, Policy};

/// Two values nearer than this are equal, so that sums like 2.2 + 0.3 reach 2.5.
pub(crate) const EPSILON: f64 = 1e-9;

/// The inputs of retention.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// The score when it was last changed by something else than time.
    pub value: f64,
    /// What rules that look at retention have left of the score.
    pub lowered: f64,
    /// When the score was last changed by something else than time.
    pub at: Timestamp,
    /// When the memory was stored.
    pub created: Timestamp,
    /// The last access that counted; the storing before the first.
    pub accessed: Timestamp,
    /// Accesses that lift retention.
    pub accesses: u32,
    /// Its class.
    pub class: ClassId,
    /// Whether a person said that it is to stay as it is.
    pub pinned: bool,
}

impl Anchor {
    /// A memory stored at `now`.
    #[must_use]
    pub fn new(value: f64, class: ClassId, now: Timestamp) -> Self {
        Self {
            value,
            lowered: 1.0,
            at: now,
            created: now,
            accessed: now,
            accesses: 0,
            class,
            pinned: false,
        }
    }
}

impl Policy {
    /// Whether a memory does not decay and no rule acts on it.
    #[must_use]
    pub fn is_protected(&self, anchor: &Anchor) -> bool {
        let high = self
            .decay
            .protect_score
            .is_some_and(|limit| reaches(anchor.value, limit));
        anchor.pinned || high || self.class(anchor.class).exempt
    }

    /// The decayed score: `value · r^k`. `passes` are those of the job that decays; other profiles
    /// than those that count in passes do not look at them.
    #[must_use]
    pub fn score(&self, anchor: &Anchor, passes: &Passes, moment: Timestamp) -> f64 {
        let class = self.class(anchor.class);
        if class.ln_rate == 0.0 || self.is_protected(anchor) {
            return anchor.value;
        }
        anchor.value * (class.ln_rate * self.steps(anchor, passes, moment)).exp()
    }

    /// The retention: the decayed score times the access bonus `1 + b · ln(1 + n)`. It may exceed
    /// the highest score.
    #[must_use]
    pub fn retention(&self, anchor: &Anchor, passes: &Passes, moment: Timestamp) -> f64 {
        self.score(anchor, passes, moment) * self.bonus(anchor)
    }

    /// How many times the score retention is.
    pub(crate) fn bonus(&self, anchor: &Anchor) -> f64 {
        let accesses = f64::from(anchor.accesses).ln_1p();
        let bonus = if self.decay.access_bonus == 0.0 {
            1.0
        } else {
            1.0 + self.decay.access_bonus * accesses
        };
        // A score that decays in place is all that is left.
        if self.in_place() {
            bonus
        } else {
            bonus / anchor.lowered
        }
    }
}

/// Whether a value is less than a limit; equal within [`EPSILON`] is not.
pub(crate) fn below(value: f64, limit: f64) -> bool {
    value < limit - EPSILON
}

/// Whether a value is at least a limit, equal within [`EPSILON`] included.
pub(crate) fn reaches(value: f64, limit: f64) -> bool {
    !below(value, limit)
}

/// Whether a value is more than a limit; equal within [`EPSILON`] is not.
pub(crate) fn above(value: f64, limit: f64) -> bool {
    value > limit + EPSILON
}
