//! Phrases that name a time, Chinese and English, as intervals.
//!
//! Tables say what the phrases are: `tables/english.toml`, `tables/chinese.toml`, one for each
//! language; one matcher reads them all. A row is a pattern (`pattern.rs`), and its meaning is one
//! of a few kinds of arithmetic (`meaning.rs`).
//!
//! Relative phrases count from the moment at which the text was said, in the zone in which it was
//! said. A phrase that is not known is no phrase: nothing is guessed. Weeks begin on Monday;
//! seasons are those of the northern half of the earth, by whole months; counted weeks and months
//! are meant loosely and name what lies around them.
//!
//! ```
//! use annals_language::Zone;
//! use annals_language::time::{Said, phrases};
//!
//! let said = Said::at("2026-02-20T10:00:00+08:00".parse()?, Zone::named("Asia/Shanghai")?);
//! let text = "下周三有产品评审";
//! let found = phrases(text, &said);
//! assert_eq!(&text[found[0].range.clone()], "下周三");
//! assert_eq!(found[0].interval.start, "2026-02-25T00:00:00+08:00".parse()?);
//! # Ok::<(), annals_types::InvalidValue>(())
//! ```

mod asked;
mod bound;
mod calendar;
mod clock;
mod cursor;
mod cycle;
mod grammar;
mod meaning;
mod mention;
mod named;
mod normal;
mod number;
mod pattern;
mod range;
mod slots;
mod span;
mod tokens;
mod way;

use std::ops::Range;

use annals_types::Timestamp;

pub use annals_types::Interval;
pub use annals_types::profile::DayPrecision;
pub use asked::{Asked, asked};
pub use bound::{Bound, Meant};
pub use calendar::Lean;
pub use mention::mentions_time;
pub use named::{holds_until, named};
pub use normal::{Normal, normalise};
pub use span::Grain;

use crate::Zone;
use calendar::Calendar;
use clock::{Clock, Part};
use cursor::Cursor;
use cycle::Cycle;
use grammar::{List, grammar};
use meaning::Meaning;
use slots::{Slot, Slots};
use span::Span;

/// The moment and the zone in which a text was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The moment.
    pub at: Timestamp,
    /// The zone whose calendar and clock it means.
    pub zone: Zone,
    /// Which way phrases point that do not say so themselves.
    pub lean: Lean,
}

impl Said {
    /// A text said at a moment, speaking of the past where it does not say.
    #[must_use]
    pub const fn at(at: Timestamp, zone: Zone) -> Self {
        Self {
            at,
            zone,
            lean: Lean::Past,
        }
    }

    /// The same, speaking of the future where it does not say.
    #[must_use]
    pub fn looking_ahead(self) -> Self {
        Self {
            lean: Lean::Future,
            ..self
        }
    }
}

/// A phrase of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// Its place, in bytes.
    pub range: Range<usize>,
    /// Its meaning.
    pub interval: Interval,
    /// How exactly it says so.
    pub grain: Grain,
    /// Whether the interval itself is meant.
    pub bound: Bound,
    /// Whether it stands by itself, as against counted from the moment.
    pub absolute: bool,
    /// The part of a day, and the language that names it.
    part: Option<(Part, i64)>,
    /// The day whose clock it names.
    day: Option<Interval>,
    /// The unit that its words leave open.
    cycle: Option<Cycle>,
    /// Whether a word excludes what is outside.
    exact: bool,
    /// Whether it is a time of day without a date.
    undated: bool,
    /// Whether it goes from one time to another.
    joined: bool,
    /// Whether it is the time in which something has to be done: "within two days".
    deadline: bool,
}

/// The beginning (or the `end`) of the one time that words name, or the moment that they are:
/// "after 2024" begins with 2025, "before 2024" ends with 2023. A date or a clock time without a
/// zone is meant where it was said. `None` for vague words, and for the end that words leave open:
/// the beginning of "before 2024".
#[must_use]
pub fn moment(words: &str, said: &Said, end: bool) -> Option<Timestamp> {
    if let Some(exact) = zoned(words) {
        return Some(exact);
    }
    match phrases(words, said).as_slice() {
        [phrase] if phrase.grain == Grain::Vague => None,
        [phrase] => match (end, phrase.bound) {
            (false, Bound::Within | Bound::Since) | (true, Bound::Before) => {
                Some(phrase.interval.start)
            }
            (true, Bound::Within | Bound::Until) | (false, Bound::After) => {
                Some(phrase.interval.end)
            }
            (false, Bound::Before | Bound::Until) | (true, Bound::Since | Bound::After) => None,
        },
        _ => words.parse().ok(),
    }
}

/// The moment at which something ends, as words say: the end of the one time that they name, or its
/// beginning for "before ...". `None` for words that are vague, over, or name only a beginning.
#[must_use]
pub fn expiry(words: &str, said: &Said) -> Option<Timestamp> {
    let end = match (zoned(words), phrases(words, said).as_slice()) {
        (Some(exact), _) => exact,
        (None, [phrase])
            if phrase.grain == Grain::Vague
                || matches!(phrase.bound, Bound::Since | Bound::After) =>
        {
            return None;
        }
        (None, [phrase]) if phrase.grain == Grain::Minute || phrase.bound == Bound::Before => {
            phrase.interval.start
        }
        (None, [phrase]) => phrase.interval.end,
        _ => words.parse().ok()?,
    };
    (end > said.at).then_some(end)
}

/// A moment that is written with its zone.
fn zoned(words: &str) -> Option<Timestamp> {
    let (_, clock) = words.trim().split_once(['T', 't', ' '])?;
    let told = clock.ends_with(['Z', 'z']) || clock.contains(['+', '-']);
    words.trim().parse().ok().filter(|_| told)
}

/// The match of a row of a table.
#[derive(Debug, Clone, Copy)]
struct RowMatch {
    span: Span,
    part: Option<(Part, i64)>,
    bound: Bound,
    absolute: bool,
    /// Whether it names a time of day, by which the day is meant that it is on.
    clock: bool,
    /// Whether it lies between two bounds, one of which excludes.
    exact: bool,
    /// Whether it is a time of day without a date.
    undated: bool,
    /// Whether it goes from one time to another.
    joined: bool,
    /// Whether it is the time in which something has to be done.
    deadline: bool,
    /// The year that its words name, and whether they name it last.
    year: Option<(i16, bool)>,
}

impl RowMatch {
    const fn of(span: Span) -> Self {
        let (part, bound, absolute, clock, exact) = (None, Bound::Within, false, false, false);
        let (undated, joined, deadline) = (false, false, false);
        Self {
            span,
            part,
            bound,
            absolute,
            clock,
            exact,
            undated,
            joined,
            deadline,
            year: None,
        }
    }

    /// The match of a row with a meaning.
    fn read(meaning: Meaning, slots: &Slots, calendar: &Calendar) -> Option<Self> {
        const ENDS: [Slot; 4] = [
            Slot::YearEnd,
            Slot::MonthEnd,
            Slot::DayEnd,
            Slot::WeekdayEnd,
        ];
        let span = meaning.span(slots, calendar)?;
        let dated =
            (slots.has(Slot::Year) || slots.has(Slot::YearTurn)) && span.grain <= Grain::Year;
        Some(Self {
            absolute: meaning.is_absolute(slots),
            joined: ENDS.iter().any(|slot| slots.has(*slot)),
            deadline: slots.has(Slot::Deadline),
            year: dated.then(|| (span.start.year(), slots.has(Slot::Trailing))),
            ..Self::of(span)
        })
    }

    /// The same at a part or a time of its day.
    fn timed(self, slots: &Slots) -> Option<Self> {
        let part = slots.one(Slot::Part, &Part::ALL);
        let clock = Clock::read(slots);
        let span = match (clock, part) {
            (Some(clock), part) => clock.on(self.span, part)?,
            (None, _) if slots.has(Slot::Hour) => return None,
            (None, Some(part)) => part.of(self.span)?,
            (None, None) => return Some(self),
        };
        // Noon is a time of day as well.
        let clock = clock.is_some() || part == Some(Part::Midday);
        let part = part.map(|part| (part, slots.get(Slot::Language).unwrap_or(0)));
        Some(Self {
            span: Span {
                cycle: self.span.cycle,
                ..span
            },
            part,
            clock,
            ..self
        })
    }
}

/// The phrases of a text, in its order; they do not overlap.
#[must_use]
pub fn phrases(text: &str, said: &Said) -> Vec<Phrase> {
    let tokens = tokens::split(text);
    let calendar = Calendar::new(said.zone.civil(said.at), said.lean);
    let mut found: Vec<range::Placed> = Vec::new();
    let asks = text.trim_end().ends_with(['?', '？']);
    let mut at = 0;
    while at < tokens.len() {
        let start = Cursor::new(&tokens, at);
        let Some((end, hit)) = phrase(start, &calendar) else {
            at += 1;
            continue;
        };
        if let Some(hit) = hit.filter(|_| !bound::is_left_out(start, end, asks)) {
            range::push(
                &mut found,
                range::Placed {
                    tokens: at..end.at(),
                    found: hit,
                },
                &tokens,
            );
        }
        at = end.at();
    }
    found
        .into_iter()
        .filter_map(|placed| placed.phrase(&tokens, &said.zone))
        .collect()
}

/// The phrase at a place and where it ends; without a time for a date that does not exist.
fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Option<RowMatch>)> {
    let dated = grammar().row(start).map(|(end, meaning, slots)| {
        let found = RowMatch::read(meaning, &slots, calendar);
        at_time(end, slots, found)
    });
    let clocked = clocked(start, calendar);
    let (end, found) = match (dated, clocked) {
        (Some(dated), Some(clocked)) if clocked.0.at() > dated.0.at() => clocked,
        (Some(dated), _) => dated,
        (None, clocked) => clocked?,
    };
    if start.behind(grammar().list(List::Never)).is_some() {
        return None;
    }
    let (end, bound) = bound::around(start, end);
    // "From 2010 to 2015" goes on no longer.
    let bound_of = |found: &RowMatch| {
        if found.joined && bound == Bound::Since {
            Bound::Within
        } else {
            bound
        }
    };
    Some((
        end,
        found.map(|found| RowMatch {
            bound: bound_of(&found),
            ..found
        }),
    ))
}

/// A date with the part or the time of its day that follows it, or that its row names.
fn at_time(
    end: Cursor<'_>,
    slots: Slots,
    found: Option<RowMatch>,
) -> (Cursor<'_>, Option<RowMatch>) {
    let Some(found) = found else {
        // A date that does not exist takes its time of day with it.
        return (
            end.longest(grammar().list(List::Times))
                .map_or(end, |(end, _)| end),
            None,
        );
    };
    if found.span.grain != Grain::Day {
        return (end, Some(found));
    }
    let named = end
        .longest(grammar().list(List::Times))
        .and_then(|(end, more)| {
            let more = if more.has(Slot::Part) {
                more
            } else {
                more.with_part_of(&slots)
            };
            Some((end, Some(found.timed(&more)?)))
        });
    named.unwrap_or_else(|| (end, found.timed(&slots)))
}

/// A time of day, and the date behind it, where one is: `3pm tomorrow`.
fn clocked<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Option<RowMatch>)> {
    let (end, clock) = start.longest(grammar().list(List::Clocks))?;
    let behind = end
        .longest(grammar().list(List::Joins))
        .map_or(end, |(end, _)| end);
    let on = grammar().row(behind).and_then(|(end, meaning, slots)| {
        let found = RowMatch::read(meaning, &slots, calendar)
            .filter(|found| found.span.grain == Grain::Day)?;
        let clock = if clock.has(Slot::Part) {
            clock
        } else {
            clock.with_part_of(&slots)
        };
        Some((end, Some(found.timed(&clock)?)))
    });
    on.or_else(|| {
        let today = RowMatch {
            undated: true,
            ..RowMatch::of(calendar.day(0)?)
        };
        Some((end, Some(today.timed(&clock)?)))
    })
}
