use std::ops::Range;

use crate::half_width;

/// A piece of a text as the grammar sees it, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Bytes of the text.
    pub(super) range: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Decimal digits: their value and how many there were.
    Number(i64, usize),
    /// Letters of an alphabet in lower case, with apostrophes inside. The `'s` at an end is a mark
    /// of its own.
    Word(String),
    /// One Han character.
    Han(char),
    /// Anything else but white space.
    Mark(char),
}

/// `'s`, as a mark.
const POSSESSIVE: char = '\'';

/// Digits beyond this many are no date.
const MAX_DIGITS: usize = 9;

pub(super) fn split(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = start + c.len_utf8();
        let kind = if let Some(behind) = possessive(text, start) {
            chars.next();
            end = behind;
            Kind::Mark(POSSESSIVE)
        } else if let Some(first) = digit(c) {
            let mut digits = String::from(first);
            while let Some((at, next)) = chars
                .peek()
                .and_then(|(at, c)| Some((*at + c.len_utf8(), digit(*c)?)))
            {
                digits.push(next);
                end = at;
                chars.next();
            }
            let value = if digits.len() <= MAX_DIGITS {
                digits.parse().ok()
            } else {
                None
            };
            value.map_or(Kind::Mark('#'), |value| Kind::Number(value, digits.len()))
        } else if is_han(c) {
            Kind::Han(c)
        } else if c.is_alphabetic() {
            let mut word: String = c.to_lowercase().collect();
            while let Some((at, next)) = chars
                .peek()
                .copied()
                .filter(|(at, c)| in_word(*c) && possessive(text, *at).is_none())
            {
                end = at + next.len_utf8();
                word.extend(next.to_lowercase().map(|c| if c == '’' { '\'' } else { c }));
                chars.next();
            }
            Kind::Word(word.trim_end_matches('\'').to_owned())
        } else {
            Kind::Mark(mark(c))
        };
        tokens.push(Token {
            kind,
            range: start..end,
        });
    }
    tokens
}

/// The end of an `'s` that stands here and ends a word.
fn possessive(text: &str, start: usize) -> Option<usize> {
    let rest = text
        .get(start..)?
        .strip_prefix(['\'', '’'])?
        .strip_prefix(['s', 'S'])?;
    (!rest.starts_with(|c: char| c.is_alphanumeric() && !is_han(c)))
        .then(|| text.len() - rest.len())
}

fn in_word(c: char) -> bool {
    (c.is_alphabetic() && !is_han(c)) || matches!(c, '\'' | '’')
}

/// A decimal digit, narrow or wide.
fn digit(c: char) -> Option<char> {
    Some(half_width(c)).filter(char::is_ascii_digit)
}

/// A mark in half width; dashes are one.
fn mark(c: char) -> char {
    match half_width(c) {
        '〜' => '~',
        '–' | '—' | '−' => '-',
        other => other,
    }
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '〇')
}
