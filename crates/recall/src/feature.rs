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
    /// Likeness in meaning with the surroundings: the cosine of the question and the memory with
    /// the turns beside it.
    Dense,
    /// Shared words: BM25 of the memory's text and reply, over the most that the question could
    /// reach; that of the sentence of the question which fits best, where it has several.
    Text,
    /// Shared words with the turns beside it: BM25 of text, reply and half of the turn before and
    /// after.
    Window,
    /// Shared words with the surroundings: BM25 of the turns around it in its session.
    Context,
    /// The question names who said it.
    Speaker,
    /// The question names a time, and it happened then.
    Time,
    /// The question asks for a time, and the memory speaks of one.
    AsksTime,
    /// The turn before it is a question of somebody else, and this is how well that fits: the mean
    /// of its likeness in meaning and of the words of the question that it holds.
    Answers,
    /// How near it is in the graph to what the question names, or to one of the best: 1 / (1 +
    /// steps), less where many memories speak of the entity that leads there, if the profile says
    /// so.
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
    /// Whether it says more than a question: less the shorter a question it is.
    Tells,
}

impl Feature {
    /// Every feature; those of relevance first.
    pub const ALL: [Self; 17] = [
        Self::Own,
        Self::Dense,
        Self::Text,
        Self::Window,
        Self::Context,
        Self::Speaker,
        Self::Time,
        Self::AsksTime,
        Self::Answers,
        Self::Graph,
        Self::Importance,
        Self::Recency,
        Self::Usage,
        Self::Validity,
        Self::Confidence,
        Self::Role,
        Self::Tells,
    ];
    /// How many of [`ALL`](Self::ALL) are features of relevance.
    pub(crate) const RELEVANCE: usize = 10;

    /// Whether it takes away a share of the relevance.
    pub(crate) fn is_prior(self) -> bool {
        Self::ALL
            .iter()
            .skip(Self::RELEVANCE)
            .any(|prior| *prior == self)
    }

    /// Whether it tells of the turns around a memory and not of the memory itself.
    pub(crate) const fn is_of_surroundings(self) -> bool {
        matches!(self, Self::Window | Self::Context | Self::Answers)
    }

    /// The word used in JSON and in the program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Dense => "dense",
            Self::Text => "text",
            Self::Window => "window",
            Self::Context => "context",
            Self::Speaker => "speaker",
            Self::Time => "time",
            Self::AsksTime => "asks_time",
            Self::Answers => "answers",
            Self::Graph => "graph",
            Self::Importance => "importance",
            Self::Recency => "recency",
            Self::Usage => "usage",
            Self::Validity => "validity",
            Self::Confidence => "confidence",
            Self::Role => "role",
            Self::Tells => "tells",
        }
    }

    /// Its weight in a profile.
    #[must_use]
    pub const fn weight(self, weights: &Weights) -> f32 {
        match self {
            Self::Own => weights.own,
            Self::Dense => weights.dense,
            Self::Text => weights.text,
            Self::Window => weights.window,
            Self::Context => weights.context,
            Self::Speaker => weights.speaker,
            Self::Time => weights.time,
            Self::AsksTime => weights.asks_time,
            Self::Answers => weights.answers,
            Self::Graph => weights.graph,
            Self::Importance => weights.importance,
            Self::Recency => weights.recency,
            Self::Usage => weights.usage,
            Self::Validity => weights.validity,
            Self::Confidence => weights.confidence,
            Self::Role => weights.role,
            Self::Tells => weights.tells,
        }
    }

    /// The weight of the feature in a profile, to be changed.
    #[must_use]
    pub const fn weight_mut(self, weights: &mut Weights) -> &mut f32 {
        match self {
            Self::Own => &mut weights.own,
            Self::Dense => &mut weights.dense,
            Self::Text => &mut weights.text,
            Self::Window => &mut weights.window,
            Self::Context => &mut weights.context,
            Self::Speaker => &mut weights.speaker,
            Self::Time => &mut weights.time,
            Self::AsksTime => &mut weights.asks_time,
            Self::Answers => &mut weights.answers,
            Self::Graph => &mut weights.graph,
            Self::Importance => &mut weights.importance,
            Self::Recency => &mut weights.recency,
            Self::Usage => &mut weights.usage,
            Self::Validity => &mut weights.validity,
            Self::Confidence => &mut weights.confidence,
            Self::Role => &mut weights.role,
            Self::Tells => &mut weights.tells,
        }
    }
}
