use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use annals_text::Analyzer;

/// Which words name which speakers of a namespace.
///
/// Latin names are known by each of their words that is no stop word, names in scripts without
/// spaces by the whole name.
#[derive(Debug, Clone, Default)]
pub struct Speakers {
    by_word: HashMap<String, Vec<u32>>,
    whole: Vec<(String, u32)>,
}

impl Speakers {
    /// An index over names and the numbers by which rows know them.
    pub fn new<'a>(names: impl IntoIterator<Item = (u32, &'a str)>) -> Self {
        let mut speakers = Self::default();
        names
            .into_iter()
            .for_each(|(number, name)| speakers.add(number, name));
        speakers
    }

    /// Adds a name.
    pub fn add(&mut self, number: u32, name: &str) {
        if name.chars().any(is_unspaced) {
            self.whole.push((name.to_owned(), number));
            return;
        }
        let analyzer = Analyzer::new();
        for word in analyzer.words(name) {
            if !analyzer.query(&word).is_empty() {
                self.by_word.entry(word).or_default().push(number);
            }
        }
    }

    /// The speakers that a question names.
    #[must_use]
    pub fn named(&self, question: &str) -> NamedSpeakers {
        let mut named = NamedSpeakers::default();
        if self.by_word.is_empty() && self.whole.is_empty() {
            return named;
        }
        for word in Analyzer::new().words(question) {
            if let Some(numbers) = self.by_word.get(&word) {
                named.numbers.extend(numbers);
                named.words.insert(word);
            }
        }
        for (name, number) in &self.whole {
            if question.contains(name.as_str()) {
                named.numbers.insert(*number);
                named.names.push(name.clone());
            }
        }
        named
    }
}

/// The speakers that one question names, and the folded words and whole names that name them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedSpeakers {
    pub(crate) numbers: BTreeSet<u32>,
    words: BTreeSet<String>,
    names: Vec<String>,
}

impl NamedSpeakers {
    /// The question without their names, by which it is embedded: who said something is no part of
    /// what was said. As it is where nothing else would be left.
    #[must_use]
    pub fn taken_out_of<'q>(&self, question: &'q str) -> Cow<'q, str> {
        if self.numbers.is_empty() {
            return Cow::Borrowed(question);
        }
        let analyzer = Analyzer::new();
        let is_name = |part: &str| {
            let words = analyzer.words(part);
            !words.is_empty() && words.iter().all(|word| self.words.contains(word))
        };
        let mut bare: String = question
            .split_inclusive(char::is_whitespace)
            .filter(|part| !is_name(part))
            .collect();
        for name in &self.names {
            bare = bare.replace(name.as_str(), "");
        }
        if bare.chars().any(char::is_alphanumeric) {
            Cow::Owned(bare)
        } else {
            Cow::Borrowed(question)
        }
    }

    /// Whether a name, as the graph compares them, is that of a speaker.
    pub(crate) fn is_speaker(&self, name: &str) -> bool {
        let latin = name
            .split_whitespace()
            .all(|word| self.words.contains(word));
        latin || self.names.iter().any(|whole| whole.to_lowercase() == name)
    }

    /// Whether a term of the question is only there to name a speaker.
    pub(crate) fn is_name(&self, surface: &str) -> bool {
        self.words.contains(surface) || self.names.iter().any(|name| name.contains(surface))
    }
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_speakers_are_taken_out_of_a_question() {
        let speakers = Speakers::new([(1, "Lin Wei"), (2, "Caroline"), (3, "王峰")]);
        for (question, bare) in [
            (
                "What did Caroline's sister study?",
                "What did sister study?",
            ),
            ("Did Lin Wei call?", "Did call?"),
            ("王峰喜欢什么", "喜欢什么"),
            ("Where do I live?", "Where do I live?"),
            ("Caroline?", "Caroline?"),
        ] {
            assert_eq!(speakers.named(question).taken_out_of(question), bare);
        }
    }

    #[test]
    fn a_name_is_found_by_its_words_or_as_a_whole() {
        let speakers = Speakers::new([(1, "Lin Wei"), (2, "Caroline"), (3, "王峰"), (4, "Will")]);
        let numbers = |q: &str| speakers.named(q).numbers.into_iter().collect::<Vec<_>>();
        assert_eq!(numbers("What did caroline say to Wei?"), [1, 2]);
        assert_eq!(numbers("王峰喜欢什么"), [3]);
        assert_eq!(numbers("王先生喜欢什么"), Vec::<u32>::new());
        assert_eq!(
            numbers("what will happen"),
            Vec::<u32>::new(),
            "a stop word names nobody"
        );
        assert!(speakers.named("王峰喜欢什么").is_name("王"));
        assert!(!speakers.named("王峰喜欢什么").is_name("喜欢"));
    }
}
