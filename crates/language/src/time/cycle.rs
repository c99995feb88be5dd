//! Times that come again: a Friday of every week, a 15th of every month, a May of every year.

use jiff::civil::{Date, DateTime};

use super::span::{Grain, Span, date, plus_days, plus_months};

/// The unit that the words of a span leave open, so that it may as well lie in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cycle {
    /// Friday
    Week,
    /// 15号
    Month,
    /// 3月5号
    Year,
}

impl Cycle {
    /// A span as long as the cycle itself, or longer, says nothing of where in it another one
    /// lies: from last month to Friday.
    pub(super) const fn grain(self) -> Grain {
        match self {
            Self::Week => Grain::Week,
            Self::Month => Grain::Month,
            Self::Year => Grain::Year,
        }
    }

    /// Its number, counted from a moment that is the same for all.
    fn number(self, date: Date) -> i64 {
        match self {
            Self::Week => {
                (i64::from(Date::ZERO.until(date).map_or(0, |span| span.get_days()))).div_euclid(7)
            }
            Self::Month => i64::from(date.year()) * 12 + i64::from(date.month()),
            Self::Year => i64::from(date.year()),
        }
    }

    /// The same place so many cycles later, where there is one: no 30 February.
    fn turned(self, time: DateTime, turns: i64) -> Option<DateTime> {
        let day = time.date();
        let day = match self {
            Self::Week => plus_days(day, turns.checked_mul(7)?)?,
            Self::Month => {
                let first = plus_months(day.first_of_month(), turns)?;
                date(first.year().into(), first.month().into(), day.day().into())?
            }
            Self::Year => date(
                i64::from(day.year()).checked_add(turns)?,
                day.month().into(),
                day.day().into(),
            )?,
        };
        Some(day.to_datetime(time.time()))
    }
}

impl Span {
    /// Whether its words name no year.
    pub(super) fn is_yearless(&self) -> bool {
        self.cycle == Some(Cycle::Year)
    }

    /// The same stretch so many cycles later, where it leaves open which it is of.
    fn turned(self, turns: i64) -> Option<Self> {
        let cycle = self.cycle?;
        let start = cycle.turned(self.start, turns)?;
        // A day ends with the next one, and not where it would end in another month.
        let end = match self.grain {
            Grain::Minute | Grain::Hour | Grain::Part | Grain::Day => start
                .checked_add(self.end.duration_since(self.start))
                .ok()?,
            _ => cycle.turned(self.end, turns)?,
        };
        Some(Self {
            cycle: Some(cycle),
            ..Self::new(start, end, self.grain)?
        })
    }

    /// The same stretch of another year.
    pub(super) fn in_year(self, year: i16) -> Option<Self> {
        let turned = self.turned(i64::from(year) - i64::from(self.start.year()))?;
        Some(Self {
            cycle: None,
            ..turned
        })
    }

    /// The first one from a moment on.
    pub(super) fn from(self, moment: DateTime) -> Option<Self> {
        self.near(moment)?.find(|span| span.start >= moment)
    }

    /// The last one that is over at a moment.
    pub(super) fn until(self, moment: DateTime) -> Option<Self> {
        self.near(moment)?.rev().find(|span| span.end <= moment)
    }

    /// Those around a moment: a 31st may be two months away, a 29 February eight years.
    fn near(self, moment: DateTime) -> Option<impl DoubleEndedIterator<Item = Self>> {
        const FARTHEST: i64 = 8;
        let cycle = self.cycle?;
        let turns = cycle.number(moment.date()) - cycle.number(self.start.date());
        Some((turns - FARTHEST..=turns + FARTHEST).filter_map(move |turns| self.turned(turns)))
    }
}
