//! The words of a text that say something, in the order in which they stand.

use crate::figures::{figures_at, half_width, is_negative};

/// Words without which a text says the same.
const FILLERS: [&[&str]; 38] = [
    &["a", "lot"],
    &["very", "much"],
    &["a"],
    &["an"],
    &["the"],
    &["really"],
    &["very"],
    &["so"],
    &["quite"],
    &["just"],
    &["also"],
    &["actually"],
    &["indeed"],
    &["usually"],
    &["normally"],
    &["generally"],
    &["please"],
    &["非", "常"],
    &["特", "别"],
    &["真", "的"],
    &["平", "时"],
    &["平", "常"],
    &["通", "常"],
    &["一", "般"],
    &["其", "实"],
    &["风", "格"],
    &["很"],
    &["挺"],
    &["也"],
    &["就"],
    &["的"],
    &["了"],
    &["呢"],
    &["啊"],
    &["吧"],
    &["呀"],
    &["哦"],
    &["嘛"],
];

/// Words that may stand in each other's place and say the same; the first one of a group stands for all.
const ALIKE: [(&str, &[&[&str]]); 4] = [
    (
        "喜欢",
        &[
            &["喜", "欢", "用"],
            &["偏", "爱", "用"],
            &["偏", "好", "用"],
            &["喜", "欢"],
            &["爱", "用"],
            &["偏", "爱"],
            &["偏", "好"],
            &["喜", "爱"],
            &["爱"],
        ],
    ),
    ("用", &[&["使", "用"], &["在", "用"], &["会", "用"], &["用"]]),
    ("住在", &[&["居", "住", "在"], &["住", "在"], &["现", "居"]]),
    (
        "like",
        &[
            &["is", "fond", "of"],
            &["am", "fond", "of"],
            &["like"],
            &["likes"],
            &["love"],
            &["loves"],
            &["enjoy"],
            &["enjoys"],
            &["prefer"],
            &["prefers"],
        ],
    ),
];

/// Words written as one, as they are apart.
const JOINED: [(&str, &[&str]); 14] = [
    ("can't", &["can", "not"]),
    ("cannot", &["can", "not"]),
    ("won't", &["will", "not"]),
    ("shan't", &["shall", "not"]),
    ("i'm", &["i", "am"]),
    ("it's", &["it", "is"]),
    ("he's", &["he", "is"]),
    ("she's", &["she", "is"]),
    ("that's", &["that", "is"]),
    ("there's", &["there", "is"]),
    ("what's", &["what", "is"]),
    ("who's", &["who", "is"]),
    ("gonna", &["going", "to"]),
    ("let's", &["let", "us"]),
];
/// Endings that are words, behind an apostrophe.
const ENDINGS: [(&str, &str); 4] = [("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will")];

/// The most letters of a unit behind a number, in which case counts: 5 MB and 5 Mb.
const UNIT: usize = 3;

/// A word that says something, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether it is written as a name is: with a capital inside a sentence.
    pub(super) name: bool,
}

impl Word {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), name: false }
    }
}

/// The words of a text: numbers as [`Figures`](crate::Figures) write them, Chinese ones by character, signs by themselves; without fillers, one word
/// for those that are alike.
pub(super) fn words(text: &str) -> Vec<Word> {
    let text: Vec<char> = text.chars().map(|c| if c == '’' { '\'' } else { half_width(c) }).collect();
    let mut found = Vec::new();
    let (mut at, mut begins) = (0, true);
    while let Some(&c) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        if c.is_whitespace() || parts(rest, at.checked_sub(1).and_then(|before| text.get(before))) {
            begins = begins || matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '\n');
            at += 1;
            continue;
        }
        // The figure behind it has the sign.
        if matches!(c, '-' | '−') && is_negative(text.get(..=at).unwrap_or_default()) && starts_number(rest.get(1..))
        {
            at += 1;
            continue;
        }
        at += one_word(&text, at, begins, &mut found);
        begins = false;
    }
    simplified(found)
}

/// Adds what stands at one place; answers how long it is.
fn one_word(text: &[char], at: usize, begins: bool, found: &mut Vec<Word>) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = run(rest);
    let named = length > 0 && rest.iter().take(length).any(char::is_ascii_digit);
    if !named {
        let (taken, figures) = figures_at(text, at);
        if !figures.is_empty() {
            found.extend(figures.into_iter().map(Word::plain));
            return taken.max(1);
        }
    }
    let length = length.max(1);
    let written: String = rest.iter().take(length).collect();
    let written = written.trim_matches('\'');
    let behind_number = found.last().is_some_and(|word| word.text.ends_with(|c: char| c.is_ascii_digit()));
    let lower = written.to_lowercase();
    let mut capitals = written.chars().map(char::is_uppercase);
    let first = capitals.next().unwrap_or_default();
    let name = capitals.any(|capital| capital) || (first && !begins && lower != "i" && !lower.starts_with("i'"));
    if behind_number && ["st", "nd", "rd", "th"].contains(&written) {
        return length;
    }
    let keeps = behind_number && written.chars().count() <= UNIT;
    if !written.is_empty() {
        found.push(Word { text: if keeps { written.to_owned() } else { lower }, name });
    }
    length
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

/// Whether a character only parts words; a dash does between spaces.
fn parts(rest: &[char], before: Option<&char>) -> bool {
    let space = |c: Option<&char>| c.is_none_or(|c| c.is_whitespace());
    match rest.first() {
        Some('-' | '−') => space(before) && space(rest.get(1)),
        Some(c) => ".,;:!?\"'()[]{}/…—–·`_。，、；：！？“”‘（）《》【】「」『』〈〉～".contains(*c),
        None => true,
    }
}

fn starts_number(rest: Option<&[char]>) -> bool {
    rest.and_then(<[char]>::first).is_some_and(char::is_ascii_digit)
}

/// Words apart that are written as one, fillers left out, one word for those that are alike, dates in one form.
fn simplified(words: Vec<Word>) -> Vec<Word> {
    let mut apart = Vec::with_capacity(words.len());
    for word in words {
        take_apart(word, &mut apart);
    }
    let mut kept = Vec::with_capacity(apart.len());
    let mut rest = apart.as_slice();
    while let Some((word, behind)) = rest.split_first() {
        let date = date_units(&kept, rest);
        if let Some(taken) = FILLERS.iter().find(|filler| begins_with(rest, filler)).map(|filler| filler.len()) {
            rest = rest.get(taken..).unwrap_or_default();
        } else if let Some((first, taken)) = alike(rest) {
            kept.push(Word::plain(first));
            rest = rest.get(taken..).unwrap_or_default();
        } else {
            if !date {
                kept.push(word.clone());
            }
            rest = behind;
        }
    }
    kept
}

fn take_apart(word: Word, apart: &mut Vec<Word>) {
    if let Some((_, parts)) = JOINED.iter().find(|(joined, _)| *joined == word.text) {
        apart.extend(parts.iter().map(|part| Word::plain(*part)));
    } else if let Some((stem, ending)) =
        ENDINGS.iter().find_map(|(ending, part)| Some((word.text.strip_suffix(ending)?, *part)))
    {
        apart.extend([Word { text: stem.to_owned(), name: word.name }, Word::plain(ending)]);
    } else {
        apart.push(word);
    }
}

fn begins_with(words: &[Word], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, wanted)| word.text == *wanted)
}

fn alike(words: &[Word]) -> Option<(&'static str, usize)> {
    ALIKE.iter().find_map(|(first, group)| {
        group.iter().find(|phrase| begins_with(words, phrase)).map(|phrase| (*first, phrase.len()))
    })
}

/// Whether a word is the 年, 月 or 日 of a whole date, which 2025-11-05 does without.
fn date_units(before: &[Word], rest: &[Word]) -> bool {
    let is = |word: Option<&Word>, units: &[&str]| word.is_some_and(|word| units.contains(&word.text.as_str()));
    let number = |word: Option<&Word>| word.is_some_and(|word| word.text.chars().all(|c| c.is_ascii_digit()));
    let last = before.last();
    let year = number(last) && is(rest.first(), &["年"]) && number(rest.get(1)) && is(rest.get(2), &["月"]);
    let whole = year && number(rest.get(3)) && is(rest.get(4), &["日", "号"]);
    let [.., year, month] = before else { return whole };
    let month = number(Some(year)) && number(Some(month)) && is(rest.first(), &["月"]) && number(rest.get(1));
    let [.., year, middle, day] = before else { return whole || month };
    let day = [year, middle, day].iter().all(|word| number(Some(word))) && is(rest.first(), &["日", "号"]);
    whole || month || day
}
