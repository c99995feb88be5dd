use serde::{Deserialize, Serialize};

/// Whether the memory answers a question at all, and what that is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Answered {
    /// The probability that some memory answers, 0 to 1.
    pub probability: f32,
    /// The least probability with which anything comes into a prompt (`inject.min_answered` of the
    /// profile).
    pub least: f32,
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
    /// The greatest score.
    pub best: f32,
    /// Whether the question speaks of who asks.
    pub first_person: bool,
    /// Whether it names a time in which something lies.
    pub timely: bool,
    /// Whether it asks for nothing but what was said in that time.
    pub bare: bool,
}

/// A logistic head.
struct Head {
    nearest: f32,
    everyday: f32,
    best: f32,
    first_person: f32,
    timely: f32,
    bias: f32,
}

/// Fitted as `tools/fit_weights.py` does on questions that have an answer, questions of other
/// conversations and everyday prompts, families of sets weighing alike.
const WITH_VECTORS: Head = Head {
    nearest: 1.55,
    everyday: -3.06,
    best: 7.41,
    first_person: 0.99,
    timely: 1.1,
    bias: -2.89,
};

/// Fitted likewise, without what needs vectors.
const BY_WORDS: Head = Head {
    nearest: 0.0,
    everyday: 0.0,
    best: 10.06,
    first_person: 1.11,
    timely: 0.92,
    bias: -4.28,
};

/// What it adds that nothing but a time is asked for, in which something lies. Set by hand: the
/// sets have too few such questions.
const BARE: f32 = 3.0;

impl Answered {
    /// Whether the memory probably answers.
    #[must_use]
    pub fn is_likely(&self) -> bool {
        self.probability >= self.least
    }

    /// The judgement by some signals.
    #[must_use]
    pub(crate) fn by(signals: Signals, least: f32) -> Self {
        let head = if signals.nearest.and(signals.everyday).is_some() {
            &WITH_VECTORS
        } else {
            &BY_WORDS
        };
        let flag = |set: bool| if set { 1.0 } else { 0.0 };
        let sum = head.nearest * signals.nearest.unwrap_or_default()
            + head.everyday * signals.everyday.unwrap_or_default()
            + head.best * signals.best
            + head.first_person * flag(signals.first_person)
            + head.timely * flag(signals.timely)
            + BARE * flag(signals.bare && signals.timely)
            + head.bias;
        Self {
            probability: 1.0 / (1.0 + (-sum).exp()),
            least,
            signals,
        }
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
        let probability =
            |nearest, everyday| Answered::by(signals(nearest, everyday), 0.11).probability;
        assert!(probability(0.9, 0.3) > 3.0 * probability(0.4, 1.2));
        assert!(
            !Answered::by(Signals::default(), 0.11).is_likely(),
            "nothing is known"
        );
    }
}
