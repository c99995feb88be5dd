//! Candidates, weights and limits of recall.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{finite_above, share};

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallSettings {
    /// Hits returned unless the query says otherwise.
    pub top_k: u32,
    /// Hits below this score, 0 to 1, are not returned unless the query says otherwise.
    pub min_score: f32,
    /// How much a hit's likeness to better hits counts against it, 0 (not at all) to 1.
    pub diversity: f32,
    /// Different words of a question that are searched, those that come first; a long message would take long.
    pub query_terms: u32,
    /// Best rows by words that become candidates.
    pub text_candidates: u32,
    /// Best rows by meaning that become candidates.
    pub vector_candidates: u32,
    /// Best candidates whose neighbours in the session become candidates too.
    pub neighbour_seeds: u32,
    /// Turns before and after a seed that become candidates.
    pub neighbour_reach_turns: u32,
    /// Weight of the turn before and the turn after in a window, against 1 for the turn itself.
    pub window_weight: f32,
    /// Turns before and after that make up the surroundings of a turn.
    pub context_reach_turns: u32,
    /// Weight of the messages before a question, all together, against 1 for the question.
    pub context_weight: f32,
    /// Weight of the reply's vector in the vector of a turn, against 1 for its text.
    pub reply_vector_weight: f32,
    /// Days after which the recency of a memory has halved.
    pub recency_half_life_days: f32,
    /// Uses at which the use of a memory counts half.
    pub use_half_count: f32,
    /// What each feature counts.
    pub weights: Weights,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self {
            top_k: 10,
            min_score: 0.0,
            diversity: 0.0,
            query_terms: 128,
            text_candidates: 64,
            vector_candidates: 32,
            neighbour_seeds: 32,
            neighbour_reach_turns: 4,
            window_weight: 0.5,
            context_reach_turns: 4,
            context_weight: 0.3,
            reply_vector_weight: 0.5,
            recency_half_life_days: 180.0,
            use_half_count: 4.0,
            weights: Weights::default(),
        }
    }
}

impl RecallSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("recall.min_score", self.min_score.into())?;
        share("recall.diversity", self.diversity.into())?;
        share("recall.window_weight", self.window_weight.into())?;
        share("recall.context_weight", self.context_weight.into())?;
        share("recall.reply_vector_weight", self.reply_vector_weight.into())?;
        finite_above("recall.recency_half_life_days", self.recency_half_life_days.into())?;
        finite_above("recall.use_half_count", self.use_half_count.into())?;
        if self.top_k == 0 {
            return Err(BadProfile::new("recall.top_k", "0 hits are never wanted; give at least 1".to_owned()));
        }
        self.weights.check()
    }
}

/// The weights of recall features. Those of relevance sum to 1; each prior says what share of relevance it can cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Relevance: cosine of the question and the window of the memory.
    pub dense: f32,
    /// Relevance: BM25 of the memory's own text and reply.
    pub text: f32,
    /// Relevance: BM25 of the memory with the turns beside it.
    pub window: f32,
    /// Relevance: BM25 of the surroundings of the memory in its session.
    pub context: f32,
    /// Relevance: the question names the speaker.
    pub speaker: f32,
    /// Relevance: the question names a time that fits.
    pub time: f32,
    /// Relevance: the question asks for a time and the memory speaks of one.
    pub asks_time: f32,
    /// Prior: importance.
    pub importance: f32,
    /// Prior: how recent it is.
    pub recency: f32,
    /// Prior: how often it was of use.
    pub usage: f32,
    /// Prior: whether it is still true.
    pub validity: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            // Fitted by tools/fit_weights.py, rounded to sum to 1.
            dense: 0.12,
            text: 0.155,
            window: 0.2,
            context: 0.215,
            speaker: 0.105,
            time: 0.135,
            asks_time: 0.07,
            importance: 0.02,
            recency: 0.01,
            usage: 0.01,
            validity: 0.3,
        }
    }
}

impl Weights {
    /// How far the sum of the weights of relevance may be from 1.
    const TOLERANCE: f32 = 1e-6;

    fn check(&self) -> Result<(), BadProfile> {
        let relevance = [self.dense, self.text, self.window, self.context, self.speaker, self.time, self.asks_time];
        let priors = [self.importance, self.recency, self.usage, self.validity];
        let share = |weight: &f32| (0.0..=1.0).contains(weight);
        if !relevance.iter().chain(&priors).all(share) {
            return Err(BadProfile::new("recall.weights", "a weight is not between 0 and 1".to_owned()));
        }
        let sum: f32 = relevance.iter().sum();
        if (sum - 1.0).abs() > Self::TOLERANCE {
            let reason = format!("the weights of relevance (dense to asks_time) sum to {sum}; they must sum to 1");
            return Err(BadProfile::new("recall.weights", reason));
        }
        let sum: f32 = priors.iter().sum();
        if sum > 1.0 {
            let reason = format!(
                "the weights of priors (importance to validity) sum to {sum}; more than 1 would turn the score negative"
            );
            return Err(BadProfile::new("recall.weights", reason));
        }
        Ok(())
    }
}
