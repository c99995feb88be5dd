//! When recall follows the graph, and how far.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::share;
use crate::InvalidValue;

/// Whether a question follows the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RecallMode {
    /// Never: words and meaning alone, the graph is not read.
    Fast,
    /// Always.
    Deep,
    /// Entities named in the question are looked up; further steps follow only where it asks for
    /// causes or relations, or where nothing answers well.
    #[default]
    Auto,
}

impl RecallMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Deep, Self::Auto];

    /// The word used in profiles and programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Deep => "deep",
            Self::Auto => "auto",
        }
    }
}

impl std::fmt::Display for RecallMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for RecallMode {
    type Err = InvalidValue;

    fn from_str(word: &str) -> Result<Self, InvalidValue> {
        let known = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        known.ok_or_else(|| InvalidValue::Unknown {
            field: "mode",
            value: word.chars().take(60).collect(),
            allowed: "fast, deep, auto",
        })
    }
}

/// When recall follows the graph, and how far. How far at most, and which entities are no bridges,
/// is in `graph.expand`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpandSettings {
    /// Whether a question that says nothing of it follows the graph.
    pub mode: RecallMode,
    /// Steps, where the graph is followed and the question names no number.
    pub depth: u32,
    /// Best hits of words and meaning from which it is followed; 0 follows it from what the
    /// question names alone.
    pub seeds: u32,
    /// Best hits whose links are followed where the question asks for a cause, if those of `seeds`
    /// are fewer; 0 for none.
    pub cause_seeds: u32,
    /// The value of a hit of words or meaning in the feature of the graph, 0 to 1, where no other
    /// hit leads to it.
    pub direct: f32,
    /// Whether a memory that speaks of an entity counts the less, the more memories do: times
    /// `ln(1 + n / df) / ln(1 + n)`, the inverse document frequency (Spärck Jones 1972) of an
    /// entity of which df of n memories speak, 1 for one of which a single one does.
    pub rarity: bool,
    /// Mode auto: the best likeness in meaning, 0 to 1, below which it is followed; 0 for never.
    pub min_similarity: f32,
    /// Mode auto: hits with a score of `enough_score` or more that are enough. Where one step led
    /// to fewer, one more is taken; 0 for never.
    pub enough: u32,
    /// The score, 0 to 1, that counts for `enough`.
    pub enough_score: f32,
    /// Mode auto: words that ask for a cause; it is followed by links of `cause_relations` alone.
    pub cause_words: Vec<String>,
    /// Relations that stand for causes: links of their classes are followed; those of class
    /// causality when empty.
    pub cause_relations: Vec<String>,
    /// Mode auto: words that ask for what belongs together.
    pub relation_words: Vec<String>,
    /// The most different names in a question that are looked up, those that come first.
    pub names: u32,
    /// The most memories that the graph may bring up.
    pub candidates: u32,
    /// The most edges, links and rows of evidence that are looked at.
    pub edges: u32,
    /// The most rounds of reads besides the one that looks names up; two steps take five.
    pub rounds: u32,
}

impl Default for ExpandSettings {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            mode: RecallMode::Auto,
            depth: 1,
            seeds: 10,
            cause_seeds: 3,
            direct: 0.0,
            rarity: true,
            min_similarity: 0.0,
            enough: 0,
            enough_score: 0.5,
            cause_words: words(&[
                "why",
                "because",
                "cause",
                "causes",
                "caused",
                "reason",
                "reasons",
                "led to",
                "因为",
                "所以",
                "为什么",
                "为何",
                "原因",
                "导致",
            ]),
            cause_relations: Vec::new(),
            relation_words: words(&[
                "related",
                "relation",
                "connected",
                "connection",
                "有关",
                "关于",
                "相关",
                "联系",
            ]),
            names: 256,
            candidates: 200,
            edges: 2000,
            rounds: 5,
        }
    }
}

impl ExpandSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("recall.expand.direct", self.direct)?;
        share("recall.expand.min_similarity", self.min_similarity)?;
        share("recall.expand.enough_score", self.enough_score)?;
        for (key, words) in [
            ("recall.expand.cause_words", &self.cause_words),
            ("recall.expand.relation_words", &self.relation_words),
        ] {
            if words.iter().any(|word| word.trim().is_empty()) {
                return Err(BadProfile::new(key, "a word is empty".to_owned()));
            }
        }
        Ok(())
    }
}
