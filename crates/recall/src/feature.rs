use annals_types::profile::Weights;
use serde::{Deserialize, Serialize};

/// A feature that ranks memories. Each has a value from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Feature {
    /// Likeness in meaning: the cosine between the question and the memory with the turns beside it, as the embedder's
    /// calibration turns it into a score.
    Dense,
    /// Shared words: BM25 of the memory's text and reply, over the most that the question could reach.
    Text,
    /// Shared words with the turns beside it: BM25 of text, reply and half of the turn before and after.
    Window,
    /// Shared words with the surroundings: BM25 of the turns around it in its session.
    Context,
    /// The question names who said it.
    Speaker,
    /// The question names a time, and it happened then.
    Time,
    /// The question asks for a time, and the memory speaks of one.
    AsksTime,
    /// How near it is in the graph to what the question names, or to one of the best: 1 / (1 + steps), less where many
    /// memories speak of the entity that leads there, if the profile says so.
    Graph,
    /// How much it matters.
    Importance,
    /// How recently it happened.
    Recency,
    /// How often it was of use.
    Usage,
    /// Whether it is true at a time that the question names, or at its moment.
    Validity,
    /// How sure it is.
    Confidence,
}

impl Feature {
    /// Every feature; those of relevance first.
    pub const ALL: [Self; 13] = [
        Self::Dense,
        Self::Text,
        Self::Window,
        Self::Context,
        Self::Speaker,
        Self::Time,
        Self::AsksTime,
        Self::Graph,
        Self::Importance,
        Self::Recency,
        Self::Usage,
        Self::Validity,
        Self::Confidence,
    ];
    /// How many of [`ALL`](Self::ALL) are features of relevance.
    pub(crate) const RELEVANCE: usize = 8;

    /// The word used in JSON and in the program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Text => "text",
            Self::Window => "window",
            Self::Context => "context",
            Self::Speaker => "speaker",
            Self::Time => "time",
            Self::AsksTime => "asks_time",
            Self::Graph => "graph",
            Self::Importance => "importance",
            Self::Recency => "recency",
            Self::Usage => "usage",
            Self::Validity => "validity",
            Self::Confidence => "confidence",
        }
    }

    /// Its weight in a profile.
    #[must_use]
    pub const fn weight(self, weights: &Weights) -> f32 {
        match self {
            Self::Dense => weights.dense,
            Self::Text => weights.text,
            Self::Window => weights.window,
            Self::Context => weights.context,
            Self::Speaker => weights.speaker,
            Self::Time => weights.time,
            Self::AsksTime => weights.asks_time,
            Self::Graph => weights.graph,
            Self::Importance => weights.importance,
            Self::Recency => weights.recency,
            Self::Usage => weights.usage,
            Self::Validity => weights.validity,
            Self::Confidence => weights.confidence,
        }
    }
}
