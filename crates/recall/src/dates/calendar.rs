use annals_types::Timestamp;
use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::Interval;

/// The day of the question, from which relative phrases count.
pub(super) struct Calendar {
    today: Date,
}

impl Calendar {
    pub(super) fn at(moment: Timestamp) -> Option<Self> {
        let instant = jiff::Timestamp::from_millisecond(moment.as_millis()).ok()?;
        Some(Self { today: TimeZone::UTC.to_datetime(instant).date() })
    }

    /// The whole day of a date that exists.
    pub(super) fn date(&self, year: i64, month: i64, day: i64) -> Option<Interval> {
        days(date(year, month, day)?, 1)
    }

    /// The latest such day that is not after today.
    pub(super) fn past_date(&self, month: i64, day: i64) -> Option<Interval> {
        let year = i64::from(self.today.year());
        let this_year = date(year, month, day).filter(|d| *d <= self.today);
        days(this_year.or_else(|| date(year - 1, month, day))?, 1)
    }

    /// A whole month.
    pub(super) fn month(&self, year: i64, month: i64) -> Option<Interval> {
        let first = date(year, month, 1)?;
        between(first, first.checked_add(1.month()).ok()?)
    }

    /// The latest such month that has begun.
    pub(super) fn past_month(&self, month: i64) -> Option<Interval> {
        let year = i64::from(self.today.year());
        self.month(if month > i64::from(self.today.month()) { year - 1 } else { year }, month)
    }

    /// The month `back` months before this one.
    pub(super) fn months_back(&self, back: i64) -> Option<Interval> {
        let first = self.today.first_of_month().checked_sub(span_months(back)?).ok()?;
        between(first, first.checked_add(1.month()).ok()?)
    }

    /// A whole year.
    pub(super) fn year(&self, year: i64) -> Option<Interval> {
        between(date(year, 1, 1)?, date(year + 1, 1, 1)?)
    }

    /// The year `back` years before this one.
    pub(super) fn years_back(&self, back: i64) -> Option<Interval> {
        self.year(i64::from(self.today.year()).checked_sub(back)?)
    }

    /// The day `back` days before today.
    pub(super) fn days_back(&self, back: i64) -> Option<Interval> {
        days(self.before(back)?, 1)
    }

    /// The seven days around the day `back` weeks ago: people count weeks loosely.
    pub(super) fn about_weeks_back(&self, back: i64) -> Option<Interval> {
        days(self.before(back.checked_mul(7)?.checked_add(3)?)?, 7)
    }

    /// The thirty days around the day `back` months ago.
    pub(super) fn about_months_back(&self, back: i64) -> Option<Interval> {
        days(self.before(back.checked_mul(30)?.checked_add(15)?)?, 30)
    }

    /// The week from Monday, `back` weeks before this one.
    pub(super) fn week_back(&self, back: i64) -> Option<Interval> {
        days(self.monday(back)?, 7)
    }

    /// A weekday of the week `back` weeks before this one.
    pub(super) fn weekday_of_week(&self, back: i64, weekday: Weekday) -> Option<Interval> {
        let offset = i64::from(weekday.to_monday_zero_offset());
        days(self.monday(back)?.checked_add(span_days(offset)?).ok()?, 1)
    }

    /// The latest such weekday before today.
    pub(super) fn last_weekday(&self, weekday: Weekday) -> Option<Interval> {
        let gap = i64::from(self.today.weekday().since(weekday));
        self.days_back(if gap == 0 { 7 } else { gap })
    }

    fn monday(&self, weeks_back: i64) -> Option<Date> {
        let offset = i64::from(self.today.weekday().to_monday_zero_offset());
        self.before(weeks_back.checked_mul(7)?.checked_add(offset)?)
    }

    fn before(&self, days: i64) -> Option<Date> {
        self.today.checked_sub(span_days(days)?).ok()
    }
}

/// Nobody asks for further back than this many days; it also keeps every span inside what jiff accepts.
const FARTHEST_DAYS: i64 = 366 * 1000;

fn span_days(days: i64) -> Option<jiff::Span> {
    (0..=FARTHEST_DAYS).contains(&days).then(|| days.days())
}

fn span_months(months: i64) -> Option<jiff::Span> {
    (0..=FARTHEST_DAYS / 31).contains(&months).then(|| months.months())
}

fn date(year: i64, month: i64, day: i64) -> Option<Date> {
    let (year, month, day) = (i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    Date::new(year, month, day).ok().filter(|d| d.year() >= 1)
}

fn days(first: Date, count: i64) -> Option<Interval> {
    between(first, first.checked_add(span_days(count)?).ok()?)
}

fn between(start: Date, end: Date) -> Option<Interval> {
    let moment = |d: Date| {
        let instant = TimeZone::UTC.to_timestamp(d.at(0, 0, 0, 0)).ok()?;
        Some(Timestamp::from_millis(instant.as_millisecond()))
    };
    let (start, end) = (moment(start)?, moment(end)?);
    (start < end).then_some(Interval { start, end })
}
