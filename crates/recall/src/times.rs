use annals_types::Timestamp;

/// A stretch of time that a question names: from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
    /// Over how many milliseconds outside the fit falls to 0; with none, what is outside does not fit at all.
    pub slack_millis: i64,
}

/// What a question says of time. Whoever knows its language finds it out; recall only compares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    /// The times that it names.
    pub named: Vec<Interval>,
    /// Whether it asks when, or how long.
    pub asked: bool,
    /// Whether it asks for nothing but what was talked of then, or the last time.
    pub bare: bool,
}

const DAY_MILLIS: i64 = 86_400_000;

impl Interval {
    /// A stretch that is meant itself: who names it may have missed it by half its length, and by a day at the least.
    #[must_use]
    pub fn between(start: Timestamp, end: Timestamp) -> Self {
        Self { start, end, slack_millis: (end.millis_since(start) / 2).max(DAY_MILLIS) }
    }

    /// How well a moment fits: 1 inside, then falling to 0 over [`slack_millis`](Self::slack_millis).
    #[must_use]
    pub fn fit(&self, moment: Timestamp) -> f32 {
        if self.start <= moment && moment < self.end {
            return 1.0;
        }
        let distance = self.start.millis_since(moment).max(moment.millis_since(self.end));
        if distance >= self.slack_millis { 0.0 } else { 1.0 - ratio(distance, self.slack_millis) }
    }
}

/// The share of two positive numbers of milliseconds; both fit an f64 exactly.
fn ratio(part: i64, whole: i64) -> f32 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share needs no more digits")]
    let share = (part as f64 / whole as f64) as f32;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_falls_with_distance() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = Interval::between(at("2026-03-03"), at("2026-03-04"));
        assert_eq!(day.fit(at("2026-03-03T12:00:00Z")), 1.0);
        assert!((day.fit(at("2026-03-02T12:00:00Z")) - 0.5).abs() < 1e-6);
        assert_eq!(day.fit(at("2026-03-05T01:00:00Z")), 0.0);
        let month = Interval::between(at("2026-03-01"), at("2026-04-01"));
        assert!(month.fit(at("2026-02-20")) > 0.0);
        // What reaches back to the first year has no slack of a thousand years.
        let until = Interval { start: at("0001-01-01"), end: at("2024-04-01"), slack_millis: 15 * DAY_MILLIS };
        assert_eq!((until.fit(at("2023-01-01")), until.fit(at("2026-09-01"))), (1.0, 0.0));
        // What a word excludes does not fit, however near it is.
        let after = Interval { start: at("2025-01-01"), end: at("9999-01-01"), slack_millis: 0 };
        assert_eq!((after.fit(at("2025-01-01")), after.fit(at("2024-12-31T23:59:00Z"))), (1.0, 0.0));
        let before = Interval { start: at("0001-01-01"), end: at("2025-01-01"), slack_millis: 0 };
        assert_eq!((before.fit(at("2024-12-31T23:59:00Z")), before.fit(at("2025-01-01"))), (1.0, 0.0));
    }
}
