//! Figures that are written in digits.

use super::{ORDERS, english, is_negative};

/// Characters behind the parts of a Chinese date or time, in which leading zeros say nothing.
const PARTS: &str = "年月日号號点點时時分秒";
/// How far from a number its month is looked for, in characters.
const NEAR: usize = 20;

/// The figures of a run of digits with what joins them, and how long it is.
pub(super) fn at(before: &[char], rest: &[char]) -> (usize, Vec<String>) {
    if let Some(found) = chinese_date(rest) {
        return found;
    }
    let mut length = run(rest);
    let signs = rest.iter().take(length).filter(|c| **c != ',');
    let written: String = signs
        .map(|c| {
            if matches!(c, '–' | '—' | '~') {
                '-'
            } else {
                *c
            }
        })
        .collect();
    let mut found = date(&written)
        .or_else(|| clock(&written))
        .unwrap_or_else(|| {
            let behind = rest.get(length..).unwrap_or_default();
            let ordinal = is_ordinal(behind);
            if ordinal {
                length += 2;
            }
            vec![number(&written, before, behind, ordinal)]
        });
    if is_negative(before)
        && let Some(first) = found.first_mut()
    {
        first.insert(0, '-');
    }
    (length, found)
}

/// How long a run of digits is, with signs between two of them.
fn run(rest: &[char]) -> usize {
    let joins = |at: usize, c: char| {
        let behind = |n: usize| rest.get(at + n).is_some_and(char::is_ascii_digit);
        matches!(c, '.' | ',' | ':' | '/' | '-' | '–' | '—' | '~')
            && behind(1)
            && (c != ',' || behind(2) && behind(3) && !behind(4))
    };
    rest.iter()
        .enumerate()
        .position(|(at, c)| !c.is_ascii_digit() && !joins(at, *c))
        .unwrap_or(rest.len())
}

/// One that is neither a whole date nor a time of day: as it is written, but for a final ".0".
fn number(written: &str, before: &[char], behind: &[char], ordinal: bool) -> String {
    let whole = written.bytes().all(|c| c.is_ascii_digit());
    let orders = before.last().is_some_and(|c| ORDERS.contains(c));
    if whole && (orders || ordinal && !beside_month(before, behind.get(2..).unwrap_or_default())) {
        return format!("#{written}");
    }
    if whole && written.len() <= 2 && behind.first().is_some_and(|c| PARTS.contains(*c)) {
        return bare(written).to_owned();
    }
    let dotted = written.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    written
        .strip_suffix(".0")
        .filter(|_| dotted)
        .unwrap_or(written)
        .to_owned()
}

/// Whether the ending of an ordinal follows: 3rd.
fn is_ordinal(behind: &[char]) -> bool {
    let [first, second, rest @ ..] = behind else {
        return false;
    };
    let ending = [first.to_ascii_lowercase(), second.to_ascii_lowercase()];
    [['s', 't'], ['n', 'd'], ['r', 'd'], ['t', 'h']].contains(&ending)
        && !rest.first().is_some_and(char::is_ascii_alphanumeric)
}

/// Whether a number is the day of a month that is named beside it: March 3rd, the 3rd of March.
fn beside_month(before: &[char], behind: &[char]) -> bool {
    let near: String = before
        .iter()
        .skip(before.len().saturating_sub(NEAR))
        .collect();
    let next: String = behind.iter().take(NEAR).collect();
    let (mut near, mut next) = (near.split_whitespace().rev(), next.split_whitespace());
    let trimmed = |word: &str| english::is_month(word.trim_matches(|c: char| !c.is_alphabetic()));
    near.find(|word| *word != "the").is_some_and(trimmed)
        || next.find(|word| *word != "of").is_some_and(trimmed)
}

/// Year, month and day: 2025-11-05, 2025/11/5.
fn date(written: &str) -> Option<Vec<String>> {
    let sign = if written.contains('-') { '-' } else { '/' };
    whole_date(&written.split(sign).collect::<Vec<_>>())
}

/// The same as 2025年11月5日, and how long it is.
fn chinese_date(rest: &[char]) -> Option<(usize, Vec<String>)> {
    let (mut length, mut parts) = (0, Vec::new());
    for units in ["年", "月", "日号號"] {
        let part: String = rest
            .iter()
            .skip(length)
            .take_while(|c| c.is_ascii_digit())
            .take(5)
            .collect();
        length += part.len() + 1;
        rest.get(length - 1).filter(|unit| units.contains(**unit))?;
        parts.push(part);
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some((length, whole_date(&parts)?))
}

fn whole_date(parts: &[&str]) -> Option<Vec<String>> {
    let [year, month, day] = parts else {
        return None;
    };
    let within = |part: &str, most: u8| {
        part.len() <= 2
            && part
                .parse()
                .is_ok_and(|number| (1..=most).contains(&number))
    };
    let year_alone = year.len() == 4 && year.bytes().all(|c| c.is_ascii_digit());
    (year_alone && within(month, 12) && within(day, 31)).then(|| {
        vec![
            (*year).to_owned(),
            bare(month).to_owned(),
            bare(day).to_owned(),
        ]
    })
}

/// Hours, minutes and seconds, without those at the end that are none: 9:00 is nine o'clock.
fn clock(written: &str) -> Option<Vec<String>> {
    let mut parts: Vec<&str> = written.split(':').collect();
    let ([hour, minutes @ ..], 2..=3) = (parts.as_slice(), parts.len()) else {
        return None;
    };
    let within = |part: &str, most: u8| part.parse().is_ok_and(|number: u8| number <= most);
    if hour.len() > 2
        || !within(hour, 24)
        || !minutes
            .iter()
            .all(|part| part.len() == 2 && within(part, 59))
    {
        return None;
    }
    while parts.len() > 1 && parts.last() == Some(&"00") {
        parts.pop();
    }
    Some(
        parts
            .into_iter()
            .map(|part| bare(part).to_owned())
            .collect(),
    )
}

/// A number without leading zeros.
fn bare(part: &str) -> &str {
    let bare = part.trim_start_matches('0');
    if bare.is_empty() { "0" } else { bare }
}
