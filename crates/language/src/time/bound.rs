//! Stretches that reach from a time or up to it: `since 2019`, `after Friday`, `2024年之前`, `截至上周`.

use annals_types::Timestamp;
use serde::Deserialize;

use super::cursor::Cursor;
use super::grammar::{List, grammar};
use super::slots::{Slot, Slots};
use super::{Grain, Interval, Phrase};

/// 1 January of the year 1, in milliseconds since 1970.
const FIRST: i64 = -62_135_596_800_000;
/// The end of the year 9999, nearly.
const LAST: i64 = 253_402_127_999_999;
const DAY: i64 = 86_400_000;
/// The most by which one may have missed the end of a stretch that reaches from or up to a time:
/// 31 days.
const MOST_SLACK: i64 = 31 * DAY;

/// Whether a phrase means its interval or a stretch that reaches from it or up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The interval itself.
    #[default]
    Within,
    /// From its start on: "since 2019", "2019年以来".
    Since,
    /// From its end on: "after 2019", "2019年以后".
    After,
    /// Up to its start: "before Friday", "2019年以前".
    Before,
    /// Up to its end: "until Friday", "by Friday", "截至2019年".
    Until,
}

impl Bound {
    pub(super) const ALL: [Self; 5] = [
        Self::Within,
        Self::Since,
        Self::After,
        Self::Before,
        Self::Until,
    ];
}

/// A stretch of time that a question means, from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meant {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
    /// By how many milliseconds what is outside may still be meant: half of the time that was
    /// named, a day at the least, and none where a word excludes it or a clock was named.
    pub slack_millis: i64,
}

impl Meant {
    /// Whether a moment lies within.
    #[must_use]
    pub fn contains(&self, moment: Timestamp) -> bool {
        self.start <= moment && moment < self.end
    }
}

impl Phrase {
    /// The stretch that the phrase means when it is said at a moment: "since 2025" goes on until
    /// then, "before 2025" begins with the first year, "after 3 pm on Monday" ends with that day,
    /// as against "after 2025-03-01 15:00".
    #[must_use]
    pub fn reach(&self, now: Timestamp) -> Meant {
        let Interval { start, end } = self.interval;
        let half = (end.millis_since(start) / 2).max(DAY);
        let near = half.min(MOST_SLACK);
        let (first, last, near_end) = match self.day {
            Some(day) => (day.start, day.end, 0),
            None => {
                let near_end = if self.grain == Grain::Minute { 0 } else { near };
                (
                    Timestamp::from_millis(FIRST),
                    Timestamp::from_millis(LAST),
                    near_end,
                )
            }
        };
        let (start, end, slack_millis) = match self.bound {
            Bound::Within => (start, end, if self.exact { 0 } else { half }),
            Bound::Since if start <= now => (start, end.max(now.plus_millis(1)), near),
            Bound::Since => (start, Timestamp::from_millis(LAST), near),
            Bound::After => (end, last, 0),
            Bound::Before => (first, start, 0),
            Bound::Until => (first, end, near_end),
        };
        Meant {
            start,
            end,
            slack_millis,
        }
    }
}

/// The bound that the words before a phrase and behind it say, and the end of the phrase with them.
pub(super) fn around<'a>(start: Cursor<'a>, end: Cursor<'a>) -> (Cursor<'a>, Bound) {
    let list = |list| grammar().list(list);
    let bound = |slots: Slots| slots.one(Slot::Bound, &Bound::ALL);
    if let Some((end, _)) = end
        .longest(list(List::Onwards))
        .filter(|_| start.behind(list(List::From)).is_some())
    {
        return (end, Bound::Since);
    }
    let lead = start.behind(list(List::Leads)).and_then(bound);
    match end
        .longest(list(List::Trails))
        .and_then(|(end, slots)| Some((end, bound(slots)?)))
    {
        Some((end, Bound::After | Bound::Before)) if lead == Some(Bound::Since) => {
            (end, Bound::Since)
        }
        Some(trail) => trail,
        None => (end, lead.unwrap_or_default()),
    }
}

/// Whether nothing but words that join two bounds stands between here and a place: `2019 and
/// before 2024`.
pub(super) fn only_bounds(from: Cursor<'_>, to: usize) -> bool {
    let mut at = from;
    while at.at() < to {
        let Some((next, _)) = at.longest(grammar().list(List::Links)) else {
            return false;
        };
        at = next;
    }
    true
}

/// Whether a word before a phrase or behind it leaves it out: `except yesterday`, `周三除外`. A
/// mere no does not in what `asks`, unless it stands against something.
pub(super) fn is_left_out(start: Cursor<'_>, end: Cursor<'_>, asks: bool) -> bool {
    let before = |list| start.behind(grammar().list(list)).is_some();
    before(List::LeftOut)
        || !asks && before(List::Denied)
        || end.matches(grammar().list(List::LeftOutBehind))
}
