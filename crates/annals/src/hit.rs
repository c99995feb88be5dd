use annals_recall::{Explanation, GraphTrace, Query, WhyNot};
use annals_types::{Memory, MemoryId};
use serde::Serialize;

/// A memory that answers a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// Where the score comes from.
    pub explanation: Explanation,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How many memories were looked at closely.
    pub candidates: usize,
    /// Why the memory of [`Query::why_not`](crate::Query::why_not) is not among the hits, when one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
    /// Why the question was answered by words only, when it was: what the embedder said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_vectors: Option<String>,
    /// Why the built-in search answered in place of the [search backend](crate::SearchBackend), when it did: what the backend said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without_backend: Option<String>,
    /// What the graph did; `None` in a namespace without triples and links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphTrace>,
}

impl Answer {
    /// The answer of a namespace without memories.
    pub(crate) fn nothing(query: &Query) -> Self {
        let why_not = query.why_not.map(|_| WhyNot::Missing);
        Self { hits: Vec::new(), candidates: 0, why_not, without_vectors: None, without_backend: None, graph: None }
    }
}
