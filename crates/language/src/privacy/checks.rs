//! Checks of values that a pattern found.

use serde::Deserialize;

/// A condition on a value beside its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    #[default]
    None,
    /// A digit.
    Digit,
    /// A digit, and no date.
    Digits,
    /// Both.
    LettersAndDigits,
    /// No date and no place holder.
    Value,
    /// The same; a word of letters alone only in quotes, or joined as the words of a sentence
    /// never are.
    Mixed,
    /// It stands by itself.
    Edges,
    ChineseId,
    SocialSecurity,
    Card,
    Iban,
    Number,
    /// A number that is no date.
    CalledNumber,
}

impl Check {
    /// The length of the value that passes, between what stands before it and behind it.
    pub(super) fn accepts(
        self,
        value: &str,
        before: &str,
        behind: &str,
        quoted: bool,
    ) -> Option<usize> {
        let digits: Vec<u8> = value
            .bytes()
            .filter(u8::is_ascii_digit)
            .map(|digit| digit - b'0')
            .collect();
        let alone = || stands_alone(before, behind);
        let numbered = || before.ends_with(['#', '=']);
        let passes = match self {
            Self::None => true,
            Self::Digit => !digits.is_empty(),
            Self::Digits => !digits.is_empty() && is_value(value, false),
            Self::LettersAndDigits => {
                !digits.is_empty() && value.bytes().any(|b| b.is_ascii_alphabetic())
            }
            Self::Value => is_value(value, quoted),
            Self::Mixed => is_value(value, quoted) && (quoted || is_mixed(value)),
            Self::Edges => alone(),
            Self::ChineseId => alone() && chinese_id(value),
            Self::SocialSecurity => alone() && !numbered() && social_security(&digits),
            Self::Card => alone() && is_card(value, &digits),
            Self::Iban => return iban_in(value, behind),
            Self::Number => alone() && !numbered(),
            Self::CalledNumber => {
                let is_day = is_date(value) || value.len() == 8 && birth_date(value.as_bytes());
                alone() && !numbered() && !is_day
            }
        };
        passes.then_some(value.len())
    }
}

/// Whether a number is no part of a word, of a path, of a longer number or of a decimal.
fn stands_alone(before: &str, behind: &str) -> bool {
    let mut last = before.chars().rev();
    let mut next = behind.chars();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = match last.next() {
        Some('/' | '$') => false,
        Some('-' | '.') => !last.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !is_word(c),
        None => true,
    };
    let ends = match next.next() {
        Some('-' | '.') => !next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => !is_word(c),
        None => true,
    };
    begins && ends
}

/// Whether a value may be a secret: no place holder, no mark of the filter, no address, no date
/// outside of quotes.
fn is_value(value: &str, quoted: bool) -> bool {
    let holds = value
        .chars()
        .all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '_' | '?'));
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    !holds
        && !value.starts_with(['[', '{', '$', '%'])
        && !value.contains("://")
        && (quoted || !has_digit || !is_date(value))
}

/// Letters with digits or signs among them, or words joined as those of a sentence never are:
/// `Blue-Heron-Lake`.
fn is_mixed(value: &str) -> bool {
    let strange =
        |c: char| c.is_ascii() && !c.is_ascii_alphabetic() && !matches!(c, '-' | '\'' | '/' | '_');
    let parts: Vec<&str> = value.split(['-', '_']).collect();
    let words = parts
        .iter()
        .all(|part| part.len() > 2 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    let names = parts.len() > 2
        && parts
            .iter()
            .all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    let plain = parts.len() > 3 && parts.iter().all(|part| part.len() > 3);
    value.contains(strange) || words && (names || plain)
}

/// `2026-11-22`, `22.11.2026`, `20261122`, `8-16`: no number of a telephone, and no password.
fn is_date(value: &str) -> bool {
    let parts: Option<Vec<u32>> = value
        .split(['-', '/', '.'])
        .map(|part| part.parse().ok())
        .collect();
    let dates = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
    match parts.as_deref() {
        Some([first, second, third]) => {
            dates(*second, *third) || dates(*second, *first) || dates(*first, *second)
        }
        Some([_, _]) => value.len() < 6,
        _ => false,
    }
}

/// The number of an issuer, in groups as cards have them, and Luhn's sum.
fn is_card(value: &str, digits: &[u8]) -> bool {
    let first = |n: usize| {
        digits
            .iter()
            .take(n)
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    let issuer = match digits.len() {
        15 => matches!(first(2), 34 | 37),
        14 => matches!(first(2), 30 | 36 | 38),
        13 => first(1) == 4,
        16 => matches!(
            (first(1), first(2), first(4)),
            (4, ..) | (_, 51..=55 | 62 | 65, _) | (.., 2221..=2720 | 6011 | 3528..=3589)
        ),
        _ => matches!((first(1), first(2)), (4, _) | (_, 62 | 60 | 95)),
    };
    issuer && !value.ends_with([' ', '-']) && luhn(digits)
}

/// American numbers without those that are never given.
fn social_security(digits: &[u8]) -> bool {
    let number = |range: std::ops::Range<usize>| {
        digits
            .get(range)
            .unwrap_or_default()
            .iter()
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit))
    };
    !matches!(number(0..3), 0 | 666 | 900..) && number(3..5) != 0 && number(5..9) != 0
}

/// The length of the longest beginning of a value that is an IBAN: the words behind it may look
/// like another group.
fn iban_in(value: &str, behind: &str) -> Option<usize> {
    let ends = |at: usize| {
        let next = value
            .get(at..)?
            .chars()
            .next()
            .or_else(|| behind.chars().next());
        next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
            .then_some(at)
    };
    let number = |at: usize| {
        value
            .bytes()
            .take(at)
            .filter(|b| *b != b' ')
            .collect::<Vec<u8>>()
    };
    (15..=value.len()).rev().filter_map(ends).find(|at| {
        let number = number(*at);
        (15..=34).contains(&number.len())
            && value.as_bytes().get(at - 1).is_none_or(|b| *b != b' ')
            && iban(&number)
    })
}

/// Luhn's sum over decimal digits (ISO/IEC 7812-1, annex B).
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let value = u32::from(*digit);
            if at % 2 == 0 {
                value
            } else {
                value * 2 / 10 + value * 2 % 10
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// A Chinese identity number of 18 places (GB 11643-1999): a province, a date of birth, and a
/// check from 0 to 9 or X.
fn chinese_id(value: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let number: Vec<u8> = value.bytes().filter(|b| *b != b' ').collect();
    let Some((last, digits)) = number.split_last() else {
        return false;
    };
    let of = |digit: &u8| u32::from(digit.wrapping_sub(b'0'));
    let province = digits
        .iter()
        .take(2)
        .fold(0, |sum, digit| sum * 10 + of(digit));
    let known = matches!(province, 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81 | 82 | 83);
    let sum: u32 = digits
        .iter()
        .zip(WEIGHTS)
        .map(|(digit, weight)| of(digit) * weight)
        .sum();
    let check = usize::try_from(sum % 11).ok().and_then(|at| CHECKS.get(at));
    let born = digits.len() == WEIGHTS.len() && birth_date(digits.get(6..14).unwrap_or_default());
    known && born && check.is_some_and(|check| check.eq_ignore_ascii_case(last))
}

/// The check of an IBAN without its spaces (ISO 13616): the number modulo 97 is 1.
fn iban(number: &[u8]) -> bool {
    let Some((head, tail)) = number.split_at_checked(4) else {
        return false;
    };
    let mut rest: u32 = 0;
    for byte in tail.iter().chain(head) {
        rest = match byte {
            b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
            b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
            _ => return false,
        };
    }
    rest == 1
}

/// Whether digits are a date `YYYYMMDD` that is a possible date of birth.
fn birth_date(digits: &[u8]) -> bool {
    let number = |range: std::ops::Range<usize>| -> i32 {
        let part = digits.get(range).unwrap_or_default();
        part.iter().fold(0, |sum, digit| {
            sum * 10 + i32::from(digit.wrapping_sub(b'0'))
        })
    };
    let (year, month, day) = (number(0..4), number(4..6), number(6..8));
    let civil = |year: i32, month: i32, day: i32| {
        let (year, month, day) = (
            i16::try_from(year).ok()?,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
        );
        jiff::civil::Date::new(year, month, day).ok()
    };
    (1800..2100).contains(&year) && civil(year, month, day).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        let digits = |text: &str| -> Vec<u8> { text.bytes().map(|b| b - b'0').collect() };
        assert!(luhn(&digits("79927398713")) && !luhn(&digits("79927398710")));
        assert!(chinese_id("11010519491231002X") && !chinese_id("110105194912310021"));
        assert!(iban(b"GB82WEST12345698765432") && !iban(b"GB82WEST12345698765433"));
        assert!(birth_date(b"20000229") && !birth_date(b"20010229") && !birth_date(b"17991231"));
    }
}
