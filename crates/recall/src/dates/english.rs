use jiff::civil::Weekday;

use super::calendar::Calendar;
use super::tokens::Token;
use super::{Interval, Match};

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const COUNTS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words after which a bare month or year is meant as one.
const LEADS: [&str; 12] =
    ["in", "of", "since", "during", "by", "until", "this", "last", "early", "late", "mid", "from"];

/// The English date phrase at the start of `tokens`.
pub(super) fn phrase(tokens: &[Token], calendar: &Calendar) -> Option<Match> {
    absolute(tokens, calendar)
        .map(|(tokens, interval)| Match { tokens, interval, absolute: true })
        .or_else(|| relative(tokens, calendar).map(|(tokens, interval)| Match { tokens, interval, absolute: false }))
}

fn absolute(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    if let [
        Token::Number(y, 4),
        Token::Mark('-'),
        Token::Number(m, 1..=2),
        Token::Mark('-'),
        Token::Number(d, 1..=2),
        ..,
    ] = tokens
    {
        return Some((5, calendar.date(*y, *m, *d)?));
    }
    month_first(tokens, calendar).or_else(|| day_first(tokens, calendar)).or_else(|| led(tokens, calendar))
}

/// `March 3`, `March 3rd, 2023`, `March 2023`.
fn month_first(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let month = month(tokens.first()?)?;
    let after_dot = 1 + usize::from(tokens.get(1) == Some(&Token::Mark('.')));
    match tokens.get(after_dot)? {
        Token::Number(day, 1..=2) => {
            let after_day = after_dot + 1 + ordinal(tokens.get(after_dot + 1));
            let (used, year) = year_behind(tokens, after_day);
            let interval = match year {
                Some(year) => calendar.date(year, month, *day)?,
                None => calendar.past_date(month, *day)?,
            };
            Some((used, interval))
        }
        _ => {
            let skip = usize::from(tokens.get(after_dot).is_some_and(|t| t.is_word("of") || *t == Token::Mark(',')));
            match tokens.get(after_dot + skip)? {
                Token::Number(year, 4) => Some((after_dot + skip + 1, calendar.month(*year, month)?)),
                _ => None,
            }
        }
    }
}

/// `3 March`, `3rd of March 2023`.
fn day_first(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let Token::Number(day, 1..=2) = tokens.first()? else { return None };
    let mut at = 1 + ordinal(tokens.get(1));
    at += usize::from(tokens.get(at).is_some_and(|t| t.is_word("of")));
    let month = month(tokens.get(at)?)?;
    let (used, year) = year_behind(tokens, at + 1);
    let interval = match year {
        Some(year) => calendar.date(year, month, *day)?,
        None => calendar.past_date(month, *day)?,
    };
    Some((used, interval))
}

/// `in March`, `since 2023`: the lead decides that a date is meant. The month itself goes to the other rules first.
fn led(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let lead = tokens.first()?.word()?;
    if !LEADS.contains(&lead) {
        return None;
    }
    let rest = tokens.get(1..)?;
    if month_first(rest, calendar).is_some() {
        return None;
    }
    match rest.first()? {
        Token::Number(year @ 1900..=2099, 4) => Some((2, calendar.year(*year)?)),
        word => Some((2, calendar.past_month(month(word)?)?)),
    }
}

fn relative(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let first = tokens.first()?;
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    match (first.word().unwrap_or_default(), word(1), word(2)) {
        ("day", "before", "yesterday") => return Some((3, calendar.days_back(2)?)),
        ("yesterday", ..) => return Some((1, calendar.days_back(1)?)),
        ("last", "night", _) => return Some((2, calendar.days_back(1)?)),
        ("today" | "tonight", ..) => return Some((1, calendar.days_back(0)?)),
        ("last", "week", _) => return Some((2, calendar.week_back(1)?)),
        ("this", "week", _) => return Some((2, calendar.week_back(0)?)),
        ("last", "month", _) => return Some((2, calendar.months_back(1)?)),
        ("this", "month", _) => return Some((2, calendar.months_back(0)?)),
        ("last", "year", _) => return Some((2, calendar.years_back(1)?)),
        ("this", "year", _) => return Some((2, calendar.years_back(0)?)),
        ("last", day, _) => return Some((2, calendar.last_weekday(weekday(day)?)?)),
        _ => {}
    }
    let count = count(first)?;
    if word(2) != "ago" {
        return None;
    }
    let interval = match word(1) {
        "day" | "days" => calendar.days_back(count),
        "week" | "weeks" => calendar.about_weeks_back(count),
        "month" | "months" => calendar.about_months_back(count),
        "year" | "years" => calendar.years_back(count),
        _ => None,
    }?;
    Some((3, interval))
}

/// Where a year may stand after a day (`, 2023` or `2023`): the number of tokens used up to there, and the year.
fn year_behind(tokens: &[Token], at: usize) -> (usize, Option<i64>) {
    let comma = usize::from(tokens.get(at) == Some(&Token::Mark(',')));
    match tokens.get(at + comma) {
        Some(Token::Number(year, 4)) => (at + comma + 1, Some(*year)),
        _ => (at, None),
    }
}

fn ordinal(token: Option<&Token>) -> usize {
    usize::from(token.and_then(Token::word).is_some_and(|w| matches!(w, "st" | "nd" | "rd" | "th")))
}

/// The number of a month by its name, its first three letters, or `sept`.
fn month(token: &Token) -> Option<i64> {
    let word = token.word()?;
    let known = |name: &&str| {
        **name == *word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && **name == *"september")
    };
    (1..).zip(MONTHS.iter()).find(|(_, name)| known(name)).map(|(number, _)| number)
}

fn weekday(word: &str) -> Option<Weekday> {
    let at = (0_i8..).zip(WEEKDAYS.iter()).find(|(_, name)| **name == word)?.0;
    Weekday::from_monday_zero_offset(at).ok()
}

fn count(token: &Token) -> Option<i64> {
    match token {
        Token::Number(value, _) => Some(*value),
        Token::Word(word) if word == "a" || word == "an" => Some(1),
        Token::Word(word) => (1..).zip(COUNTS.iter()).find(|(_, name)| *name == word).map(|(number, _)| number),
        _ => None,
    }
}
