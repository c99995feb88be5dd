use serde::{Deserialize, Serialize};

/// Whether the memory answers a question at all, and what that is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Answered {
    /// The probability that some memory answers, 0 to 1.
    pub probability: f32,
    /// What it is judged by.
    pub signals: Signals,
}

/// What tells a question for the memory from others.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Signals {
    /// Where the nearest memory that says something lies in the embedder's range of cosines, 0 at
    /// the low end and 1 at the high one; `None` without vectors.
    pub nearest: Option<f32>,
    /// The mean place of the nearest examples of everyday talk, likewise.
    pub everyday: Option<f32>,
    /// The greatest share of the question's inverse document frequencies that one memory holds.
    pub coverage: f32,
    /// The greatest score.
    pub best: f32,
    /// Whether the question speaks of who asks.
    pub first_person: bool,
    /// Whether it names a time in which something lies.
    pub timely: bool,
}

/// A logistic head.
struct Head {
    nearest: f32,
    everyday: f32,
    coverage: f32,
    best: f32,
    first_person: f32,
    timely: f32,
    bias: f32,
}

/// Fitted by `tools/fit_answered.py` on questions that have an answer, questions of other
/// conversations and everyday prompts, families of sets weighing alike.
const WITH_VECTORS: Head =
    Head { nearest: 1.66, everyday: -2.87, coverage: 0.0, best: 7.16, first_person: 0.96, timely: 1.06, bias: -3.07 };

/// Fitted likewise, without what needs vectors.
const BY_WORDS: Head =
    Head { nearest: 0.0, everyday: 0.0, coverage: 2.0, best: 9.0, first_person: 0.96, timely: 1.06, bias: -3.07 };

impl Answered {
    /// The judgement by some signals.
    #[must_use]
    pub(crate) fn by(signals: Signals) -> Self {
        let head = if signals.nearest.and(signals.everyday).is_some() { &WITH_VECTORS } else { &BY_WORDS };
        let flag = |set: bool| if set { 1.0 } else { 0.0 };
        let sum = head.nearest * signals.nearest.unwrap_or_default()
            + head.everyday * signals.everyday.unwrap_or_default()
            + head.coverage * signals.coverage
            + head.best * signals.best
            + head.first_person * flag(signals.first_person)
            + head.timely * flag(signals.timely)
            + head.bias;
        Self { probability: 1.0 / (1.0 + (-sum).exp()), signals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_nearer_to_everyday_talk_than_to_any_memory_is_not_answered() {
        let signals = |nearest, everyday| Signals {
            nearest: Some(nearest),
            everyday: Some(everyday),
            best: 0.3,
            ..Signals::default()
        };
        let probability = |nearest, everyday| Answered::by(signals(nearest, everyday)).probability;
        assert!(probability(0.9, 0.3) > 3.0 * probability(0.4, 1.2));
        assert!(Answered::by(Signals::default()).probability < 0.14, "nothing is known");
    }
}
