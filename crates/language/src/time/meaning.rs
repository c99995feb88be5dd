//! The times that rows of the tables mean.

use jiff::civil::Weekday;
use serde::Deserialize;

use super::calendar::{
    self, Calendar, Third, Unit, day_of, decade, month_of, season, third, week_around, week_in,
};
use super::cycle::Cycle;
use super::slots::{Slot, Slots};
use super::span::{Grain, Span, plus_days, plus_minutes};

/// The arithmetic of a row. Of rows of one length the first meaning of this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Meaning {
    /// The hour that ends now.
    JustNow,
    /// This minute.
    Now,
    /// A count of units that ends or begins now: `the past three days`.
    Stretch,
    /// The two weeks that end now, vaguely.
    Vague,
    /// From `least` to `most` days from today.
    FewDays,
    /// From `least` to `most` units from now.
    Few,
    /// A count of units from now: `three days ago`.
    Count,
    /// A calendar date, or a part of a year.
    Date,
    Quarter,
    /// A month so many from this one, or a day of one.
    Month,
    Weekend,
    Week,
    Weekday,
    /// A day so many from today.
    Day,
}

impl Meaning {
    /// The time that is meant; `None` for one that does not exist, such as 31 April.
    pub(super) fn span(self, slots: &Slots, calendar: &Calendar) -> Option<Span> {
        let get = |slot| slots.get(slot);
        let unit = || slots.one(Slot::Unit, &Unit::ALL);
        match self {
            Self::JustNow => {
                let end = plus_minutes(calendar.now, 1)?;
                Span::new(plus_minutes(end, -60)?, end, Grain::Minute)
            }
            Self::Now => {
                let minute = calendar
                    .today
                    .at(calendar.now.hour(), calendar.now.minute(), 0, 0);
                Span::new(minute, plus_minutes(minute, 1)?, Grain::Minute)
            }
            Self::Stretch => {
                let sign = get(Slot::Sign).unwrap_or_else(|| calendar.direction());
                calendar.stretch(sign * get(Slot::Count)?, unit()?)
            }
            Self::Vague => Some(Span {
                grain: Grain::Vague,
                ..calendar.stretch(-14, Unit::Day)?
            }),
            Self::FewDays => calendar.few_days(get(Slot::Least)?, get(Slot::Most)?),
            Self::Few => {
                let (least, most) = match get(Slot::Few) {
                    Some(least) => (least, least + 1),
                    None => (get(Slot::Least)?, get(Slot::Most)?),
                };
                calendar.few(get(Slot::Sign)?, least, most, unit()?)
            }
            Self::Count => calendar.counted(
                get(Slot::Sign)? * get(Slot::Count)?,
                unit()?,
                slots.has(Slot::Halves),
            ),
            Self::Date => date(slots, calendar),
            Self::Quarter => calendar.quarter(get(Slot::Turn)?),
            Self::Month => month(slots, calendar),
            Self::Week => match (get(Slot::Today), third_of(slots)) {
                (Some(_), _) => calendar.day(get(Slot::Turn)?.checked_mul(7)?),
                (None, None) => calendar.week(get(Slot::Turn)?),
                (None, Some(part)) => third(calendar.week(get(Slot::Turn)?)?, part),
            },
            Self::Weekend => {
                calendar.turned(get(Slot::Turn), Cycle::Week, |turn| calendar.weekend(turn))
            }
            Self::Weekday => weekday(slots, calendar),
            Self::Day => calendar.day(get(Slot::Offset)?),
        }
    }

    /// Whether the time stands by itself, as against counted from the moment.
    pub(super) fn is_absolute(self, slots: &Slots) -> bool {
        const NAMED: [Slot; 4] = [Slot::Year, Slot::Decade, Slot::Month, Slot::Quarter];
        self == Self::Date && !slots.has(Slot::Pick) && NAMED.iter().any(|slot| slots.has(*slot))
    }
}

fn third_of(slots: &Slots) -> Option<Third> {
    slots.one(Slot::Third, &Third::ALL)
}

/// A date of the year that is named, or of the one to which the calendar leans.
fn date(slots: &Slots, calendar: &Calendar) -> Option<Span> {
    let this = calendar.year_number();
    if let Some(number) = slots.get(Slot::Decade) {
        let century = slots
            .get(Slot::Century)
            .unwrap_or(if number >= 40 { 1900 } else { 2000 });
        let whole = decade(if number < 100 {
            century + number
        } else {
            number
        })?;
        return third_of(slots).map_or(Some(whole), |part| third(whole, part));
    }
    let year = slots
        .get(Slot::Year)
        .map(|year| if year < 100 { 2000 + year } else { year });
    let year = year.or_else(|| slots.get(Slot::YearTurn).map(|turn| this + turn));
    let of = |year: i64| in_year(year, slots, calendar);
    match (year, slots.get(Slot::Pick)) {
        (Some(year), _) => of(year),
        (None, Some(0)) => of(this),
        (None, Some(turn)) if turn < 0 => calendar.last(|turn| of(this + turn)),
        (None, Some(_)) => calendar.next(|turn| of(this + turn)),
        (None, None) => calendar.leaning(Cycle::Year, |turn| of(this + turn)),
    }
}

fn in_year(year: i64, slots: &Slots, calendar: &Calendar) -> Option<Span> {
    let get = |slot| slots.get(slot);
    let whole = if let Some(month) = get(Slot::Month) {
        match get(Slot::Day) {
            Some(day) => {
                let (first, last) = (
                    day_of(year, month, day)?,
                    day_of(year, month, get(Slot::DayEnd).unwrap_or(day))?,
                );
                first.up_to(last, Grain::Week)?
            }
            None => month_of(year, month)?.up_to(
                month_of(year, get(Slot::MonthEnd).unwrap_or(month))?,
                Grain::Month,
            )?,
        }
    } else if let Some(number) = get(Slot::Season) {
        season(year, number)?
    } else if let Some(number) = get(Slot::Quarter) {
        calendar::quarter(year, number)?
    } else if let Some(number) = get(Slot::Half) {
        calendar::half(year, number)?
    } else if let Some(number) = get(Slot::Holiday) {
        calendar::holiday(year, number)?
    } else if slots.has(Slot::Today) {
        day_of(
            year,
            calendar.today.month().into(),
            calendar.today.day().into(),
        )?
    } else {
        calendar::year(year)?.up_to(
            calendar::year(get(Slot::YearEnd).unwrap_or(year))?,
            Grain::Year,
        )?
    };
    if let Some(part) = third_of(slots) {
        third(whole, part)
    } else if let Some(number) = get(Slot::Nth) {
        week_in(whole, number)
    } else if slots.has(Slot::Around) {
        week_around(whole.start.date())
    } else {
        Some(whole)
    }
}

/// A month so many from this one, or days of one; without a turn those of the month to which the
/// calendar leans.
fn month(slots: &Slots, calendar: &Calendar) -> Option<Span> {
    let day = slots
        .get(Slot::Day)
        .or_else(|| slots.has(Slot::Today).then(|| calendar.today.day().into()));
    calendar.turned(slots.get(Slot::Turn), Cycle::Month, |turn| {
        if let Some(day) = day {
            let last = slots.get(Slot::DayEnd).unwrap_or(day);
            return calendar
                .day_of_month(turn, day)?
                .up_to(calendar.day_of_month(turn, last)?, Grain::Week);
        }
        let whole = calendar.month(turn)?;
        match (third_of(slots), slots.get(Slot::Nth)) {
            (Some(part), _) => third(whole, part),
            (None, Some(number)) => week_in(whole, number),
            (None, None) => Some(whole),
        }
    })
}

fn weekday(slots: &Slots, calendar: &Calendar) -> Option<Span> {
    let day = |slot| Weekday::from_monday_zero_offset(i8::try_from(slots.get(slot)?).ok()?).ok();
    let first = day(Slot::Weekday)?;
    let last = day(Slot::WeekdayEnd).unwrap_or(first);
    match slots.get(Slot::Near) {
        Some(-1) => calendar.last_weekday(first),
        Some(-2) => Span::days(
            plus_days(calendar.last_weekday(first)?.start.date(), -7)?,
            1,
            Grain::Day,
        ),
        Some(_) => calendar.coming_weekday(first),
        None => calendar.turned(slots.get(Slot::Turn), Cycle::Week, |turn| {
            calendar
                .weekday(turn, first)?
                .up_to(calendar.weekday(turn, last)?, Grain::Week)
        }),
    }
}
