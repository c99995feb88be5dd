//! Stems of words, by their script.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

use super::hebrew;

/// The stemmer of each script; that of Latin letters is English.
pub(super) struct Stems {
    english: Stemmer,
    russian: Stemmer,
    arabic: Stemmer,
    greek: Stemmer,
    tamil: Stemmer,
}

impl Stems {
    pub(super) fn new() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            russian: Stemmer::create(Algorithm::Russian),
            arabic: Stemmer::create(Algorithm::Arabic),
            greek: Stemmer::create(Algorithm::Greek),
            tamil: Stemmer::create(Algorithm::Tamil),
        }
    }

    /// The stem of a folded word. Words of scripts without a stemmer are their own stems, and so
    /// are words of several scripts.
    pub(super) fn of_script<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.is_ascii() {
            return self.english.stem(word);
        }
        let of_block = |from: char, to: char| word.chars().all(|c| (from..=to).contains(&c));
        match word.chars().next().unwrap_or_default() {
            '\u{370}'..='\u{3FF}' if of_block('\u{370}', '\u{3FF}') => self.greek.stem(word),
            '\u{400}'..='\u{4FF}' if of_block('\u{400}', '\u{4FF}') => self.russian.stem(word),
            '\u{5D0}'..='\u{5EA}' if of_block('\u{5D0}', '\u{5EA}') => hebrew::stem(word).into(),
            '\u{620}'..='\u{6FF}' if of_block('\u{620}', '\u{6FF}') => self.arabic(word),
            '\u{B80}'..='\u{BFF}' if of_block('\u{B80}', '\u{BFF}') => self.tamil.stem(word),
            _ => word.into(),
        }
    }

    /// Snowball takes an article from a noun only where enough is left of the word: it is taken
    /// from shorter ones first, with the conjunction before it.
    fn arabic<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let noun = word
            .strip_prefix('\u{648}')
            .filter(|rest| rest.starts_with(ARTICLE))
            .unwrap_or(word);
        let noun = noun
            .strip_prefix(ARTICLE)
            .filter(|rest| rest.chars().count() >= SHORTEST_NOUN)
            .unwrap_or(word);
        // The last letter of a feminine noun becomes a t before a possessive.
        match self.arabic.stem(noun) {
            Cow::Borrowed(stem) => stem.trim_end_matches(FEMININE).into(),
            Cow::Owned(stem) => stem.trim_end_matches(FEMININE).to_owned().into(),
        }
    }
}

/// The Arabic article.
const ARTICLE: &str = "\u{627}\u{644}";
/// A noun of fewer letters may only look as if it had an article.
const SHORTEST_NOUN: usize = 3;
/// Teh marbuta, and the teh that it becomes.
const FEMININE: [char; 2] = ['\u{629}', '\u{62A}'];
