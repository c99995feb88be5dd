//! The words of a text, in the order in which they stand.

use crate::figures::{figures_at, half_width, is_negative};

/// The most letters of a unit behind a number, in which case counts: 5 MB and 5 Mb.
const UNIT: usize = 3;

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// In small letters, or without any.
    Common,
    /// As a name is: with a capital inside a sentence, or inside itself.
    Name,
    /// With a capital at the beginning of a sentence, which says nothing.
    First,
}

/// A word in lower case, or a sign that says something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) case: Case,
    /// Whether a clause ends with it.
    pub(super) ends: bool,
}

impl Word {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), case: Case::Common, ends: false }
    }
}

/// The words of a text: numbers as [`Figures`](crate::Figures) write them, Chinese ones by character, signs by themselves; without blanks and
/// punctuation.
pub(super) fn words(text: &str) -> Vec<Word> {
    let text = narrow(text);
    let mut found: Vec<Word> = Vec::new();
    let (mut at, mut begins) = (0, true);
    while let Some(&c) = text.get(at) {
        if matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '。' | '、' | '…' | '\n')
            && let Some(last) = found.last_mut()
        {
            last.ends = true;
        }
        let ends = matches!(c, '.' | '!' | '?' | '。' | '\n');
        if c.is_whitespace() || parts(&text, at) {
            begins = begins || ends;
            at += 1;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        // The figure behind it has the sign.
        if matches!(c, '-' | '−')
            && is_negative(text.get(..=at).unwrap_or_default())
            && rest.get(1).is_some_and(char::is_ascii_digit)
        {
            at += 1;
            continue;
        }
        at += one_word(&text, at, begins, &mut found);
        begins = ends;
    }
    found
}

/// A text in half width. A dash between two words is one, however long it is: Monday–Friday are five days, and "Monday, Friday" are two.
fn narrow(text: &str) -> Vec<char> {
    let mut text: Vec<char> = text.chars().map(|c| if c == '’' { '\'' } else { half_width(c) }).collect();
    for at in 1..text.len() {
        let letters = [at - 1, at + 1].iter().all(|at| text.get(*at).is_some_and(|c| c.is_alphabetic()));
        if let Some(c) = text.get_mut(at).filter(|c| letters && matches!(c, '–' | '—')) {
            *c = '-';
        }
    }
    text
}

/// Adds what stands at one place; answers how long it is.
fn one_word(text: &[char], at: usize, begins: bool, found: &mut Vec<Word>) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = run(rest);
    if !rest.iter().take(length).any(char::is_ascii_digit) {
        let (taken, figures) = figures_at(text, at);
        if !figures.is_empty() {
            found.extend(figures.into_iter().map(Word::plain));
            return taken.max(1);
        }
        if length == 0 {
            // Numerals that count nothing are words one by one.
            found.extend(rest.iter().take(taken.max(1)).map(|c| Word::plain(*c)));
            return taken.max(1);
        }
    }
    let written: String = rest.iter().take(length.max(1)).collect();
    let written = written.trim_matches('\'');
    let behind_number = found.last().is_some_and(|word| word.text.ends_with(|c: char| c.is_ascii_digit()));
    let unit = behind_number && written.chars().count() <= UNIT;
    if !written.is_empty() {
        let lower = written.to_lowercase();
        let case = case(written, &lower, begins);
        found.push(Word { text: if unit { written.to_owned() } else { lower }, case, ends: false });
    }
    length.max(1)
}

fn case(written: &str, lower: &str, begins: bool) -> Case {
    let mut capitals = written.chars().map(char::is_uppercase);
    match (capitals.next().unwrap_or_default(), capitals.any(|capital| capital)) {
        (_, true) => Case::Name,
        (true, _) if begins => Case::First,
        (true, _) if lower != "i" && !lower.starts_with("i'") => Case::Name,
        _ => Case::Common,
    }
}

/// How long a word of letters is, with what belongs to it: A12, C++, blood type A-, ex-wife; 0 where none begins.
fn run(rest: &[char]) -> usize {
    if !rest.first().is_some_and(|c| c.is_alphabetic() && !is_han(*c)) {
        return 0;
    }
    let belongs = |at: usize, c: char| {
        let letter = |c: &char| c.is_alphanumeric() && !is_han(*c);
        let joins = || rest.get(at + 1).is_some_and(letter);
        match c {
            '\'' | '_' | '+' | '#' | '*' => true,
            // What ends with a dash is a mark, as A- is.
            '-' => joins() || at == 1,
            '.' => joins() && rest.get(at - 1).is_some_and(char::is_ascii_digit),
            // Signs of tones and vowels of other scripts.
            '\u{300}'..='\u{1FFF}' => !is_han(c),
            _ => letter(&c),
        }
    };
    rest.iter().enumerate().skip(1).position(|(at, c)| !belongs(at, *c)).map_or(rest.len(), |more| more + 1)
}

/// Whether a character is a word, or a part of one that has no spaces around it: of Chinese, Japanese, Korean.
fn is_han(c: char) -> bool {
    c.is_alphabetic() && u32::from(c) >= 0x2E80
}

/// Whether the character at a place only parts words: a dash does between spaces, a dot and its like before one, and none between two numbers. What
/// asks is no mere mark.
fn parts(text: &[char], at: usize) -> bool {
    let is_space = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace());
    let (before, next) = (at.checked_sub(1).and_then(|before| text.get(before)), text.get(at + 1));
    match text.get(at) {
        Some('-' | '−' | '–' | '—' | ':') if between_numbers(text, at) => false,
        Some('-' | '−') => is_space(before) && is_space(next),
        Some('.' | ':' | ',') => !next.is_some_and(char::is_ascii_alphanumeric),
        Some(c) => ";!\"'()[]{}…—–·`。、“”‘《》【】「」『』〈〉".contains(*c),
        None => true,
    }
}

/// Whether numbers stand on both sides of a sign: 1 - 2.
fn between_numbers(text: &[char], at: usize) -> bool {
    let is_digit = |c: Option<&char>| c.is_some_and(char::is_ascii_digit);
    let (before, behind) = (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default());
    is_digit(before.iter().rev().find(|c| !c.is_whitespace())) && is_digit(behind.iter().find(|c| !c.is_whitespace()))
}
