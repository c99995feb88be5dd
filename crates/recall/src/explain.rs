use annals_records::Mismatch;
use serde::Serialize;

use crate::Feature;

/// What one feature did for a hit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// The feature.
    pub feature: Feature,
    /// Its value for this memory and this question, 0 to 1; `None` where it does not apply to the question.
    pub value: Option<f32>,
    /// What it adds to the score (a prior takes away: at most 0). The contributions sum to the score.
    pub contribution: f32,
}

/// Why a memory has the score it has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The score, 0 to 1.
    pub score: f32,
    /// Every feature.
    pub parts: Vec<Part>,
    /// The words of the question that the memory holds, as they are searched.
    pub matched: Vec<String>,
    /// How it became a candidate.
    pub found_by: Vec<Channel>,
}

/// A way by which memories become candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
}

/// Why a memory is not among the hits.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
