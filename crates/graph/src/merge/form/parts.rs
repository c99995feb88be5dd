//! A name taken to pieces, as it is written.

/// Signs that are part of names: C++, C#, R&D, -5, A-, .NET, > 5.
const SIGNS: [char; 17] = ['+', '#', '&', '%', '@', '$', '-', '<', '>', '=', '*', '~', '!', '.', '€', '£', '¥'];

/// What stands behind a hyphen that makes another word of it: co-op and coop. Behind "re" any consonant does: re-sign and resign.
const OTHERWISE: [(&str, &[&str]); 3] =
    [("co", &["op", "ops"]), ("un", &["ionized", "ionised"]), ("pre", &["position", "positions", "sent", "serve"])];

/// What a hyphen inside a word does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hyphens {
    /// It joins: e-mail is email.
    Join,
    /// It parts: ex-wife is a wife.
    Part,
}

/// The words of a name with their capitals, narrow and without accents. What is neither a letter nor a mark between words belongs to one: ❤, °, vowel
/// signs.
pub(super) fn parts(name: &str, hyphens: Hyphens) -> Vec<String> {
    let signs: Vec<char> = name.chars().map(narrow).map(plain).collect();
    let signs = bare(&signs);
    let (mut words, mut word) = (Vec::new(), String::new());
    for (at, c) in signs.iter().copied().enumerate() {
        let behind = signs.get(at + 1..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| signs.get(at)).copied();
        match place(c, before, behind, &word, hyphens) {
            Place::Inside => word.push(c),
            Place::Between => words.push(std::mem::take(&mut word)),
            Place::Nothing => {}
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    for word in words.iter_mut().filter(|word| *word == "&") {
        *word = "and".to_owned();
    }
    words
}

/// A word without its signs.
pub(super) fn without_signs(word: &str) -> String {
    word.chars().filter(|c| !SIGNS.contains(c)).collect()
}

/// What a character of a name is.
enum Place {
    /// Part of a word.
    Inside,
    /// A mark between two words.
    Between,
    /// A mark that joins what stands beside it.
    Nothing,
}

fn place(c: char, before: Option<char>, behind: &[char], word: &str, hyphens: Hyphens) -> Place {
    let next = behind.first().copied();
    let begins = before.is_none_or(is_gap);
    let stands = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        // A sign before a number, or a mark behind a letter.
        '-' if begins && next.is_some_and(|c| c.is_ascii_digit()) => Place::Inside,
        '-' if next.is_none_or(is_gap) && stands(before) => Place::Inside,
        '-' if hyphens == Hyphens::Part && !begins => Place::Between,
        '-' if parts_words(word, behind) => Place::Inside,
        // .NET and !important begin with theirs.
        '.' | '!' if begins && stands(next) => Place::Inside,
        '!' => Place::Between,
        // #travel is a mark of others, #1 a number.
        '#' if begins => Place::Nothing,
        '*' if before.is_some_and(char::is_alphabetic) && next.is_some_and(char::is_alphabetic) => Place::Nothing,
        '*' | '~' if begins && next.is_none_or(is_gap) => Place::Between,
        // A dot inside a word joins it: node.js is nodejs.
        _ if joins(c) => Place::Nothing,
        _ if is_gap(c) => Place::Between,
        _ => Place::Inside,
    }
}

/// Whether a hyphen behind the beginning of a word makes another one of it.
fn parts_words(begin: &str, behind: &[char]) -> bool {
    let begin = begin.to_lowercase();
    let rest: String = behind.iter().take_while(|c| c.is_alphanumeric()).flat_map(|c| c.to_lowercase()).collect();
    if begin == "re" {
        return rest.starts_with(|c: char| c.is_ascii_lowercase() && !"aeiou".contains(c));
    }
    OTHERWISE.iter().any(|(known, rests)| *known == begin && rests.contains(&rest.as_str()))
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
    matches!(c, '.' | '\'' | '’' | '_' | '-' | '·' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}

/// Whether a character stands between words.
fn is_gap(c: char) -> bool {
    let mark = matches!(c, '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{FE30}'..='\u{FE4F}' | '¡' | '¿' | '«' | '»');
    !joins(c) && !SIGNS.contains(&c) && (c.is_whitespace() || c.is_ascii_punctuation() || mark)
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
const fn plain(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ś' | 'š' => 's',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => 'A',
        'Ç' | 'Ć' | 'Č' => 'C',
        'È'..='Ë' | 'Ē' | 'Ę' | 'Ě' => 'E',
        'Ì'..='Ï' | 'Ī' => 'I',
        'Ñ' | 'Ń' | 'Ň' => 'N',
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => 'O',
        'Ś' | 'Š' => 'S',
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => 'U',
        'Ý' | 'Ÿ' => 'Y',
        'Ź' | 'Ż' | 'Ž' => 'Z',
        other => other,
    }
}
