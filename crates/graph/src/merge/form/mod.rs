//! Names without what only says how they are written.

mod apart;
mod office;
mod parts;
mod plural;
mod synonyms;

use annals_types::profile::MergeSettings;

use self::office::without_office;
use self::parts::{Hyphens, parts};
use self::plural::singular;
use self::synonyms::Synonyms;
use crate::name::normalise;

/// How names are written, by the [synonyms](MergeSettings::synonyms) of some settings.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    synonyms: Synonyms,
}

impl Forms {
    /// Those of some settings, to be kept for all names.
    #[must_use]
    pub fn new(settings: &MergeSettings) -> Self {
        Self { synonyms: Synonyms::of(settings) }
    }

    /// The form of a name: lower case, half width, without spaces, hyphens, articles, plural endings, 的, and 市 or 省 behind the name of a place,
    /// each word in the place of its synonyms the first of them. Names of one form are one name written differently, but for those whose capitals
    /// tell them apart, as The Who and who, or which are places of two sorts, as 吉林省 and 吉林市.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        let form = self.joined(words(name, Hyphens::Join, Plurals::Dropped));
        // What has no words, such as a sign of its own, is itself.
        if form.is_empty() { normalise(name) } else { form }
    }

    fn joined(&self, words: Vec<String>) -> String {
        let replaced = self.synonyms.replaced(words);
        without_of(&replaced.iter().map(|word| without_office(word)).collect::<String>())
    }
}

/// What is made of endings of plurals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plurals {
    Dropped,
    /// Those of words with a capital stay.
    OfCommonWords,
}

/// The words of a name, in lower case, without articles before them and without plural endings.
fn words(name: &str, hyphens: Hyphens, plurals: Plurals) -> Vec<String> {
    let parts = parts(name, hyphens);
    let word = |part: &String| {
        let lower = part.to_lowercase();
        if plurals == Plurals::OfCommonWords && is_proper(part) { lower } else { singular(&lower) }
    };
    without_articles(&parts).iter().map(word).collect()
}

/// Words without those before them that do not belong to a name. "My Little Pony" is one with its first word.
fn without_articles(mut parts: &[String]) -> &[String] {
    while let [article, rest @ ..] = parts
        && !rest.is_empty()
        && ["the", "a", "an", "my", "The"].contains(&article.as_str())
    {
        parts = rest;
    }
    parts
}

/// Whether a word is written as a name is.
fn is_proper(word: &str) -> bool {
    word.chars().any(char::is_uppercase)
}

/// A text without 的 between two parts that can stand by themselves: not 目的.
fn without_of(form: &str) -> String {
    let signs: Vec<char> = form.chars().collect();
    let between = |at: usize| {
        let (before, behind) = (signs.get(..at).unwrap_or_default(), signs.get(at + 1..).unwrap_or_default());
        let both = behind.len() >= 2 || before.len() >= 2 && !behind.is_empty();
        both && stands(&before.iter().collect::<String>())
    };
    signs.iter().enumerate().filter(|(at, c)| **c != '的' || !between(*at)).map(|(_, c)| *c).collect()
}

/// Whether a part of a Chinese name can stand by itself.
fn stands(part: &str) -> bool {
    part.chars().nth(1).is_some() || ["我", "你", "他", "她", "它", "咱"].contains(&part)
}

#[cfg(test)]
mod tests;
