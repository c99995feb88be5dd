//! Profiles: every number that shapes behaviour, as data with a name and a unit.

use serde::{Deserialize, Serialize};

/// All settings of one namespace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Identity and limits of memories.
    pub records: RecordSettings,
    /// Full text.
    pub text: TextSettings,
    /// Vector index.
    pub vector: VectorSettings,
    /// Candidates, weights and limits of recall.
    pub recall: RecallSettings,
}

/// A profile that contradicts itself: the key, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("profile key {key}: {reason}")]
pub struct BadProfile {
    /// The key, with dots.
    pub key: &'static str,
    /// What is wrong, and what is allowed.
    pub reason: String,
}

impl Profile {
    /// Checks what the types of the fields cannot say.
    ///
    /// # Errors
    /// [`BadProfile`], naming the first key that is not allowed.
    pub fn check(&self) -> Result<(), BadProfile> {
        let bad = |key, reason: String| Err(BadProfile { key, reason });
        let (text, recall) = (&self.text, &self.recall);
        let shares = [
            ("text.b", text.b),
            ("recall.min_score", recall.min_score),
            ("recall.diversity", recall.diversity),
            ("recall.window_weight", recall.window_weight),
            ("recall.context_weight", recall.context_weight),
            ("recall.reply_vector_weight", recall.reply_vector_weight),
        ];
        for (key, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return bad(key, format!("{value} is not between 0 and 1"));
            }
        }
        let positive = [
            ("text.k1", text.k1),
            ("recall.recency_half_life_days", recall.recency_half_life_days),
            ("recall.use_half_count", recall.use_half_count),
        ];
        for (key, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return bad(key, format!("{value} is not a number above 0"));
            }
        }
        if recall.top_k == 0 {
            return bad("recall.top_k", "0 hits are never wanted; give at least 1".to_owned());
        }
        recall.weights.check()
    }
}

/// How memories are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSettings {
    /// Whether an update keeps the public id (true) or gives the new text a new id that supersedes the old.
    pub update_keeps_id: bool,
    /// Rows that feature columns are folded into one stored block at a time.
    pub column_block_rows: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self { update_keeps_id: true, column_block_rows: 1024 }
    }
}

/// The full-text layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextSettings {
    /// BM25 term-frequency saturation (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
    pub k1: f32,
    /// BM25 length normalisation, 0 to 1.
    pub b: f32,
    /// New rows above which they are folded into a stored segment.
    pub fold_above_rows: u32,
    /// Stored segments of one size that are merged into the next size.
    pub merge_factor: u32,
    /// Size of a stored chunk in bytes.
    pub chunk_bytes: u32,
    /// Memory for loaded postings in bytes.
    pub cache_bytes: u64,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self { k1: 0.6, b: 0.3, fold_above_rows: 8192, merge_factor: 8, chunk_bytes: 8192, cache_bytes: 256 << 20 }
    }
}

/// The vector index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorSettings {
    /// Rows up to which every vector is compared; above, a graph is built.
    pub exact_up_to_rows: u32,
    /// Rows outside the graph above which it is rebuilt.
    pub tail_up_to_rows: u32,
    /// Neighbours of a row in the graph.
    pub degree: u32,
    /// Candidates kept while a row is inserted into the graph.
    pub build_candidates: u32,
    /// Candidates kept while the graph is searched.
    pub search_candidates: u32,
    /// Threads that build the graph.
    pub build_threads: u32,
}

impl Default for VectorSettings {
    fn default() -> Self {
        Self {
            exact_up_to_rows: 50_000,
            tail_up_to_rows: 20_000,
            degree: 32,
            build_candidates: 160,
            search_candidates: 256,
            build_threads: 2,
        }
    }
}

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
            return Err(BadProfile { key: "recall.weights", reason: "a weight is not between 0 and 1".to_owned() });
        }
        let sum: f32 = relevance.iter().sum();
        if (sum - 1.0).abs() > Self::TOLERANCE {
            let reason = format!("the weights of relevance (dense to asks_time) sum to {sum}; they must sum to 1");
            return Err(BadProfile { key: "recall.weights", reason });
        }
        let sum: f32 = priors.iter().sum();
        if sum > 1.0 {
            let reason = format!(
                "the weights of priors (importance to validity) sum to {sum}; more than 1 would turn the score negative"
            );
            return Err(BadProfile { key: "recall.weights", reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_profile_is_allowed() {
        assert_eq!(Profile::default().check(), Ok(()));
    }

    #[test]
    fn a_profile_that_contradicts_itself_is_named() {
        let mut profile = Profile::default();
        profile.recall.weights.dense += 0.01;
        assert_eq!(profile.check().unwrap_err().key, "recall.weights");
        let mut profile = Profile::default();
        profile.text.b = f32::NAN;
        assert_eq!(profile.check().unwrap_err().key, "text.b");
    }
}
