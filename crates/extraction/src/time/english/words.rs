use annals_types::{MONTHS, WEEKDAYS};
use jiff::civil::Weekday;

use super::hour::clock;
use crate::time::calendar::Unit;
use crate::time::cursor::Cursor;

const SHORT_WEEKDAYS: [&str; 9] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun", "tues", "thurs"];
const COUNTS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const TENS: [(&str, i64); 6] =
    [("fifteen", 15), ("twenty", 20), ("thirty", 30), ("forty", 40), ("fifty", 50), ("sixty", 60)];
const ORDINALS: [&str; 13] = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// The number of a month by its name, its first three letters, or `sept`.
pub(super) fn month(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    let (end, word) = start.word()?;
    let number = month_name(word)?;
    // Three and five may be enough.
    (word != "may" || end.any(&["be", "have", "not"]).is_none()).then_some(())?;
    // Short names may end in a dot.
    let end = if word.len() <= 4 { end.mark('.').unwrap_or(end) } else { end };
    Some((end, number))
}

pub(super) fn month_name(word: &str) -> Option<i64> {
    let known = |name: &str| {
        name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && name == "september")
    };
    (1..).zip(MONTHS).find(|(_, name)| known(name)).map(|(number, _)| number)
}

/// The place of a weekday in the week by its name or its short form, and whether it is the name.
pub(super) fn weekday_name(word: &str) -> Option<(usize, bool)> {
    let name = WEEKDAYS.iter().position(|name| *name == word).map(|at| (at, true));
    let short = || SHORT_WEEKDAYS.iter().position(|name| *name == word);
    name.or_else(|| Some((short().map(|at| if at < 7 { at } else { 2 * at - 13 })?, false)))
}

/// Whether a word is a number, or `a`, or a place in a row.
pub(super) fn is_number(word: &str) -> bool {
    let tens = || TENS.iter().any(|(name, _)| *name == word);
    matches!(word, "a" | "an") || COUNTS.contains(&word) || ORDINALS.contains(&word) || tens()
}

/// A weekday by its name; its short forms only in front of a comma, a date or a time of day, where nothing else is meant: who "sat 2 rows
/// behind" names no Saturday.
pub(super) fn weekday(start: Cursor<'_>) -> Option<(Cursor<'_>, Weekday)> {
    let (end, word) = start.word()?;
    let (at, name) = weekday_name(word)?;
    let day = Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()?;
    if name {
        return Some((end, day));
    }
    let end = end.mark('.').unwrap_or(end);
    let dated = end.digits().is_some_and(|(end, _, _)| month(suffix(end).unwrap_or(end)).is_some());
    (end.mark(',').is_some() || dated || clock(end).is_some()).then_some(())?;
    Some((end, day))
}

/// A number in digits or words up to sixty, or `a`.
pub(super) fn count(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    if let Some((end, value, _)) = start.digits() {
        return Some((end, value));
    }
    let (end, word) = start.word()?;
    if matches!(word, "a" | "an") {
        return Some((end, 1));
    }
    if let Some((value, _)) = (0..).zip(COUNTS).find(|(_, name)| *name == word) {
        return Some((end, value));
    }
    let (_, tens) = TENS.iter().find(|(name, _)| *name == word)?;
    // twenty-three
    let ones = end.mark('-').unwrap_or(end).word().and_then(|(end, word)| {
        let (value, _) = (0..).zip(COUNTS).take(10).find(|(_, name)| *name == word)?;
        Some((end, value))
    });
    Some(ones.filter(|_| *tens >= 20).map_or((end, *tens), |(end, ones)| (end, tens + ones)))
}

pub(super) fn unit(start: Cursor<'_>) -> Option<(Cursor<'_>, Unit)> {
    let (end, word) = start.word()?;
    let unit = match word {
        "minute" | "minutes" | "min" | "mins" => Unit::Minute,
        "hour" | "hours" => Unit::Hour,
        "day" | "days" | "night" | "nights" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "fortnight" | "fortnights" => Unit::Fortnight,
        "month" | "months" => Unit::Month,
        "year" | "years" => Unit::Year,
        _ => return None,
    };
    Some((end, unit))
}

/// `3rd`, `third`: a place in a row.
pub(super) fn ordinal(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    if let Some((end, value, 1..=2)) = start.digits() {
        return Some((suffix(end)?, value));
    }
    let (end, word) = start.word()?;
    Some((end, (0..).zip(ORDINALS).find(|(_, name)| *name == word)?.0))
}

/// `st`, `nd`, `rd` or `th` right behind a number.
pub(super) fn suffix(start: Cursor<'_>) -> Option<Cursor<'_>> {
    start.glued().then(|| start.any(&["st", "nd", "rd", "th"]))?
}

pub(super) fn season(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    start.one_of(&[("spring", 0), ("summer", 1), ("fall", 2), ("autumn", 2), ("winter", 3)])
}
