//! Stems of languages in Latin letters other than English, beside the words of a text.

use std::borrow::Cow;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation;
use whatlang::{Detector, Lang};

use super::fold::{Folded, fold};
use super::word::LONGEST_STEMMED;

/// As much of a text as tells its language, in bytes.
const LOOKED_AT: usize = 1024;

/// How sure the language must be. Names and loan words in English ("I met José at the café") get
/// less, short questions in their own language mostly more.
const SURE: f64 = 0.15;

/// Tells the languages with stemmers and English apart. Among all languages a short text gets too
/// little.
static DETECTOR: LazyLock<Detector> = LazyLock::new(|| {
    Detector::with_allowlist(vec![
        Lang::Eng,
        Lang::Dan,
        Lang::Deu,
        Lang::Fin,
        Lang::Fra,
        Lang::Hun,
        Lang::Ita,
        Lang::Nld,
        Lang::Nob,
        Lang::Por,
        Lang::Ron,
        Lang::Spa,
        Lang::Swe,
        Lang::Tur,
    ])
});

/// Sends each word of a text with its stem, both folded, to `emit`, if the text is in a language
/// other than English for which there is a stemmer.
///
/// Only a text with a letter that English does not have is looked at: one of ASCII keeps its words
/// as they are, whatever language it may seem to be in.
pub(super) fn stems(text: &str, mut emit: impl FnMut(&str, &str)) {
    if text.is_ascii() || !text.chars().any(|c| is_accented(c) || is_accent(c)) {
        return;
    }
    let text = composed(text);
    let text = text.as_ref();
    let start = text
        .get(..text.floor_char_boundary(LOOKED_AT))
        .unwrap_or(text);
    let Some(algorithm) = language(start).and_then(algorithm) else {
        return;
    };
    let stemmer = Stemmer::create(algorithm);
    let (mut word, mut stem) = (String::new(), String::new());
    for written in text
        .unicode_words()
        .filter(|word| word.len() <= LONGEST_STEMMED)
    {
        // Turkish parts an ending from a name by an apostrophe.
        let name = written.split(['\'', '\u{2019}']).next().unwrap_or(written);
        if name.is_empty() || !name.chars().all(is_latin) {
            continue;
        }
        let lower = lower(name, algorithm);
        fold_into(&mut word, &lower);
        fold_into(&mut stem, &stemmer.stem(&lower));
        emit(&word, &stem);
    }
}

/// The language of a text among those with stemmers, unless it is as surely another one.
fn language(text: &str) -> Option<Lang> {
    let found = DETECTOR
        .detect(text)
        .filter(|found| found.confidence() >= SURE)?
        .lang();
    let other = whatlang::detect(text).filter(|likeliest| likeliest.lang() != found);
    other
        .is_none_or(|other| other.confidence() < SURE)
        .then_some(found)
}

/// A text whose letters are one character each with their accents.
fn composed(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_accent) {
        Cow::Owned(text.nfc().collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn fold_into(folded: &mut String, text: &str) {
    folded.clear();
    for c in text.chars() {
        fold(c, &mut |part| {
            if let Folded::Letter(c) = part {
                folded.push(c);
            }
        });
    }
}

fn algorithm(language: Lang) -> Option<Algorithm> {
    Some(match language {
        Lang::Dan => Algorithm::Danish,
        Lang::Deu => Algorithm::German,
        Lang::Fin => Algorithm::Finnish,
        Lang::Fra => Algorithm::French,
        Lang::Hun => Algorithm::Hungarian,
        Lang::Ita => Algorithm::Italian,
        Lang::Nld => Algorithm::Dutch,
        Lang::Nob => Algorithm::Norwegian,
        Lang::Por => Algorithm::Portuguese,
        Lang::Ron => Algorithm::Romanian,
        Lang::Spa => Algorithm::Spanish,
        Lang::Swe => Algorithm::Swedish,
        Lang::Tur => Algorithm::Turkish,
        _ => return None,
    })
}

/// Turkish has two letters i, each with a capital of its own.
fn lower(word: &str, algorithm: Algorithm) -> String {
    if matches!(algorithm, Algorithm::Turkish) {
        word.replace('I', "ı").replace('İ', "i").to_lowercase()
    } else {
        word.to_lowercase()
    }
}

/// A Latin letter outside ASCII.
const fn is_accented(c: char) -> bool {
    matches!(c, '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}') && !matches!(c, '×' | '÷')
}

/// An accent that is a character of its own.
const fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}')
}

const fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || is_accented(c)
}
