//! A single word to its term: lower case, stop list, stem by its alphabet, hash, remembered per thread.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use xxhash_rust::xxh3::xxh3_64;

use super::stop::is_stop;
use crate::term::Term;

/// Longer words are hashed whole.
pub(crate) const LONGEST_STEMMED: usize = 40;

const CACHE_SLOTS: usize = 4096;
const STOP_FLAG: u64 = 1 << 63;

/// A word's term, and whether the word is on the stop list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) term: Term,
    pub(crate) stop: bool,
}

/// The letters of an alphabet of spaced words, from the first to the last, and what stems words in it.
const ALPHABETS: [(char, char, Algorithm); 4] = [
    ('\u{370}', '\u{3FF}', Algorithm::Greek),
    ('\u{400}', '\u{52F}', Algorithm::Russian),
    ('\u{600}', '\u{6FF}', Algorithm::Arabic),
    ('\u{B80}', '\u{BFF}', Algorithm::Tamil),
];

/// Maps folded words to terms.
pub(crate) struct Words {
    english: Stemmer,
    /// In the order of [`ALPHABETS`].
    others: [Stemmer; ALPHABETS.len()],
    /// Direct-mapped by the hash of the folded word: (hash, term and stop flag). A hash of 64 bits stands for the word.
    cache: Vec<(u64, u64)>,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self {
            english: Stemmer::create(Algorithm::English),
            others: ALPHABETS.map(|(.., algorithm)| Stemmer::create(algorithm)),
            cache: vec![(0, 0); CACHE_SLOTS],
        }
    }

    /// `folded`: lower case, without accents and apostrophes.
    pub(crate) fn word(&mut self, folded: &[u8]) -> Word {
        if folded.len() > LONGEST_STEMMED {
            return Word { term: Term::word(folded), stop: false };
        }
        let key = xxh3_64(folded);
        let slot = usize::try_from(key & (CACHE_SLOTS as u64 - 1)).unwrap_or(0);
        if let Some((known, value)) = self.cache.get(slot)
            && *known == key
            && *value != 0
        {
            return Word { term: Term::from_number(*value), stop: value & STOP_FLAG != 0 };
        }
        let word = self.look_up(folded);
        if let Some(entry) = self.cache.get_mut(slot) {
            *entry = (key, word.term.number() | if word.stop { STOP_FLAG } else { 0 });
        }
        word
    }

    fn look_up(&self, folded: &[u8]) -> Word {
        match std::str::from_utf8(folded) {
            Ok(word) if word.is_ascii() => {
                Word { term: Term::word(self.english.stem(word).as_bytes()), stop: is_stop(word) }
            }
            Ok(word) => Word { term: Term::word(self.stem(word).as_bytes()), stop: false },
            Err(_) => Word { term: Term::word(folded), stop: false },
        }
    }

    /// The stem of a word by its alphabet; the word where nothing stems it.
    fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let Some(first) = word.chars().next() else { return word.into() };
        let place = ALPHABETS.iter().position(|(from, to, _)| (*from..=*to).contains(&first));
        match place.and_then(|place| self.others.get(place)) {
            Some(stemmer) => stemmer.stem(word),
            None => word.into(),
        }
    }
}

/// The rest of a Hebrew word behind the letters of a conjunction, preposition or article that are
/// written onto it, the shortest first; none where less than two letters are left.
pub(crate) fn behind_prefixes(word: &str) -> impl Iterator<Item = &str> {
    /// Moshe vekalev, as grammars list them.
    const PREFIXES: [char; 7] = ['\u{5DE}', '\u{5E9}', '\u{5D4}', '\u{5D5}', '\u{5DB}', '\u{5DC}', '\u{5D1}'];
    const MOST: usize = 3;
    let mut rest = word;
    let next = move || {
        let behind = rest.strip_prefix(PREFIXES)?;
        let starts = behind.starts_with(|c: char| ('\u{5D0}'..='\u{5EA}').contains(&c));
        if !starts || behind.chars().count() < 2 {
            return None;
        }
        rest = behind;
        Some(behind)
    };
    std::iter::from_fn(next).take(MOST)
}
