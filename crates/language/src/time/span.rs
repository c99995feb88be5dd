use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, ToSpan};

use super::cycle::Cycle;

/// How exactly a phrase says when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Grain {
    /// To the minute.
    Minute,
    /// To the hour.
    Hour,
    /// A part of a day, such as an evening.
    Part,
    /// A day.
    Day,
    /// A week, a weekend or a few days.
    Week,
    /// A month or a third of one.
    Month,
    /// A season, a quarter or half a year.
    Season,
    /// A year.
    Year,
    /// More than a year.
    Years,
    /// A stretch without definite ends: "recently".
    Vague,
}

/// A stretch of calendar and clock, from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) start: DateTime,
    pub(super) end: DateTime,
    pub(super) grain: Grain,
    /// The unit that its words leave open.
    pub(super) cycle: Option<Cycle>,
}

/// A time further away than this many days is no time that a text means. The limit also keeps
/// every sum inside what jiff accepts.
const FARTHEST_DAYS: i64 = 366 * 1000;

impl Span {
    pub(super) fn new(start: DateTime, end: DateTime, grain: Grain) -> Option<Self> {
        (start < end && start.year() >= 1).then_some(Self {
            start,
            end,
            grain,
            cycle: None,
        })
    }

    /// Whole days from `first` on.
    pub(super) fn days(first: Date, count: i64, grain: Grain) -> Option<Self> {
        Self::between(first, plus_days(first, count)?, grain)
    }

    /// From the beginning of one date to the beginning of another.
    pub(super) fn between(start: Date, end: Date, grain: Grain) -> Option<Self> {
        Self::new(start.at(0, 0, 0, 0), end.at(0, 0, 0, 0), grain)
    }

    /// A part of a day in minutes from its midnight; beyond 24 hours it goes on into the next day.
    pub(super) fn minutes(day: Date, from: i64, to: i64, grain: Grain) -> Option<Self> {
        let midnight = day.at(0, 0, 0, 0);
        Self::new(
            plus_minutes(midnight, from)?,
            plus_minutes(midnight, to)?,
            grain,
        )
    }

    /// From the beginning of this to the end of another, of a grain unless both are one.
    pub(super) fn up_to(self, last: Self, grain: Grain) -> Option<Self> {
        if self == last {
            Some(self)
        } else {
            Self::new(self.start, last.end, grain)
        }
    }

    /// The date, where the span is one whole day.
    pub(super) fn day(&self) -> Option<Date> {
        (self.grain == Grain::Day).then(|| self.start.date())
    }
}

pub(super) fn plus_days(date: Date, days: i64) -> Option<Date> {
    let days = days.abs().le(&FARTHEST_DAYS).then(|| days.days())?;
    date.checked_add(days).ok()
}

pub(super) fn plus_months(date: Date, months: i64) -> Option<Date> {
    let months = months
        .abs()
        .le(&(FARTHEST_DAYS / 31))
        .then(|| months.months())?;
    date.checked_add(months).ok()
}

pub(super) fn plus_minutes(time: DateTime, minutes: i64) -> Option<DateTime> {
    let minutes = minutes
        .abs()
        .le(&(FARTHEST_DAYS * 24 * 60))
        .then(|| SignedDuration::from_mins(minutes))?;
    time.checked_add(minutes).ok()
}

/// A date that exists, in a year that people write.
pub(super) fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let (year, month, day) = (
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    );
    Date::new(year, month, day)
        .ok()
        .filter(|date| date.year() >= 1)
}
