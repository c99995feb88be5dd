//! Words that mean the same.

use annals_types::profile::MergeSettings;

use super::parts::{Hyphens, words};
use super::{lower, stands};

/// The words of some settings that mean the same, the longest first, each with the first of its
/// group; these are among them, so that none is taken for a part of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Synonyms(Vec<(Vec<String>, String)>);

impl Synonyms {
    pub(super) fn of(settings: &MergeSettings) -> Self {
        let plain = |text: &String| lower(&words(text, Hyphens::Join));
        let mut known: Vec<(Vec<String>, String)> = Vec::new();
        for group in &settings.synonyms {
            let Some(first) = group.first().map(|first| plain(first).concat()) else {
                continue;
            };
            known.extend(group.iter().map(|word| (plain(word), first.clone())));
        }
        known.retain(|(word, first)| !word.is_empty() && !first.is_empty());
        known.sort_by_key(|(word, _)| {
            std::cmp::Reverse(word.iter().map(String::len).sum::<usize>())
        });
        Self(known)
    }

    /// Words, each in the place of its synonyms the first of them.
    pub(super) fn replaced(&self, words: Vec<String>) -> Vec<String> {
        if self.0.is_empty() {
            return words;
        }
        let mut replaced = Vec::with_capacity(words.len());
        let mut rest = words.as_slice();
        while let Some((word, behind)) = rest.split_first() {
            if let Some((known, first)) = self.0.iter().find(|(known, _)| rest.starts_with(known)) {
                replaced.push(first.clone());
                rest = rest.get(known.len()..).unwrap_or_default();
            } else {
                replaced.push(self.chinese(word));
                rest = behind;
            }
        }
        replaced
    }

    /// Whether two words are synonyms.
    pub(super) fn is_one(&self, one: &str, other: &str) -> bool {
        let replaced = |word: &str| self.replaced(vec![word.to_owned()]);
        one == other || replaced(one) == replaced(other)
    }

    /// A Chinese word with a synonym at its beginning or end replaced where the rest can stand by
    /// itself: 心情日记, 我的情绪, and not 老太太, 单车道. One sign for another, as 疼 for 痛, ends words of two:
    /// 头疼.
    fn chinese(&self, word: &str) -> String {
        let replaced = self
            .0
            .iter()
            .filter(|(known, _)| known.iter().all(|part| !part.is_ascii()))
            .find_map(|(known, first)| {
                let known = known.concat();
                let begins = word
                    .strip_prefix(&known)
                    .filter(|rest| stands(rest))
                    .map(|rest| format!("{first}{rest}"));
                let bound = is_sign(&known) && is_sign(first);
                let fits = |rest: &&str| stands(rest) || bound && is_sign(rest);
                let ends = || {
                    word.strip_suffix(&known)
                        .filter(fits)
                        .map(|rest| format!("{rest}{first}"))
                };
                begins.or_else(ends)
            });
        replaced.unwrap_or_else(|| word.to_owned())
    }
}

fn is_sign(text: &str) -> bool {
    text.chars().count() == 1
}
