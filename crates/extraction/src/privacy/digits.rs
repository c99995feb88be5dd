//! Numbers of cards, accounts, persons and telephones.

use std::ops::Range;

use super::checks::{birth_date, chinese_id, iban, luhn};
use super::scan::{Scan, is_word};
use super::{Finding, Sensitive};

pub(super) fn find(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let mut at = 0;
    while at < scan.bytes.len() {
        if !scan.byte(at).is_ascii_digit() && scan.byte(at) != b'+' && scan.byte(at) != b'(' {
            at += 1;
            continue;
        }
        let group = Group::read(scan, at);
        at = group.range.end.max(at + 1);
        if let Some((kind, range)) = group.judge(scan) {
            found.push(scan.finding(kind, range));
        }
    }
    ibans(scan, found);
}

/// Whether the word before a place is the beginning of a web address or of its questions.
fn in_address(scan: &Scan<'_>, at: usize) -> bool {
    let word = scan.ahead(at, 128).rsplit(char::is_whitespace).next().unwrap_or_default();
    ["://", "?", "&", "/"].iter().any(|sign| word.contains(sign))
}

/// Digits with single spaces, dashes, dots and brackets between them, and a slash behind an area code.
struct Group {
    range: Range<usize>,
    digits: Vec<u8>,
    /// How many digits stand together, and the signs between them.
    runs: Vec<usize>,
    signs: Vec<u8>,
    plus: bool,
    /// Whether an X stands behind, as in identity numbers.
    cross: bool,
}

/// A longer number is none that anybody has.
const MAX_DIGITS: usize = 24;
/// The most signs between two digits of one number.
const MAX_SIGNS: usize = 2;

impl Group {
    fn read(scan: &Scan<'_>, start: usize) -> Self {
        let plus = scan.byte(start) == b'+';
        let mut at = start + usize::from(plus);
        let mut group =
            Self { range: start..at, digits: Vec::new(), runs: Vec::new(), signs: Vec::new(), plus, cross: false };
        loop {
            let end = scan.run(at, |b| b.is_ascii_digit());
            if end > at {
                group.digits.extend(scan.slice(at..end).iter().map(|b| b - b'0'));
                group.runs.push(end - at);
                group.range.end = end;
            } else if at == start && scan.byte(at) != b'(' {
                break;
            }
            // To look further would take the square of a text of nothing but brackets.
            let signs = scan.run_within(end, MAX_SIGNS + 1, |b| matches!(b, b' ' | b'-' | b'.' | b'(' | b')'));
            let area = group.runs.as_slice() == [end - at]
                && (3..=5).contains(&(end - at))
                && group.digits.first() == Some(&0);
            let signs = if area && scan.byte(end) == b'/' { end + 1 } else { signs };
            let next_is_digit = scan.byte(signs).is_ascii_digit();
            if signs == end || signs > end + MAX_SIGNS || !next_is_digit || group.digits.len() > MAX_DIGITS {
                break;
            }
            group.signs.extend(scan.slice(end..signs));
            at = signs;
        }
        let behind = scan.byte(group.range.end);
        group.cross = matches!(behind, b'x' | b'X') && !is_word(scan.byte(group.range.end + 1));
        group
    }

    fn judge(&self, scan: &Scan<'_>) -> Option<(Sensitive, Range<usize>)> {
        let before = scan.before(self.range.start);
        let behind = scan.byte(self.range.end);
        // Part of a word, of a path or of a decimal number.
        if is_word(before) || (is_word(behind) && !self.cross) || matches!(before, b'/' | b'$') {
            return None;
        }
        // A number of an issue or a field; in a web address it is that of a page.
        let numbered = matches!(before, b'#' | b'=');
        if numbered && in_address(scan, self.range.start) {
            return None;
        }
        if behind == b'.' && scan.byte(self.range.end + 1).is_ascii_digit() {
            return None;
        }
        let to_end = |cross: bool| self.range.start..self.range.end + usize::from(cross);
        if self.is_chinese_id(scan) {
            return Some((Sensitive::NationalId, to_end(self.cross)));
        }
        if self.cross {
            return None;
        }
        if self.is_card(scan) {
            return Some((Sensitive::Card, to_end(false)));
        }
        if numbered {
            return None;
        }
        if self.is_social_security(scan) {
            return Some((Sensitive::NationalId, to_end(false)));
        }
        self.is_phone(scan).then(|| (Sensitive::Phone, to_end(false)))
    }

    fn is_plain(&self) -> bool {
        self.signs.is_empty() && !self.plus
    }

    fn text(&self) -> Vec<u8> {
        let mut text: Vec<u8> = self.digits.iter().map(|d| d + b'0').collect();
        if self.cross {
            text.push(b'X');
        }
        text
    }

    fn is_chinese_id(&self, scan: &Scan<'_>) -> bool {
        const CALLED: [&str; 4] = ["身份证", "identity card", "id card", "身份號"];
        let text = self.text();
        let province = text.get(..2).is_some_and(|p| {
            let number =
                u32::from(p.first().map_or(0, |d| d - b'0')) * 10 + u32::from(p.last().map_or(0, |d| d - b'0'));
            matches!(number, 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81 | 82 | 83)
        });
        if !province || self.plus || self.signs.iter().any(|s| *s != b' ') {
            return false;
        }
        let called = mentions(scan, self.range.start, 16, &CALLED);
        match text.len() {
            18 => birth_date(text.get(6..14).unwrap_or_default()) && (called || chinese_id(&text)),
            // The old form has no check; it counts when it is called so.
            15 if called => {
                let date = [b"19", text.get(6..12).unwrap_or_default()].concat();
                birth_date(&date)
            }
            _ => false,
        }
    }

    fn is_card(&self, scan: &Scan<'_>) -> bool {
        const CALLED: [&str; 6] = ["卡号", "银行卡", "信用卡", "储蓄卡", "card number", "credit card"];
        if self.plus || self.signs.iter().any(|s| !matches!(s, b' ' | b'-')) || !(13..=19).contains(&self.digits.len())
        {
            return false;
        }
        if mentions(scan, self.range.start, 16, &CALLED) && self.digits.len() >= 15 {
            return true;
        }
        // Groups of four, or 4-6-5: anything else is not how cards are written.
        let grouped =
            self.runs.iter().rev().skip(1).all(|run| *run == 4) || self.runs == [4, 6, 5] || self.runs == [6, 13];
        let first = |n: usize| self.digits.iter().take(n).fold(0_u32, |sum, d| sum * 10 + u32::from(*d));
        let issuer = match self.digits.len() {
            15 => matches!(first(2), 34 | 37),
            14 => matches!(first(2), 30 | 36 | 38),
            13 => first(1) == 4,
            16 => {
                matches!((first(1), first(2), first(4)), (4, ..) | (_, 51..=55 | 62 | 65, _) | (.., 2221..=2720 | 6011 | 3528..=3589))
            }
            _ => matches!((first(1), first(2)), (4, _) | (_, 62 | 60 | 95)),
        };
        (self.is_plain() || grouped) && issuer && luhn(&self.digits)
    }

    /// American numbers, three, two and four digits, without those that are never given.
    fn is_social_security(&self, scan: &Scan<'_>) -> bool {
        let part = |range: Range<usize>| {
            self.digits.get(range).unwrap_or_default().iter().fold(0_u32, |sum, d| sum * 10 + u32::from(*d))
        };
        let (area, group, serial) = (part(0..3), part(3..5), part(5..9));
        let given = !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0;
        let written = self.runs == [3, 2, 4] && self.signs.iter().all(|s| matches!(s, b'-' | b' '));
        let called = mentions(scan, self.range.start, 28, &["ssn", "social security"]);
        self.digits.len() == 9
            && given
            && !self.plus
            && (self.runs == [3, 2, 4] && self.signs == [b'-', b'-'] || (called && (written || self.is_plain())))
    }

    /// `2026-11-22`, `22.11.2026`, `20261122`.
    fn is_date(&self) -> bool {
        let one_sign = self.signs.windows(2).all(|two| matches!(two, [a, b] if a == b));
        match self.runs.as_slice() {
            [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 4] => one_sign,
            [8] => birth_date(&self.text()),
            _ => false,
        }
    }

    fn is_phone(&self, scan: &Scan<'_>) -> bool {
        const CALLED: [&str; 13] = [
            "电话", "手机", "联系方式", "拨打", "致电", "phone", "telephone", "call", "cell", "mobile", "tel",
            "whatsapp", "text me",
        ];
        let len = self.digits.len();
        let first = |n: usize| self.digits.iter().take(n).fold(0_u32, |sum, d| sum * 10 + u32::from(*d));
        if self.plus {
            return (8..=15).contains(&len) && self.digits.first() != Some(&0);
        }
        // Chinese mobile numbers, with or without their country.
        let mobile = |digits: &[u8]| matches!(digits, [1, 3..=9, ..]) && digits.len() == 11;
        let spaced = self.is_plain() || self.runs == [3, 4, 4] || self.runs == [2, 3, 4, 4] || self.runs == [2, 11];
        if spaced && (mobile(&self.digits) || (first(2) == 86 && mobile(self.digits.get(2..).unwrap_or_default()))) {
            return !self.signs.contains(&b'.');
        }
        // Landlines: 010-12345678, 0755-1234567, 0171/2345678.
        if matches!(self.runs.as_slice(), [3..=5, 6..=8])
            && first(1) == 0
            && matches!(self.signs.as_slice(), [b'-' | b'/'])
        {
            return true;
        }
        let called = mentions(scan, self.range.start, 14, &CALLED);
        // American numbers: (415) 555-2671, 415-555-2671, 415.555.2671.
        let american = matches!(self.runs.as_slice(), [3, 3, 4] | [1, 3, 3, 4]) && !self.signs.is_empty();
        if american && (self.runs.len() == 3 || first(1) == 1) {
            let area = self.digits.get(len - 10).copied().unwrap_or(0);
            return area >= 2 && (called || !self.signs.iter().all(|s| *s == b' '));
        }
        // 0049 30 1234567 and whatever is called a telephone.
        let abroad = first(2) == 0 && (10..=16).contains(&len) && self.signs.len() > 1;
        called && !self.is_date() && (abroad || ((7..=12).contains(&len) && !self.signs.contains(&b'.')))
    }
}

/// Whether one of the words stands in so many characters before a place, whatever its case; Latin ones as whole words: a hotel is no telephone.
fn mentions(scan: &Scan<'_>, at: usize, chars: usize, words: &[&str]) -> bool {
    let lower = scan.ahead(at, chars).to_lowercase();
    let cut = scan.before(at.saturating_sub(chars)).is_ascii_alphanumeric();
    let ends = |text: &str| text.chars().next().is_none_or(|c| !c.is_ascii_alphanumeric());
    let begins = |text: &str| text.chars().next_back().map_or(!cut, |c| !c.is_ascii_alphanumeric());
    let whole = |word: &str, place: usize| {
        let (before, rest) = lower.split_at(place);
        !word.is_ascii() || begins(before) && rest.strip_prefix(word).is_some_and(ends)
    };
    words.iter().any(|word| lower.match_indices(word).any(|(place, _)| whole(word, place)))
}

/// Account numbers: two letters, two digits, groups of letters and digits, and a check.
fn ibans(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let start_at = |at: &usize| {
        let head = scan.slice(*at..at + 4);
        let letters = head.iter().take(2).all(u8::is_ascii_uppercase);
        head.len() == 4 && letters && head.iter().skip(2).all(u8::is_ascii_digit) && !is_word(scan.before(*at))
    };
    for start in (0..scan.bytes.len()).filter(start_at) {
        let mut number: Vec<u8> = Vec::new();
        let mut at = start;
        // The longest that checks: what follows in the sentence may look like another group.
        let mut best = None;
        while number.len() <= 34 {
            let byte = scan.byte(at);
            if byte.is_ascii_digit() || byte.is_ascii_uppercase() {
                number.push(byte);
                at += 1;
                if number.len() >= 15 && !is_word(scan.byte(at)) && iban(&number) {
                    best = Some(at);
                }
            } else if byte == b' ' && at > start + 2 {
                at += 1;
            } else {
                break;
            }
        }
        if let Some(end) = best {
            found.push(scan.finding(Sensitive::Iban, start..end));
        }
    }
}
