use annals_types::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

/// A stretch of time that a question means: from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meant {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
    /// Over how many milliseconds outside the fit falls to 0; with none, what is outside does not
    /// fit at all.
    pub slack_millis: i64,
}

/// The times in a question. A caller that knows its language finds them; recall only compares.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Times {
    /// The times that it names.
    pub named: Vec<Meant>,
    /// Whether it asks when, or how long.
    pub asked: bool,
    /// Whether it asks for nothing but what was talked of then, or the last time.
    pub bare: bool,
    /// Whether it asks how something was before it changed.
    #[serde(default)]
    pub earlier: bool,
    /// Whether it asks how something is now.
    #[serde(default)]
    pub current: bool,
    /// Whether it tells of what was: "what did I say?".
    #[serde(default)]
    pub past: bool,
    /// Whether it speaks of who asks.
    #[serde(default)]
    pub first_person: bool,
}

const DAY_MILLIS: i64 = 86_400_000;

impl Meant {
    /// A stretch that is meant itself: who names it may have missed it by half its length, and by a
    /// day at the least.
    #[must_use]
    pub fn between(start: Timestamp, end: Timestamp) -> Self {
        Self {
            start,
            end,
            slack_millis: (end.millis_since(start) / 2).max(DAY_MILLIS),
        }
    }

    /// How well a moment fits: 1 inside, then falling to 0 over
    /// [`slack_millis`](Self::slack_millis).
    #[must_use]
    pub fn fit(&self, moment: Timestamp) -> f32 {
        if self.start <= moment && moment < self.end {
            return 1.0;
        }
        let distance = self
            .start
            .millis_since(moment)
            .max(moment.millis_since(self.end));
        if distance >= self.slack_millis {
            0.0
        } else {
            1.0 - ratio(distance, self.slack_millis)
        }
    }

    /// How well a time fits that a memory names: 1 inside, half and the share of it that is inside
    /// where it reaches beyond, else as well as its middle does.
    #[must_use]
    pub fn fit_of(&self, named: &Interval) -> f32 {
        let shared = self
            .end
            .min(named.end)
            .millis_since(self.start.max(named.start));
        let length = named.end.millis_since(named.start);
        if shared == 0 || length == 0 {
            return self.fit(named.start.plus_millis(length / 2));
        }
        0.5 + 0.5 * ratio(shared, length)
    }
}

/// The share of two positive numbers of milliseconds; both fit an f64 exactly.
fn ratio(part: i64, whole: i64) -> f32 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a share needs no more digits"
    )]
    let share = (part as f64 / whole as f64) as f32;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_falls_with_distance() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = Meant::between(at("2026-03-03"), at("2026-03-04"));
        assert_eq!(day.fit(at("2026-03-03T12:00:00Z")), 1.0);
        assert!((day.fit(at("2026-03-02T12:00:00Z")) - 0.5).abs() < 1e-6);
        assert_eq!(day.fit(at("2026-03-05T01:00:00Z")), 0.0);
        let month = Meant::between(at("2026-03-01"), at("2026-04-01"));
        assert!(month.fit(at("2026-02-20")) > 0.0);
        // An interval that reaches back to the first year has no slack of a thousand years.
        let until = Meant {
            start: at("0001-01-01"),
            end: at("2024-04-01"),
            slack_millis: 15 * DAY_MILLIS,
        };
        assert_eq!(
            (until.fit(at("2023-01-01")), until.fit(at("2026-09-01"))),
            (1.0, 0.0)
        );
        // A moment that a word excludes does not fit, however near it is.
        let after = Meant {
            start: at("2025-01-01"),
            end: at("9999-01-01"),
            slack_millis: 0,
        };
        assert_eq!(
            (
                after.fit(at("2025-01-01")),
                after.fit(at("2024-12-31T23:59:00Z"))
            ),
            (1.0, 0.0)
        );
        let before = Meant {
            start: at("0001-01-01"),
            end: at("2025-01-01"),
            slack_millis: 0,
        };
        assert_eq!(
            (
                before.fit(at("2024-12-31T23:59:00Z")),
                before.fit(at("2025-01-01"))
            ),
            (1.0, 0.0)
        );
    }

    #[test]
    fn a_named_time_fits_by_what_of_it_is_meant() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let time = |start, end| Interval {
            start: at(start),
            end: at(end),
        };
        let day = Meant::between(at("2026-05-04"), at("2026-05-05"));
        assert_eq!(day.fit_of(&time("2026-05-04", "2026-05-05")), 1.0);
        assert_eq!(
            day.fit_of(&time("2026-05-04T15:00:00Z", "2026-05-04T15:01:00Z")),
            1.0
        );
        let (month, year) = (
            day.fit_of(&time("2026-05-01", "2026-06-01")),
            day.fit_of(&time("2026-01-01", "2027-01-01")),
        );
        assert!(1.0 > month && month > year && year > 0.5, "{month} {year}");
        // The day after is half as good, and the week after is none.
        assert!((day.fit_of(&time("2026-05-05", "2026-05-06")) - 0.5).abs() < 1e-6);
        assert_eq!(day.fit_of(&time("2026-05-11", "2026-05-18")), 0.0);
        let after = Meant {
            slack_millis: 0,
            ..Meant::between(at("2026-05-05"), at("9999-01-01"))
        };
        assert_eq!(
            (
                after.fit_of(&time("2026-05-04", "2026-05-05")),
                after.fit_of(&time("2027-01-01", "2028-01-01"))
            ),
            (0.0, 1.0)
        );
    }
}
