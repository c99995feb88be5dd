use std::collections::HashSet;

use super::tokens::{Kind, Sink};
use crate::term::Term;

/// One term of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term to look up.
    pub term: Term,
    /// The folded word as the question had it, for explanations.
    pub surface: String,
    /// How much its score counts; 1 for most, less for a single character of a script without
    /// spaces.
    pub weight: f32,
    /// Whether it is the stem of a word in another language than English, which is a term as well.
    pub is_stem: bool,
}

/// The terms of a question, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    terms: Vec<QueryTerm>,
}

impl Query {
    /// A query of given terms; those that repeat an earlier one are dropped.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = QueryTerm>) -> Self {
        let mut known = HashSet::new();
        Self {
            terms: terms.into_iter().filter(|t| known.insert(t.term)).collect(),
        }
    }

    /// The query without the terms that `drop` picks, such as the names of speakers.
    #[must_use]
    pub fn without(mut self, mut drop: impl FnMut(&QueryTerm) -> bool) -> Self {
        self.terms.retain(|term| !drop(term));
        self
    }

    /// The terms in order of first appearance.
    #[must_use]
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    /// Whether nothing is left to search by.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// What a single character of a script without spaces counts against a pair of them: many texts
/// share it by chance. Measured on three sets, recall@5 with 1, 0.6 and 0.4: memorybank-zh-dev
/// .949, .949, .955, memdaily-dev .798, .802, .803, facts-dev .833, .839, .828; their MRR .792,
/// .781, .780, .947, .953, .953, .703, .698, .695.
const ONE_CHARACTER: f32 = 0.6;

/// Collects the tokens of a question.
#[derive(Default)]
pub(super) struct Collector {
    terms: Vec<QueryTerm>,
}

impl Sink for Collector {
    fn token(&mut self, term: Term, kind: Kind, surface: &[u8]) {
        if kind == Kind::Stop {
            return;
        }
        let surface = String::from_utf8_lossy(surface).into_owned();
        let weight = if matches!(term.characters(), Some((_, None))) {
            ONE_CHARACTER
        } else {
            1.0
        };
        self.terms.push(QueryTerm {
            term,
            surface,
            weight,
            is_stem: kind == Kind::Stem,
        });
    }
}

impl Collector {
    pub(super) fn finish(self) -> Query {
        Query::new(self.terms)
    }
}
