//! A single word to its term: lower case, stop list, stem, hash, remembered per thread.

use xxhash_rust::xxh3::xxh3_64;

use super::stems::Stems;
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

/// Maps folded words to terms.
pub(crate) struct Words {
    stems: Stems,
    /// Direct-mapped by the hash of the folded word: (hash, term and stop flag). A hash of 64 bits
    /// stands for the word.
    cache: Vec<(u64, u64)>,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self {
            stems: Stems::new(),
            cache: vec![(0, 0); CACHE_SLOTS],
        }
    }

    /// `folded`: lower case, without accents and apostrophes.
    pub(crate) fn word(&mut self, folded: &[u8]) -> Word {
        if folded.len() > LONGEST_STEMMED {
            return Word {
                term: Term::word(folded),
                stop: false,
            };
        }
        let key = xxh3_64(folded);
        let slot = usize::try_from(key & (CACHE_SLOTS as u64 - 1)).unwrap_or(0);
        if let Some((known, value)) = self.cache.get(slot)
            && *known == key
            && *value != 0
        {
            return Word {
                term: Term::from_number(*value),
                stop: value & STOP_FLAG != 0,
            };
        }
        let word = self.look_up(folded);
        if let Some(entry) = self.cache.get_mut(slot) {
            *entry = (
                key,
                word.term.number() | if word.stop { STOP_FLAG } else { 0 },
            );
        }
        word
    }

    fn look_up(&self, folded: &[u8]) -> Word {
        match std::str::from_utf8(folded) {
            Ok(word) => Word {
                term: Term::word(self.stems.of_script(word).as_bytes()),
                stop: is_stop(word),
            },
            Err(_) => Word {
                term: Term::word(folded),
                stop: false,
            },
        }
    }
}
