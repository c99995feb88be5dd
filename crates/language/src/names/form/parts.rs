//! A name taken to pieces, as it is written.

use unicode_normalization::char::decompose_canonical;

/// Signs that are part of names: C++, C#, R&D, -5, A-, .NET, > 5.
const SIGNS: [char; 17] = [
    '+', '#', '&', '%', '@', '$', '-', '<', '>', '=', '*', '~', '!', '.', '€', '£', '¥',
];

/// The effect of a hyphen inside a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hyphens {
    /// It joins: e-mail is email.
    Join,
    /// It parts: ex-wife is a wife.
    Part,
}

/// The words of a name with their capitals, narrow and without accents. Characters that are
/// neither letters nor marks between words belong to one: ❤, °, vowel signs.
pub(super) fn words(name: &str, hyphens: Hyphens) -> Vec<String> {
    let signs: Vec<char> = name.chars().map(narrow).map(plain).collect();
    let signs = bare(&signs);
    let (mut words, mut word) = (Vec::new(), String::new());
    for (at, c) in signs.iter().copied().enumerate() {
        let behind = signs.get(at + 1..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| signs.get(at)).copied();
        match place(c, before, behind, hyphens) {
            Place::Inside => word.push(c),
            Place::Between => words.push(std::mem::take(&mut word)),
            Place::Nothing => {}
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A word without its signs.
pub(super) fn without_signs(word: &str) -> String {
    word.chars().filter(|c| !SIGNS.contains(c)).collect()
}

/// The role of a character in a name.
enum Place {
    /// Part of a word.
    Inside,
    /// A mark between two words.
    Between,
    /// A mark that joins what stands beside it.
    Nothing,
}

fn place(c: char, before: Option<char>, behind: &[char], hyphens: Hyphens) -> Place {
    let next = behind.first().copied();
    let begins = before.is_none_or(is_gap);
    let stands = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        // A sign before a number, or a mark behind a letter.
        '-' if begins && next.is_some_and(|c| c.is_ascii_digit()) => Place::Inside,
        '-' if next.is_none_or(is_gap) && stands(before) => Place::Inside,
        '-' if hyphens == Hyphens::Part && !begins => Place::Between,
        // .NET and !important begin with theirs.
        '.' | '!' if begins && stands(next) => Place::Inside,
        '!' => Place::Between,
        // #travel is a mark of others, #1 a number.
        '#' if begins => Place::Nothing,
        '*' if before.is_some_and(char::is_alphabetic) && next.is_some_and(char::is_alphabetic) => {
            Place::Nothing
        }
        '*' | '~' if begins && next.is_none_or(is_gap) => Place::Between,
        // A dot inside a word joins it: node.js is nodejs.
        _ if joins(c) => Place::Nothing,
        _ if is_gap(c) => Place::Between,
        _ => Place::Inside,
    }
}

/// A name without the marks that set all of it off: *tea*, ~tea~.
fn bare(mut signs: &[char]) -> &[char] {
    while let [first @ ('*' | '~'), inner @ .., last] = signs
        && first == last
        && !inner.is_empty()
    {
        signs = inner;
    }
    signs
}

const fn joins(c: char) -> bool {
    matches!(
        c,
        '.' | '\'' | '’' | '_' | '-' | '·' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}'
    )
}

/// Whether a character stands between words.
fn is_gap(c: char) -> bool {
    let latin = matches!(c, '\u{2000}'..='\u{206F}' | '¡' | '¿' | '«' | '»');
    let chinese =
        matches!(c, '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{FE30}'..='\u{FE4F}');
    !joins(c)
        && !SIGNS.contains(&c)
        && (c.is_whitespace() || c.is_ascii_punctuation() || latin || chinese)
}

const fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => match char::from_u32(c as u32 - 0xFEE0) {
            Some(narrow) => narrow,
            None => c,
        },
        '￥' => '¥',
        '−' | '–' => '-',
        other => other,
    }
}

/// A Latin letter without its accent.
fn plain(c: char) -> char {
    let mut base = c;
    if matches!(c, '\u{C0}'..='\u{17F}') {
        let mut signs = 0;
        decompose_canonical(c, |sign| {
            base = if signs == 0 { sign } else { base };
            signs += 1;
        });
    }
    base
}
