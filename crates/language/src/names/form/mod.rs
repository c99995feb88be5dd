//! Names without what only says how they are written.

mod apart;
mod fillers;
mod parts;
mod synonyms;

use annals_types::profile::MergeSettings;

use self::fillers::Fillers;
use self::parts::{Hyphens, words};
use self::synonyms::Synonyms;
use super::normalise;

/// How names are written, by the [synonyms](MergeSettings::synonyms) and
/// [fillers](MergeSettings::fillers) of some settings.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    synonyms: Synonyms,
    fillers: Fillers,
}

impl Forms {
    /// Those of some settings, to be kept for all names.
    #[must_use]
    pub fn new(settings: &MergeSettings) -> Self {
        Self {
            synonyms: Synonyms::of(settings),
            fillers: Fillers::of(settings),
        }
    }

    /// The form of a name: lower case, half width, without accents, spaces, hyphens and fillers,
    /// each word in the place of its synonyms the first of them. Names of one form are one name
    /// written differently, but for those whose capitals tell them apart, as Li Na and Lina.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        let words = self.fillers.dropped(words(name, Hyphens::Join));
        let form = self
            .fillers
            .cut(&self.synonyms.replaced(lower(&words)).concat());
        // A name without words, such as a sign of its own, is itself.
        if form.is_empty() {
            normalise(name)
        } else {
            form
        }
    }
}

/// Words in lower case.
fn lower(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.to_lowercase()).collect()
}

/// Whether a part of a Chinese name can stand by itself.
fn stands(part: &str) -> bool {
    part.chars().nth(1).is_some()
}

#[cfg(test)]
mod tests;
