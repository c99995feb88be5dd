use jiff::civil::{Date, DateTime, Weekday};
use serde::Deserialize;

use crate::figures::WEEKDAYS;

use super::cycle::Cycle;
use super::span::{Grain, Span, date, plus_days, plus_minutes, plus_months};

/// Which way a phrase points that does not say so itself, such as "on Friday" or "in May".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lean {
    /// To the latest one that has begun: questions about what was.
    #[default]
    Past,
    /// To the next one that is not over: plans.
    Future,
}

/// The moment from which phrases count, as calendar and clock show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    pub(super) now: DateTime,
    pub(super) today: Date,
    lean: Lean,
}

/// A unit of time that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

/// A part of a month, a year or a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Third {
    Early,
    Middle,
    Late,
}

impl Unit {
    pub(super) const ALL: [Self; 7] = [
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Fortnight,
        Self::Month,
        Self::Year,
    ];
}

impl Third {
    pub(super) const ALL: [Self; 3] = [Self::Early, Self::Middle, Self::Late];
}

impl Calendar {
    pub(super) fn new(now: DateTime, lean: Lean) -> Self {
        Self {
            now,
            today: now.date(),
            lean,
        }
    }

    /// 1 where phrases lean to the future, else -1.
    pub(super) const fn direction(&self) -> i64 {
        if matches!(self.lean, Lean::Future) {
            1
        } else {
            -1
        }
    }

    /// The span of the turn (this year, this week ...) unless it lies the other way; then that of
    /// the nearest turn before or after which has such a span: a 29 February may be eight years
    /// away.
    pub(super) fn leaning(&self, cycle: Cycle, span: impl Fn(i64) -> Option<Span>) -> Option<Span> {
        let this = span(0);
        let span = match self.lean {
            Lean::Past => this
                .filter(|s| s.start <= self.now)
                .or_else(|| (1..=8).find_map(|turns| span(-turns))),
            Lean::Future => this
                .filter(|s| s.end > self.now)
                .or_else(|| (1..=8).find_map(&span)),
        }?;
        Some(Span {
            cycle: Some(cycle),
            ..span
        })
    }

    /// The span of a turn, or of the one to which the calendar leans.
    pub(super) fn turned(
        &self,
        turn: Option<i64>,
        cycle: Cycle,
        span: impl Fn(i64) -> Option<Span>,
    ) -> Option<Span> {
        turn.map_or_else(|| self.leaning(cycle, &span), &span)
    }

    /// The latest span that is over.
    pub(super) fn last(&self, span: impl Fn(i64) -> Option<Span>) -> Option<Span> {
        [0, -1, -2]
            .into_iter()
            .find_map(|turn| span(turn).filter(|s| s.end <= self.now))
    }

    /// The first span that has not begun.
    pub(super) fn next(&self, span: impl Fn(i64) -> Option<Span>) -> Option<Span> {
        [0, 1, 2]
            .into_iter()
            .find_map(|turn| span(turn).filter(|s| s.start > self.now))
    }

    pub(super) fn year_number(&self) -> i64 {
        i64::from(self.today.year())
    }

    /// The day so many days from today.
    pub(super) fn day(&self, offset: i64) -> Option<Span> {
        Span::days(plus_days(self.today, offset)?, 1, Grain::Day)
    }

    /// The week from Monday, so many weeks from this one.
    pub(super) fn week(&self, offset: i64) -> Option<Span> {
        Span::days(self.monday(offset)?, 7, Grain::Week)
    }

    pub(super) fn weekend(&self, offset: i64) -> Option<Span> {
        Span::days(plus_days(self.monday(offset)?, 5)?, 2, Grain::Week)
    }

    /// A weekday of the week so many weeks from this one.
    pub(super) fn weekday(&self, offset: i64, weekday: Weekday) -> Option<Span> {
        Span::days(
            plus_days(
                self.monday(offset)?,
                i64::from(weekday.to_monday_zero_offset()),
            )?,
            1,
            Grain::Day,
        )
    }

    /// The latest such weekday before today.
    pub(super) fn last_weekday(&self, weekday: Weekday) -> Option<Span> {
        let gap = i64::from(self.today.weekday().since(weekday));
        self.day(if gap == 0 { -7 } else { -gap })
    }

    /// The next such weekday after today.
    pub(super) fn coming_weekday(&self, weekday: Weekday) -> Option<Span> {
        let gap = i64::from(self.today.weekday().until(weekday));
        self.day(if gap == 0 { 7 } else { gap })
    }

    /// The month so many months from this one.
    pub(super) fn month(&self, offset: i64) -> Option<Span> {
        let first = plus_months(self.today.first_of_month(), offset)?;
        Span::between(first, plus_months(first, 1)?, Grain::Month)
    }

    /// A day of the month so many months from this one.
    pub(super) fn day_of_month(&self, offset: i64, day: i64) -> Option<Span> {
        let first = self.month(offset)?.start.date();
        Span::days(
            date(first.year().into(), first.month().into(), day)?,
            1,
            Grain::Day,
        )
    }

    /// The day, week, month or year so many units away; counted weeks and months are meant
    /// loosely, and so are what is around them.
    pub(super) fn counted(&self, count: i64, unit: Unit, halves: bool) -> Option<Span> {
        let half = i64::from(halves) * count.signum();
        let around = |days: i64, width: i64, grain| {
            Span::days(
                plus_days(self.today, days.checked_sub(width / 2)?)?,
                width,
                grain,
            )
        };
        match unit {
            Unit::Minute => {
                let start = plus_minutes(self.now, count)?;
                Span::new(start, plus_minutes(start, 1)?, Grain::Minute)
            }
            Unit::Hour => {
                let start = plus_minutes(
                    self.now,
                    count
                        .checked_mul(60)?
                        .checked_add(half * 30)?
                        .checked_sub(30)?,
                )?;
                Span::new(start, plus_minutes(start, 60)?, Grain::Hour)
            }
            Unit::Day => self.day(count),
            Unit::Week => around(count.checked_mul(7)?.checked_add(half * 3)?, 7, Grain::Week),
            Unit::Fortnight => around(
                count.checked_mul(14)?.checked_add(half * 7)?,
                7,
                Grain::Week,
            ),
            Unit::Month => around(
                count.checked_mul(30)?.checked_add(half * 15)?,
                30,
                Grain::Month,
            ),
            Unit::Year if halves => around(
                count.checked_mul(365)?.checked_add(half * 182)?,
                90,
                Grain::Season,
            ),
            Unit::Year => year(self.year_number().checked_add(count)?),
        }
    }

    /// The stretch of so many units that ends now (a negative count) or begins now.
    pub(super) fn stretch(&self, count: i64, unit: Unit) -> Option<Span> {
        let far = match unit {
            Unit::Minute => plus_minutes(self.now, count)?,
            Unit::Hour => plus_minutes(self.now, count.checked_mul(60)?)?,
            Unit::Day => self.at_same_time(plus_days(self.today, count)?),
            Unit::Week => self.at_same_time(plus_days(self.today, count.checked_mul(7)?)?),
            Unit::Fortnight => self.at_same_time(plus_days(self.today, count.checked_mul(14)?)?),
            Unit::Month => self.at_same_time(plus_months(self.today, count)?),
            Unit::Year => self.at_same_time(plus_months(self.today, count.checked_mul(12)?)?),
        };
        let grain = match unit {
            Unit::Minute => Grain::Minute,
            Unit::Hour => Grain::Hour,
            Unit::Day | Unit::Week | Unit::Fortnight => Grain::Week,
            Unit::Month => Grain::Month,
            Unit::Year => Grain::Year,
        };
        Span::new(self.now.min(far), self.now.max(far), grain)
    }

    fn at_same_time(&self, day: Date) -> DateTime {
        day.to_datetime(self.now.time())
    }

    /// The days from so many to so many days from today, the last included.
    pub(super) fn few_days(&self, from: i64, to: i64) -> Option<Span> {
        Span::between(
            plus_days(self.today, from)?,
            plus_days(self.today, to + 1)?,
            Grain::Week,
        )
    }

    /// From so many to so many units from now, loosely.
    pub(super) fn few(&self, sign: i64, least: i64, most: i64, unit: Unit) -> Option<Span> {
        let (width, grain) = match unit {
            Unit::Minute => return self.stretch(sign * 10, unit),
            Unit::Hour => return self.stretch(sign * 8, unit),
            Unit::Day => (1, Grain::Week),
            Unit::Week => (7, Grain::Month),
            Unit::Fortnight => (14, Grain::Season),
            Unit::Month => (30, Grain::Season),
            Unit::Year => (365, Grain::Years),
        };
        let (near, far) = (sign * least * width, sign * most * width);
        Some(Span {
            grain,
            ..self.few_days(near.min(far), near.max(far))?
        })
    }

    /// The quarter so many quarters from this one.
    pub(super) fn quarter(&self, offset: i64) -> Option<Span> {
        let this = i64::from(self.today.month() - 1) / 3 + offset;
        quarter(
            self.year_number() + this.div_euclid(4),
            this.rem_euclid(4) + 1,
        )
    }

    fn monday(&self, offset: i64) -> Option<Date> {
        let back = i64::from(self.today.weekday().to_monday_zero_offset());
        plus_days(self.today, offset.checked_mul(7)?.checked_sub(back)?)
    }
}

/// A date of a year.
pub(super) fn day_of(year: i64, month: i64, day: i64) -> Option<Span> {
    Span::days(date(year, month, day)?, 1, Grain::Day)
}

/// A month of a year.
pub(super) fn month_of(year: i64, month: i64) -> Option<Span> {
    let first = date(year, month, 1)?;
    Span::between(first, plus_months(first, 1)?, Grain::Month)
}

pub(super) fn year(year: i64) -> Option<Span> {
    Span::between(date(year, 1, 1)?, date(year + 1, 1, 1)?, Grain::Year)
}

/// Ten years from a year on.
pub(super) fn decade(first: i64) -> Option<Span> {
    Span::between(date(first, 1, 1)?, date(first + 10, 1, 1)?, Grain::Years)
}

/// A season of the northern half of the earth, by whole months: 0 is spring, from March on; winter
/// goes into the next year.
pub(super) fn season(year: i64, number: i64) -> Option<Span> {
    let first = plus_months(date(year, 3, 1)?, number.checked_mul(3)?)?;
    Span::between(first, plus_months(first, 3)?, Grain::Season)
}

/// A quarter of a year, 1 to 4.
pub(super) fn quarter(year: i64, number: i64) -> Option<Span> {
    let number = (1..=4).contains(&number).then_some(number)?;
    let first = plus_months(date(year, 1, 1)?, (number - 1) * 3)?;
    Span::between(first, plus_months(first, 3)?, Grain::Season)
}

/// Half a year, 0 or 1.
pub(super) fn half(year: i64, number: i64) -> Option<Span> {
    let first = plus_months(date(year, 1, 1)?, number.checked_mul(6)?)?;
    Span::between(first, plus_months(first, 6)?, Grain::Season)
}

/// The first to fifth seven days of a month, or its last (0).
pub(super) fn week_in(month: Span, number: i64) -> Option<Span> {
    let (first, end) = (month.start.date(), month.end.date());
    let start = match number {
        0 => plus_days(end, -7)?,
        1..=5 => plus_days(first, (number - 1) * 7)?,
        _ => return None,
    };
    Span::between(start, plus_days(start, 7)?.min(end), Grain::Week)
}

/// The days of a holiday, as [`holiday_number`] has it. Those of the moon's calendar would need
/// tables of new moons.
pub(super) fn holiday(year: i64, number: i64) -> Option<Span> {
    if number < 0 {
        let (month, nth, weekday) = (-number / 100, -number / 10 % 10, -number % 10);
        let weekday = Weekday::from_monday_zero_offset(i8::try_from(weekday).ok()?).ok()?;
        let day = date(year, month, 1)?
            .nth_weekday_of_month(i8::try_from(nth).ok()?, weekday)
            .ok()?;
        return Span::days(day, 1, Grain::Day);
    }
    let (month, day, days) = (number / 1000, number / 10 % 100, number % 10);
    Span::days(
        date(year, month, day)?,
        days,
        if days == 1 { Grain::Day } else { Grain::Week },
    )
}

/// A holiday of the tables as a number: `05-01x5` is five days from 1 May, `11-4xthursday` the
/// fourth Thursday of November.
pub(super) fn holiday_number(text: &str) -> Option<i16> {
    let (month, rest) = text.split_once('-')?;
    let (number, rest) = rest.split_once('x')?;
    let (month, number): (i16, i16) = (month.parse().ok()?, number.parse().ok()?);
    if let Ok(days) = rest.parse::<i16>() {
        return Some(month * 1000 + number * 10 + days);
    }
    let weekday = i16::try_from(WEEKDAYS.iter().position(|name| *name == rest)?).ok()?;
    Some(-(month * 100 + number * 10 + weekday))
}

/// The week from Monday in which a day lies.
pub(super) fn week_around(day: Date) -> Option<Span> {
    Span::days(
        plus_days(day, -i64::from(day.weekday().to_monday_zero_offset()))?,
        7,
        Grain::Week,
    )
}

/// The beginning, the middle or the end of a decade, a month, a year, a season or a week: its
/// thirds by days.
pub(super) fn third(whole: Span, third: Third) -> Option<Span> {
    let (first, last) = (whole.start.date(), whole.end.date());
    let (one, two) = match whole.grain {
        Grain::Month => (plus_days(first, 10)?, plus_days(first, 20)?),
        Grain::Year => (plus_months(first, 4)?, plus_months(first, 8)?),
        Grain::Years => (plus_months(first, 40)?, plus_months(first, 80)?),
        Grain::Season => (plus_months(first, 1)?, plus_months(first, 2)?),
        Grain::Week => (plus_days(first, 2)?, plus_days(first, 4)?),
        _ => return None,
    };
    let grain = match whole.grain {
        Grain::Month | Grain::Week => Grain::Week,
        Grain::Years => Grain::Years,
        _ => Grain::Month,
    };
    match third {
        Third::Early => Span::between(first, one, grain),
        Third::Middle => Span::between(one, two, grain),
        Third::Late => Span::between(two, last, grain),
    }
}
