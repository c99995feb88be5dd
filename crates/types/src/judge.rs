use std::time::Duration;

use crate::profile::ReviewKind;
use crate::{MemoryId, Timestamp};

/// A memory as a judge, a summarizer or an extractor is shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Its id; answers may name it.
    pub id: MemoryId,
    /// Its text.
    pub text: String,
    /// When what it tells happened, or when it was stored.
    pub time: Timestamp,
    /// Its retention now, on the scale of the profile.
    pub retention: f64,
}

/// A memory under review.
#[derive(Debug, Clone, Copy)]
pub struct ReviewCase<'a> {
    /// The kind of decision.
    pub kind: ReviewKind,
    /// The memory.
    pub memory: &'a Shown,
    /// Memories related to it, and those that its searches brought, the newest search last; never
    /// the memory itself.
    pub related: &'a [Shown],
    /// The number of the round, from 1 on.
    pub round: u32,
    /// Whether no search will be made any more.
    pub last: bool,
}

/// A judge's answer in one round of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It is to be kept for good.
    Promote,
    /// It stays.
    Keep,
    /// It may go.
    Delete,
    /// Memories found with these words are to be shown first.
    Search(String),
    /// It cannot say; the review is tried again later.
    Undecided,
}

/// Which of two memories is the cause of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Causality {
    /// Neither.
    Neither,
    /// The first is the cause of the second.
    FirstCauses,
    /// The second is the cause of the first.
    SecondCauses,
}

/// An answer of a judge, with its reason. The bare answer becomes one without a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reasoned<T> {
    /// The answer.
    pub answer: T,
    /// Why, in the judge's own words; empty when it gave none.
    pub reason: String,
}

impl<T> Reasoned<T> {
    /// An answer with its reason.
    #[must_use]
    pub fn new(answer: T, reason: impl Into<String>) -> Self {
        Self {
            answer,
            reason: reason.into(),
        }
    }
}

impl<T> From<T> for Reasoned<T> {
    fn from(answer: T) -> Self {
        Self {
            answer,
            reason: String::new(),
        }
    }
}

/// Why there is no answer. Nothing is ever deleted because of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The judge cannot be reached or is not set up.
    #[error("{what} is not available: {reason}; it is tried again later")]
    Unavailable {
        /// Name of the judge.
        what: String,
        /// Why.
        reason: String,
        /// How long it asks to be left alone, if it does.
        wait: Option<Duration>,
    },
    /// The answer cannot be understood.
    #[error("{what} gave an answer that cannot be read: {answer:?}")]
    BadAnswer {
        /// Name of the judge.
        what: String,
        /// The answer, shortened.
        answer: String,
    },
    /// The question is refused; asked again it would be refused again.
    #[error("{what} failed")]
    Refused {
        /// Name of the judge.
        what: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// It failed in another way.
    #[error("{what} failed")]
    Failed {
        /// Name of the judge.
        what: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl JudgeError {
    /// Why, without what was answered: an answer speaks of what was asked, and a log has no
    /// business with it.
    #[must_use]
    pub fn without_answer(&self) -> String {
        match self {
            Self::BadAnswer { what, answer } => {
                format!(
                    "{what} gave an answer that cannot be read ({} characters)",
                    answer.chars().count()
                )
            }
            Self::Unavailable { .. } => self.to_string(),
            Self::Refused { source, .. } | Self::Failed { source, .. } => {
                format!("{self}: {source}")
            }
        }
    }
}

/// Decides what rules cannot: usually a language model, in tests a script, for a person the review
/// queue.
///
/// Implementations are shared between threads and block until done. The three questions about
/// pairs answer "no" unless they are implemented. Decisions are kept with their reason and with
/// the judge's name.
pub trait Judge: Send + Sync {
    /// The name of the judge, for readers of its decisions. Never holds a key.
    fn name(&self) -> String {
        "a judge".to_owned()
    }

    /// One round of a review.
    ///
    /// # Errors
    /// [`JudgeError`]; the memory then stays as it is and is reviewed again later.
    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError>;

    /// Whether two memories say the same.
    ///
    /// # Errors
    /// [`JudgeError`]; they then stay two.
    fn same(&self, _first: &Shown, _second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        Ok(false.into())
    }

    /// Whether the newer memory contradicts the older.
    ///
    /// # Errors
    /// [`JudgeError`]; both then stay as they are.
    fn contradicts(&self, _newer: &Shown, _older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        Ok(false.into())
    }

    /// Whether one memory is the cause of the other.
    ///
    /// # Errors
    /// [`JudgeError`]; they are then not linked.
    fn causality(
        &self,
        _first: &Shown,
        _second: &Shown,
    ) -> Result<Reasoned<Causality>, JudgeError> {
        Ok(Causality::Neither.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_not_repeated_where_only_the_reason_counts() {
        let bad = JudgeError::BadAnswer {
            what: "the judge".to_owned(),
            answer: "用户的检查".to_owned(),
        };
        assert_eq!(
            bad.without_answer(),
            "the judge gave an answer that cannot be read (5 characters)"
        );
        let away = JudgeError::Unavailable {
            what: "the judge".to_owned(),
            reason: "it refuses".to_owned(),
            wait: None,
        };
        assert_eq!(away.without_answer(), away.to_string());
        let source = std::io::Error::other("no route").into();
        assert_eq!(
            JudgeError::Failed {
                what: "it".to_owned(),
                source
            }
            .without_answer(),
            "it failed: no route"
        );
    }
}
