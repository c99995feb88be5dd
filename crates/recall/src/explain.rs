use annals_graph::Cut;
use annals_records::Mismatch;
use annals_types::Interval;
use annals_types::profile::{RecallMode, RelationClass};
use serde::{Deserialize, Serialize};

use crate::intent::Decision;
use crate::{Feature, Trigger};

/// The contribution of one feature to a hit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Part {
    /// The feature.
    pub feature: Feature,
    /// Its value for this memory and this question, 0 to 1; `None` where it does not apply to the
    /// question.
    pub value: Option<f32>,
    /// Its part of the score (a prior takes away: at most 0). The contributions sum to the score.
    pub contribution: f32,
}

/// Why a memory has the score it has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The score, 0 to 1.
    pub score: f32,
    /// Every feature.
    pub parts: Vec<Part>,
    /// What it gained by being put before another memory of the same thing: the newest, or the one
    /// before, as the question asks. It comes on top of the parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead_of: Option<f32>,
    /// The words of the question that the memory holds, as they are searched.
    pub matched: Vec<String>,
    /// How it became a candidate.
    pub found_by: Vec<Channel>,
    /// The time that its text names, where that and not when it happened is what fits the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_time: Option<Interval>,
    /// How near it is in the graph, where the graph has to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<Nearness>,
}

/// How near a memory is in the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearness {
    /// Steps from what the question names, or from a hit of words or meaning; 0 for these
    /// themselves.
    pub distance: u32,
    /// By what the last step was made; `None` for a hit of words or meaning.
    #[serde(flatten)]
    pub by: Option<Route>,
}

/// A step over the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "by")]
#[non_exhaustive]
pub enum Route {
    /// It speaks of an entity that the question names, or that a memory before it speaks of.
    Entity {
        /// The name of the entity.
        name: String,
    },
    /// A link with a memory before it.
    Link {
        /// The name of the relation.
        relation: String,
        /// The class of the relation.
        class: RelationClass,
        /// Whether the link leads to this memory.
        outgoing: bool,
    },
}

/// The part of the graph in answering a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphTrace {
    /// Whether it was to be followed.
    pub mode: RecallMode,
    /// The names in the question that entities have.
    pub entities: Vec<String>,
    /// Steps that were followed beyond what the question names; 0 for none, and where there was
    /// nothing to begin from.
    pub depth: u32,
    /// Names in the question that are not followed, because too much speaks of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    /// Why it was to be followed; `None` when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The relations that were followed; all when `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relations: Option<Vec<String>>,
    /// Parts of the request that were not carried out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The limit that ended it early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

impl GraphTrace {
    pub(crate) fn new(decision: &Decision, entities: Vec<String>) -> Self {
        Self {
            mode: decision.mode,
            entities,
            depth: decision.depth,
            passed: Vec::new(),
            trigger: decision.trigger.clone(),
            relations: decision.relations.clone(),
            notes: decision.notes.clone(),
            cut: None,
        }
    }
}

/// A way by which memories become candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Channel {
    /// Among the best by words.
    Text,
    /// Among the best by meaning.
    Vector,
    /// Beside one of the best in its session.
    Neighbour,
    /// Within the time that the question names.
    Time,
    /// Near in the graph to what the question names, or to one of the best.
    Graph,
    /// It speaks of an entity that is among the nearest in meaning.
    Node,
}

/// Why a memory is not among the hits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum WhyNot {
    /// It is among them.
    Returned {
        /// Its place, counted from 1.
        rank: usize,
    },
    /// There is no memory with that id in the namespace.
    Missing,
    /// It does not pass the filter.
    Filtered {
        /// The first condition that it fails.
        mismatch: Mismatch,
    },
    /// No channel brought it up; this is the score it would have had.
    NoCandidate {
        /// Its score and where it comes from.
        explanation: Explanation,
        /// The score of the last hit returned, if there is any.
        last_hit: Option<f32>,
    },
    /// Its score is below the minimum.
    BelowMinimum {
        /// Its score and where it comes from.
        explanation: Explanation,
        /// The minimum.
        min_score: f32,
    },
    /// Others were better.
    Outranked {
        /// Its score and where it comes from.
        explanation: Explanation,
        /// Its place among all candidates, counted from 1.
        rank: usize,
    },
    /// Too much like a better hit.
    TooAlike {
        /// Its score and where it comes from.
        explanation: Explanation,
        /// Its place among all candidates, counted from 1.
        rank: usize,
    },
}
