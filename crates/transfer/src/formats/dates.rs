//! Dates and times of day as people write them: in numbers, in the order of their country.

use annals_engine::Error;
use annals_types::Wording;
use jiff::civil::{Date, DateTime, Time};

use super::record::DateOrder;

/// Three numbers that are a date, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    parts: [u16; 3],
    /// Whether the first is written with four digits.
    year_first: bool,
    dotted: bool,
}

const ORDERS: [DateOrder; 3] = [
    DateOrder::DayMonthYear,
    DateOrder::MonthDayYear,
    DateOrder::YearMonthDay,
];

impl Numbers {
    /// A date at the beginning of a text, and what stands behind it.
    pub(super) fn parse(text: &str) -> Option<(Self, &str)> {
        let mut rest = text;
        let (mut parts, mut widths, mut mark) = ([0_u16; 3], [0; 3], None);
        for (at, (part, width)) in parts.iter_mut().zip(&mut widths).enumerate() {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            *part = rest
                .get(..end)
                .filter(|digits| (1..=4).contains(&digits.len()))?
                .parse()
                .ok()?;
            *width = end;
            rest = rest.get(end..)?;
            if at < 2 {
                let next = rest
                    .chars()
                    .next()
                    .filter(|c| matches!(c, '/' | '.' | '-'))?;
                if mark.is_some_and(|mark| mark != next) {
                    return None;
                }
                mark = Some(next);
                rest = rest.get(1..)?.trim_start_matches(' ');
            }
        }
        let [first, second, last] = widths;
        if second > 2 || !matches!((first, last), (1 | 2, 1 | 2 | 4) | (4, 1 | 2)) {
            return None;
        }
        // A full stop behind the year, as in Hungarian.
        let rest = if mark == Some('.') {
            rest.strip_prefix('.').unwrap_or(rest)
        } else {
            rest
        };
        Some((
            Self {
                parts,
                year_first: first == 4,
                dotted: mark == Some('.'),
            },
            rest,
        ))
    }

    /// The date in an order; none where there is no such date.
    pub(super) fn date(self, order: DateOrder) -> Option<Date> {
        let [one, two, three] = self.parts;
        let (year, month, day) = match order {
            _ if self.year_first => (one, two, three),
            DateOrder::DayMonthYear => (three, two, one),
            DateOrder::MonthDayYear => (three, one, two),
            DateOrder::YearMonthDay => (one, two, three),
        };
        let year = if year < 100 { year + 2000 } else { year };
        Date::new(
            i16::try_from(year).ok()?,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
        )
        .ok()
    }
}

/// The order of the dates of a file, decided over all of them.
#[derive(Debug, Default)]
pub(super) struct OrderVotes {
    candidates: [Candidate; 3],
    seen: bool,
    dotted: bool,
}

#[derive(Debug, Default)]
struct Candidate {
    /// Dates that are none in this order.
    impossible: u64,
    /// Steps that go back in time.
    back: u64,
    last: Option<Date>,
}

impl OrderVotes {
    /// Takes note of a date.
    pub(super) fn count(&mut self, numbers: Numbers) {
        self.seen = true;
        self.dotted |= numbers.dotted;
        for (candidate, order) in self.candidates.iter_mut().zip(ORDERS) {
            match numbers.date(order) {
                Some(date) => {
                    candidate.back += u64::from(candidate.last.is_some_and(|last| date < last));
                    candidate.last = Some(date);
                }
                None => candidate.impossible += 1,
            }
        }
    }

    /// The order in which all dates are dates, and in which fewest steps go back.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where two orders are as good as
    /// each other and mean different days.
    pub(super) fn order(&self, told: Option<DateOrder>) -> Result<DateOrder, Error> {
        if let Some(order) = told {
            return Ok(order);
        }
        let rank = |candidate: &Candidate| (candidate.impossible, candidate.back);
        let best = self.candidates.iter().map(rank).min().unwrap_or_default();
        let good: Vec<(DateOrder, Option<Date>)> = ORDERS
            .into_iter()
            .zip(&self.candidates)
            .filter(|(_, candidate)| rank(candidate) == best)
            .map(|(order, candidate)| (order, candidate.last))
            .collect();
        let first = good
            .first()
            .map_or(DateOrder::DayMonthYear, |(order, _)| *order);
        // A year in two digits stands last wherever that can be.
        let open: Vec<_> = good
            .iter()
            .filter(|(order, _)| *order != DateOrder::YearMonthDay)
            .collect();
        let same = open
            .iter()
            .all(|(_, last)| open.first().is_some_and(|(_, first)| first == last));
        if !self.seen || open.len() < 2 || same || self.dotted {
            return Ok(first);
        }
        let reason = "whether the day or the month comes first in its dates cannot be told; say `--date-order dmy` or \
                      `--date-order mdy`";
        Err(Error::bad_input_worded(
            reason,
            Some(Wording::new("import-date-order", &[])),
        ))
    }
}

/// Marks of the half of the day, before or behind the time.
const MORNING: [&str; 9] = [
    "a.m.", "a. m.", "am", "上午", "凌晨", "早上", "清晨", "오전", "午前",
];
const AFTERNOON: [&str; 10] = [
    "p.m.", "p. m.", "pm", "下午", "晚上", "中午", "傍晚", "오후", "午後", "午后",
];

/// A time of day at the beginning of a text, and what stands behind it: `18:05`, `6.05.09 PM`,
/// `下午6:05`.
pub(super) fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let text = text.trim_start_matches(is_space);
    let (before, rest) = half_of_day(text);
    let mut rest = rest.trim_start_matches(is_space);
    let mut parts = [0_i8; 3];
    let mut count = 0;
    for part in &mut parts {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        *part = rest
            .get(..end)
            .filter(|digits| (1..=2).contains(&digits.len()))?
            .parse()
            .ok()?;
        count += 1;
        rest = rest.get(end..)?;
        let more = rest
            .get(1..)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if count == 3 || !more || !rest.starts_with([':', '.']) {
            break;
        }
        rest = rest.get(1..)?;
    }
    if count < 2 {
        return None;
    }
    let (behind, after) = half_of_day(rest.trim_start_matches(is_space));
    if behind.is_some() {
        rest = after;
    }
    let [hour, minute, second] = parts;
    let hour = match before.or(behind) {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour,
    };
    Some((Time::new(hour, minute, second, 0).ok()?, rest))
}

/// Whether a text begins with a mark of the second half of the day, and what stands behind it.
fn half_of_day(text: &str) -> (Option<bool>, &str) {
    let start: String = text
        .chars()
        .take(6)
        .map(|c| if is_space(c) { ' ' } else { c })
        .collect();
    let start = start.to_lowercase();
    for (marks, is_second) in [(&MORNING[..], false), (&AFTERNOON[..], true)] {
        for mark in marks {
            if start.starts_with(mark) {
                let length: usize = text
                    .chars()
                    .take(mark.chars().count())
                    .map(char::len_utf8)
                    .sum();
                let rest = text.get(length..).unwrap_or_default();
                // "amber" is no mark.
                if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    return (Some(is_second), rest);
                }
            }
        }
    }
    (None, text)
}

pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// A date in numbers with or without a time behind it, as a whole text.
pub(super) fn written(text: &str, order: DateOrder) -> Option<DateTime> {
    let (numbers, rest) = Numbers::parse(text.trim())?;
    let date = numbers.date(order)?;
    let rest = rest.trim_start_matches(',').trim_matches(is_space);
    if rest.is_empty() {
        return Some(date.at(0, 0, 0, 0));
    }
    let (time, rest) = time_of_day(rest)?;
    rest.trim().is_empty().then(|| date.to_datetime(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(dates: &[&str]) -> Option<DateOrder> {
        let mut votes = OrderVotes::default();
        dates
            .iter()
            .for_each(|date| votes.count(Numbers::parse(date).unwrap().0));
        votes.order(None).ok()
    }

    #[test]
    fn the_order_of_dates_is_decided_over_all_of_them() {
        use DateOrder::{DayMonthYear, MonthDayYear, YearMonthDay};
        assert_eq!(order(&["1/2/26", "13/2/26"]), Some(DayMonthYear));
        assert_eq!(order(&["1/2/26", "1/13/26"]), Some(MonthDayYear));
        // No number over 12, but one order goes back in time.
        assert_eq!(
            order(&["5/1/26", "6/1/26", "1/2/26", "2/2/26"]),
            Some(DayMonthYear)
        );
        assert_eq!(
            order(&["1/5/26", "1/6/26", "2/1/26", "2/2/26"]),
            Some(MonthDayYear)
        );
        assert_eq!(
            order(&["2026-01-31"]),
            Some(DayMonthYear),
            "the year tells itself"
        );
        assert_eq!(
            order(&["26/12/30", "26/12/31", "27/1/1"]),
            Some(YearMonthDay)
        );
        assert_eq!(order(&["3.4.26"]), Some(DayMonthYear));
        assert_eq!(order(&["3/4/26"]), None);
        assert_eq!(
            order(&["4/4/26"]),
            Some(DayMonthYear),
            "both mean the same day"
        );
    }

    #[test]
    fn times_of_day_are_read_in_the_forms_of_countries() {
        for (text, told, rest) in [
            ("18:05 - x", "18:05:00", " - x"),
            ("6:07\u{202f}PM] x", "18:07:00", "] x"),
            ("12:00 a. m. - x", "00:00:00", " - x"),
            ("下午6:05 - x", "18:05:00", " - x"),
            ("오전 9:01:30]", "09:01:30", "]"),
            ("18.05.09] x", "18:05:09", "] x"),
            ("9:15 amber", "09:15:00", " amber"),
        ] {
            let (time, behind) = time_of_day(text).unwrap();
            assert_eq!((time.to_string().as_str(), behind), (told, rest), "{text}");
        }
        assert!(
            time_of_day("25:00").is_none()
                && time_of_day("x").is_none()
                && time_of_day("6 pm").is_none()
        );
    }
}
