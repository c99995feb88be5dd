use annals_types::Timestamp;

/// A stretch of time that a question names: from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
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
    /// How well a moment fits: 1 inside, then falling to 0 over half the interval's length, at least one day.
    #[must_use]
    pub fn fit(&self, moment: Timestamp) -> f32 {
        let before = self.start.millis_since(moment);
        let after = moment.millis_since(self.end);
        let distance = before.max(after);
        if distance == 0 {
            return 1.0;
        }
        let slack = (self.end.millis_since(self.start) / 2).max(DAY_MILLIS);
        if distance >= slack { 0.0 } else { 1.0 - ratio(distance, slack) }
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
        let day = Interval { start: at("2026-03-03"), end: at("2026-03-04") };
        assert_eq!(day.fit(at("2026-03-03T12:00:00Z")), 1.0);
        assert!((day.fit(at("2026-03-02T12:00:00Z")) - 0.5).abs() < 1e-6);
        assert_eq!(day.fit(at("2026-03-05T01:00:00Z")), 0.0);
    }
}
