use std::collections::BTreeSet;

use annals_recall::{Answered, Explanation, GraphTrace, Part, Query, WhyNot};
use annals_types::{InjectedMemory, InjectionReason, Layer, Memory, MemoryId};
use serde::{Deserialize, Serialize};

/// A memory that answers a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The namespace that it is from.
    pub namespace: String,
    /// Its id.
    pub id: MemoryId,
    /// How well it answers, 0 to 1.
    pub score: f32,
    /// Its text.
    pub text: String,
    /// All of it.
    pub memory: Memory,
    /// A newer memory of the same thing, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<MemoryId>,
    /// Where the score comes from.
    pub explanation: Explanation,
}

impl Hit {
    /// What is noted of it where it is put into a part of a prompt: its score to a ten-thousandth,
    /// and the three features that gave most of it.
    #[must_use]
    pub fn injected(&self, part: impl Into<String>) -> InjectedMemory {
        const MOST: usize = 3;
        let rounded = |score: f32| (f64::from(score) * 1e4).round() / 1e4;
        let mut parts: Vec<_> = self
            .explanation
            .parts
            .iter()
            .filter(|part| part.contribution > 0.0)
            .collect();
        parts.sort_by(|a, b| b.contribution.total_cmp(&a.contribution));
        let reason = |part: &Part| InjectionReason {
            feature: part.feature.as_str().to_owned(),
            contribution: rounded(part.contribution),
        };
        InjectedMemory {
            id: self.id,
            part: part.into(),
            score: rounded(self.score),
            reasons: parts.into_iter().take(MOST).map(reason).collect(),
        }
    }
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// Best first, or [by time](Self::by_time).
    pub hits: Vec<Hit>,
    /// How many memories were looked at closely.
    pub candidates: usize,
    /// Why the memory of [`Query::why_not`](annals_recall::Query::why_not) is not among the hits,
    /// when one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
    /// Why the question was answered by words only, when it was: what the embedder said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_vectors: Option<String>,
    /// Why the built-in search answered in place of the [search backend](crate::SearchBackend),
    /// when it did: the error of the backend.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_backend: Option<String>,
    /// The trace of the graph; `None` in a namespace without triples and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphTrace>,
    /// Whether the hits are in the order of time, memories of conversations first, each part with
    /// the latest first, because the question asks only for the subjects of conversations.
    pub by_time: bool,
    /// Whether anything answers the question at all.
    pub answered: Answered,
}

impl Answer {
    /// The answer of a namespace without memories.
    pub fn nothing(query: &Query) -> Self {
        let why_not = query.why_not.map(|_| WhyNot::Missing);
        Self {
            hits: Vec::new(),
            candidates: 0,
            why_not,
            without_vectors: None,
            without_backend: None,
            graph: None,
            by_time: false,
            answered: Answered::default(),
        }
    }

    /// Takes up the answer of another question, or of another namespace. The hits are not in order
    /// then.
    pub fn absorb(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.without_vectors = self.without_vectors.take().or(other.without_vectors);
        self.without_backend = self.without_backend.take().or(other.without_backend);
        self.by_time |= other.by_time;
        self.hits.extend(other.hits);
        if other.answered.probability >= self.answered.probability {
            self.answered = other.answered;
        }
    }

    /// Puts hits of several answers into one order, and keeps the first of each memory.
    pub fn arrange(hits: &mut Vec<Hit>, by_time: bool) {
        let time = |hit: &Hit| {
            let memory = &hit.memory;
            (
                memory.body.layer == Layer::Episodic,
                memory.body.event_time.unwrap_or(memory.stored_at),
            )
        };
        let better = |a: &Hit, b: &Hit| b.score.total_cmp(&a.score).then(b.id.cmp(&a.id));
        match by_time {
            true => hits.sort_by(|a, b| time(b).cmp(&time(a)).then_with(|| better(a, b))),
            false => hits.sort_by(better),
        }
        let mut seen = BTreeSet::new();
        hits.retain(|hit| seen.insert((hit.namespace.clone(), hit.id)));
    }
}
