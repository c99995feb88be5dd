use annals_types::profile::Weights;
use serde::{Deserialize, Serialize};

/// A feature that ranks memories. Each has a value from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Feature {
    /// Likeness in meaning: the cosine of the question and the memory by itself, as the embedder's
    /// calibration turns it into a score.
    Own,
    /// Likeness in meaning with the surroundings: the cosine of the question and the memory with the
    /// turns beside it.
    Dense,
    /// Covered words: the share of the question's inverse document frequencies whose words the
    /// memory holds.
    Coverage,
    /// Shared words with a part: BM25 of text and reply for that sentence of the question which
    /// fits best, over the most that the sentence could reach.
    Part,
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
    /// Whether a person said it, and not an assistant.
    Role,
}

impl Feature {
    /// Every feature; those of relevance first.
    pub const ALL: [Self; 17] = [
        Self::Own,
        Self::Dense,
        Self::Coverage,
        Self::Part,
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
        Self::Role,
    ];
    /// How many of [`ALL`](Self::ALL) are features of relevance.
    pub(crate) const RELEVANCE: usize = 11;

    /// The word used in JSON and in the program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Dense => "dense",
            Self::Coverage => "coverage",
            Self::Part => "part",
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
            Self::Role => "role",
        }
    }

    /// Its weight in a profile.
    #[must_use]
    pub const fn weight(self, weights: &Weights) -> f32 {
        match self {
            Self::Own => weights.own,
            Self::Dense => weights.dense,
            Self::Coverage => weights.coverage,
            Self::Part => weights.part,
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
            Self::Role => weights.role,
        }
    }
}
