use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// The question that was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionQuestion {
    /// Whether a memory that is worth little may go.
    MayGo,
    /// Whether a memory that is worth much is kept for good.
    KeepForGood,
    /// Whether the first memory says what the second says.
    Same,
    /// Whether the first memory contradicts the second.
    Contradicts,
    /// Whether one of two memories is the cause of the other.
    Cause,
    /// Whether a memory is still true after what was said in a conversation.
    StillTrue,
    /// Whether what was found in a conversation is worth remembering or doing.
    Worthwhile,
    /// Nothing was asked: a caller edited, hid, brought back, weighed, linked, told again or
    /// deleted memories.
    Changed,
}

impl DecisionQuestion {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MayGo => "may_go",
            Self::KeepForGood => "keep_for_good",
            Self::Same => "same",
            Self::Contradicts => "contradicts",
            Self::Cause => "cause",
            Self::StillTrue => "still_true",
            Self::Worthwhile => "worthwhile",
            Self::Changed => "changed",
        }
    }
}

/// Something that a judge, a person or whoever looked through a conversation decided about
/// memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// Its number in the namespace, from 1 on.
    pub number: u64,
    /// When it was decided.
    pub at: Timestamp,
    /// The question that was decided.
    pub question: DecisionQuestion,
    /// The memories that were asked about, the one that it is about first; behind it, for a
    /// finding of a conversation, the turns that say so.
    pub memories: Vec<MemoryId>,
    /// The answer: `promote`, `keep`, `delete` or `undecided` of a review, `delete`, `update` or
    /// `contradict` after a conversation, `yes` or `no`, or which memory is the cause.
    pub answer: String,
    /// The reason in the words of the one that decided, redacted by the profile and cut to
    /// `review.reason_chars`; empty when no reason was given, or when it went with the memory that
    /// it was about.
    pub reason: String,
    /// The one that decided: the name of a model, judge or extractor, `a person`, or `the
    /// profile`, whose rules ask no one.
    pub by: String,
    /// Its changes, in words; empty when all stayed as it was.
    pub changes: Vec<String>,
    /// Whether it can be taken back: it changed something that is still there to be changed back,
    /// or ended a wait.
    pub can_be_undone: bool,
    /// When it was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_at: Option<Timestamp>,
}
