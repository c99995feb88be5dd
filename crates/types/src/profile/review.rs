//! Reviews, and the queue of background work.

use serde::{Deserialize, Serialize};

use super::check::{finite_from, known, told};
use super::{BadProfile, ScoreSettings};

/// How memories are reviewed before they go or are kept for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewSettings {
    /// Answers that a judge may give until it has decided; the others are searches.
    pub max_rounds: u32,
    /// Related memories that it is shown.
    pub related: u32,
    /// The score of a memory that a decay review keeps; as it is without one.
    pub keep_reset: Option<f64>,
    /// Hours until a review without a result is tried again.
    pub retry_hours: f64,
    /// How much the score must rise after a promotion review until there is another.
    pub rearm_rise: Option<f64>,
    /// Days after which there is another all the same.
    pub rearm_days: Option<f64>,
    /// The class of what is promoted.
    pub promoted_class: Option<String>,
    /// Days for which what a judge or a person lets go is only forgotten, and can be brought back,
    /// before it is deleted; 0 deletes it at once.
    pub delete_after_days: f64,
    /// Decisions that are kept, the newest of a namespace; 0 keeps none.
    pub decisions: u64,
    /// Characters that are kept of the reason of a decision.
    pub reason_chars: u32,
    /// The importance from which on a person is to look at a memory that is not sure.
    pub doubt_importance: Option<f32>,
    /// The confidence below which a memory is not sure, 0 to 1.
    pub doubt_confidence: Option<f32>,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self {
            max_rounds: 3,
            related: 5,
            keep_reset: None,
            retry_hours: 24.0,
            rearm_rise: None,
            rearm_days: None,
            promoted_class: None,
            delete_after_days: 0.0,
            decisions: 10_000,
            reason_chars: 500,
            doubt_importance: None,
            doubt_confidence: None,
        }
    }
}

impl ReviewSettings {
    pub(super) fn check(&self, classes: &[&str], score: &ScoreSettings) -> Result<(), BadProfile> {
        if let Some(class) = &self.promoted_class {
            known("review.promoted_class", class, classes)?;
        }
        if let Some(reset) = self
            .keep_reset
            .filter(|reset| !(score.min..=score.max).contains(reset))
        {
            let reason = format!(
                "{} is not between {} and {}",
                told(reset),
                score.min,
                score.max
            );
            return Err(BadProfile::new("review.keep_reset", reason));
        }
        if self.max_rounds == 0 {
            return Err(BadProfile::new(
                "review.max_rounds",
                "a judge needs at least 1 round".to_owned(),
            ));
        }
        finite_from("review.retry_hours", self.retry_hours)?;
        finite_from("review.delete_after_days", self.delete_after_days)?;
        finite_from("review.rearm_rise", self.rearm_rise.unwrap_or_default())?;
        finite_from("review.rearm_days", self.rearm_days.unwrap_or_default())
    }
}

/// How often background work is tried, and when again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueSettings {
    /// Attempts until a task is set aside as dead; 0 never.
    pub attempts: u32,
    /// Attempts after which a task is set aside whose last answer could not be understood, or that
    /// was refused: asking the same again brings the same. 0: as many as of all others.
    pub answered_attempts: u32,
    /// Minutes until the second, third, ... attempt; the last number goes on.
    pub backoff_minutes: Vec<f64>,
    /// Minutes after which work that was begun and never ended is given to someone else.
    pub lease_minutes: f64,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self {
            attempts: 5,
            answered_attempts: 5,
            backoff_minutes: vec![1.0, 5.0, 30.0, 120.0, 720.0],
            lease_minutes: 30.0,
        }
    }
}

impl QueueSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        finite_from("queue.lease_minutes", self.lease_minutes)?;
        self.backoff_minutes
            .iter()
            .try_for_each(|minutes| finite_from("queue.backoff_minutes", *minutes))
    }
}
