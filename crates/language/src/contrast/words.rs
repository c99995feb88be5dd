//! The words and signs of a text, in the order in which they stand.

use crate::figures::{figures_at, half_width, is_negative};

/// The most letters of a unit behind a number, in which case counts: 5 MB and 5 Mb.
const UNIT: usize = 3;

/// How a word is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// In small letters, or without any.
    Common,
    /// As a name is: with a capital inside a sentence, or in capitals alone.
    Name,
    /// With a capital at the beginning of a sentence, which says nothing.
    First,
}

/// A word in lower case, or a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) case: Case,
}

impl Word {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            case: Case::Common,
        }
    }
}

/// The words of a text: numbers as [`Figures`](crate::Figures) write them, Chinese ones by
/// character, every sign by itself; without blanks and without the marks that end the text. A word
/// with small letters and a capital behind the first one keeps its letters: it is a code or a name.
pub(super) fn words(text: &str) -> Vec<Word> {
    let text = narrow(text);
    let text = text.get(..end(&text)).unwrap_or_default();
    let mut found: Vec<Word> = Vec::new();
    let (mut at, mut begins) = (0, true);
    while let Some(&c) = text.get(at) {
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        // The figure behind it has the sign.
        let minus = matches!(c, '-' | '−') && is_negative(text.get(..=at).unwrap_or_default());
        if minus && rest.get(1).is_some_and(char::is_ascii_digit) {
            at += 1;
            continue;
        }
        at += one_word(text, at, begins, &mut found);
        begins = matches!(c, '.' | '!' | '?' | '。');
    }
    found
}

/// A text in half width with one form of apostrophe. A dash between two words is one, however
/// long it is.
fn narrow(text: &str) -> Vec<char> {
    let mut text: Vec<char> = text
        .chars()
        .map(|c| if c == '’' { '\'' } else { half_width(c) })
        .collect();
    for at in 1..text.len() {
        let letters = [at - 1, at + 1]
            .iter()
            .all(|at| text.get(*at).is_some_and(|c| c.is_alphabetic()));
        if let Some(c) = text
            .get_mut(at)
            .filter(|c| letters && matches!(c, '–' | '—'))
        {
            *c = '-';
        }
    }
    text
}

/// The end of a text without its blanks and without the full stops and exclamation marks directly
/// behind its last word.
fn end(text: &[char]) -> usize {
    let before = |end: usize, fits: fn(&char) -> bool| {
        let rest = text.iter().take(end).rev().skip_while(|c| fits(c));
        rest.count()
    };
    let last = before(text.len(), |c| c.is_whitespace());
    let word = before(last, |c| matches!(c, '.' | '!' | '。' | '…'));
    let closes = |c: &char| c.is_alphanumeric();
    if word
        .checked_sub(1)
        .and_then(|at| text.get(at))
        .is_some_and(closes)
    {
        word
    } else {
        last
    }
}

/// Adds the word or sign at one place; answers how long it is.
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
    let written: String = rest.iter().take(length).collect();
    let behind_number = found
        .last()
        .is_some_and(|word| word.text.ends_with(|c: char| c.is_ascii_digit()));
    let unit = behind_number && written.chars().count() <= UNIT;
    let lower = written.to_lowercase();
    let case = case(&written, &lower, begins);
    found.push(Word {
        text: if unit || is_mixed(&written) {
            written
        } else {
            lower
        },
        case,
    });
    length.max(1)
}

/// Whether there is a capital behind the first letter, and a small letter.
fn is_mixed(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

fn case(written: &str, lower: &str, begins: bool) -> Case {
    let mut capitals = written.chars().map(char::is_uppercase);
    match (
        capitals.next().unwrap_or_default(),
        capitals.any(|capital| capital),
    ) {
        (_, true) => Case::Name,
        (true, _) if begins => Case::First,
        (true, _) if lower != "i" && !lower.starts_with("i'") => Case::Name,
        _ => Case::Common,
    }
}

/// The length of a word of letters, with the signs that belong to it: A12, C++, blood type A-,
/// ex-wife, don't; 0 where none begins.
fn run(rest: &[char]) -> usize {
    if !rest
        .first()
        .is_some_and(|c| c.is_alphabetic() && !is_han(*c))
    {
        return 0;
    }
    let belongs = |at: usize, c: char| {
        let letter = |c: &char| c.is_alphanumeric() && !is_han(*c);
        let joins = || rest.get(at + 1).is_some_and(letter);
        match c {
            '_' | '+' | '#' => true,
            '\'' => joins(),
            // A letter that ends with a dash is a mark, as A- is.
            '-' => joins() || at == 1,
            '.' => joins() && rest.get(at - 1).is_some_and(char::is_ascii_digit),
            // Signs of tones and vowels of other scripts.
            '\u{300}'..='\u{1FFF}' => !is_han(c),
            _ => letter(&c),
        }
    };
    rest.iter()
        .enumerate()
        .skip(1)
        .position(|(at, c)| !belongs(at, *c))
        .map_or(rest.len(), |more| more + 1)
}

/// Whether a character is a word, or a part of one that has no spaces around it: of Chinese,
/// Japanese, Korean.
fn is_han(c: char) -> bool {
    c.is_alphabetic() && u32::from(c) >= 0x2E80
}
