//! Words that say nothing of what a name means.

use annals_types::profile::MergeSettings;

use super::stands;

/// The fillers of some settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Fillers(Vec<String>);

impl Fillers {
    pub(super) fn of(settings: &MergeSettings) -> Self {
        Self(settings.fillers.clone())
    }

    /// Whether a word is one as it is written: "the", and not the first word of "The Who".
    pub(super) fn holds(&self, word: &str) -> bool {
        self.0.iter().any(|filler| filler == word)
    }

    /// Words without the fillers before them. One word is left in any case.
    pub(super) fn dropped(&self, words: Vec<String>) -> Vec<String> {
        let last = words.len().saturating_sub(1);
        let begin = words
            .iter()
            .take(last)
            .take_while(|word| self.holds(word))
            .count();
        words.into_iter().skip(begin).collect()
    }

    /// A form without the fillers of one sign between two parts that can stand by themselves:
    /// 学习的计划, not 目的地.
    pub(super) fn cut(&self, form: &str) -> String {
        let signs: Vec<char> = form.chars().collect();
        let is_filler = |sign: char| !sign.is_ascii() && self.holds(sign.encode_utf8(&mut [0; 4]));
        let part = |signs: Option<&[char]>| {
            signs.is_some_and(|part| stands(&part.iter().collect::<String>()))
        };
        let between = |at: usize| part(signs.get(..at)) && part(signs.get(at.saturating_add(1)..));
        signs
            .iter()
            .enumerate()
            .filter(|(at, sign)| !is_filler(**sign) || !between(*at))
            .map(|(_, sign)| *sign)
            .collect()
    }
}
