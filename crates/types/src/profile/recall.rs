//! Candidates, weights and limits of recall.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::check::{below, finite_above, share};
use super::{BadProfile, ExpandSettings, Weights};
use crate::Fingerprint;

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallSettings {
    /// How what is remembered comes before a model.
    pub mode: OfferMode,
    /// The tools of a model that looks for memories itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset: Option<Toolset>,
    /// Folders below that of the mirrors in which agents leave the steps of their work as JSON,
    /// where `search_conversation_traces` looks next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace_folders: Vec<String>,
    /// The planner of the searches for a question of a tool.
    pub planner: Planner,
    /// Characters of the question, and of each thing known of the conversation, that a planning
    /// model is shown (2000); 0 is no limit.
    pub plan_chars: u32,
    /// Hits returned unless the query says otherwise.
    pub top_k: u32,
    /// Hits below this score, 0 to 1, are not returned unless the query says otherwise.
    pub min_score: f32,
    /// The same under embedders whose likenesses are on another scale, by the beginning of their
    /// fingerprint; the longest that fits counts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub min_scores: BTreeMap<String, f32>,
    /// How much a hit's likeness to better hits counts against it, 0 (not at all) to 1.
    pub diversity: f32,
    /// Different words of a question that are searched, those that come first; a long message would
    /// take long.
    pub query_terms: u32,
    /// Best rows by words that become candidates.
    pub text_candidates: u32,
    /// Best rows by meaning that become candidates.
    pub vector_candidates: u32,
    /// Entities nearest to the question in meaning whose memories become candidates; the likeness
    /// of the best of them counts as the memory's own where it is greater. 0 for none: then
    /// nothing is read for it. Not in recall mode `fast`.
    pub node_candidates: u32,
    /// Best candidates whose neighbours in the session become candidates too.
    pub neighbour_seeds: u32,
    /// Turns before and after a seed that become candidates.
    pub neighbour_reach_turns: u32,
    /// Weight of the turn before and the turn after in a window, against 1 for the turn itself.
    pub window_weight: f32,
    /// Turns before and after that make up the surroundings of a turn.
    pub context_reach_turns: u32,
    /// The share of the weights of surroundings that a memory outside of conversations gets for
    /// what it holds itself, 0 to 1. The surroundings of answers hold about this share of what they
    /// could.
    pub alone_share: f32,
    /// Weight of the messages before a question, all together, against 1 for the question.
    pub context_weight: f32,
    /// Weight of the reply's vector in the vector of a turn, against 1 for its text.
    pub reply_vector_weight: f32,
    /// Days after which the recency of a memory has halved.
    pub recency_half_life_days: f32,
    /// Uses at which the use of a memory counts half.
    pub use_half_count: f32,
    /// Uses at which the use of a memory counts fully, on a logarithmic scale; without it the scale
    /// has no end and `use_half_count` is its middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_full_count: Option<f32>,
    /// Messages before a question that are looked at, the last ones.
    pub context_messages: u32,
    /// How a question and the messages before it become one text for the embedder, with
    /// `{message}` and `{context}`; without it each is embedded by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_form: Option<String>,
    /// How features become a score.
    pub fusion: Fusion,
    /// How a cosine becomes a value from 0 to 1.
    pub similarity: Similarity,
    /// The scale of the words of a memory.
    pub text_scale: TextScale,
    /// Which importance counts.
    pub importance_from: ImportanceSource,
    /// Importance that counts fully, on a straight scale from 0; without it the scale has no end
    /// and the importance of a memory of which nothing is said is its middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance_full: Option<f32>,
    /// How recency falls.
    pub recency_from: RecencySource,
    /// Whether a question that names times is answered from memories of these times (that happened
    /// then, or whose text names one that meets them), if there are any; one that asks for nothing
    /// else is answered with what conversations left, the latest first (false).
    pub restrict_to_times: bool,
    /// Keys that decide between equal scores, in this order; then the newer memory comes first.
    pub order: Vec<TieKey>,
    /// Whether the newest of several memories of one thing comes first, or the older one where the
    /// question asks how it was before.
    pub prefer_newer: bool,
    /// When and how far the graph is followed.
    pub expand: ExpandSettings,
    /// The weights of the features.
    pub weights: Weights,
}

/// How what is remembered comes before a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OfferMode {
    /// It stands in the prompt; the model has no tool to look for it.
    #[default]
    Passive,
    /// The model looks for it with the tools of `toolset`.
    Tools,
}

/// Tools that a model calls. A model is offered all of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// The memory graph: `create_memory`, `link_memories`, `search_memories`,
    /// `update_memory_importance`.
    Graph,
    /// The two levels of search: `search_memory`, `search_conversation_traces`.
    Agent,
    /// Memories that are not in the prompt: `recall_memory`.
    Markdown,
}

impl Toolset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Graph, Self::Agent, Self::Markdown];
}

/// The planner of the searches for a question of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Planner {
    /// The words of `recall.expand`.
    #[default]
    Rules,
    /// A language model, and the rules where there is none or it fails.
    Model,
}

/// How features become a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fusion {
    /// The weighted mean of the features of relevance that the question can use, times 1 less what
    /// the priors cost.
    #[default]
    Relevance,
    /// The weighted sum of all features, priors among them.
    Sum,
    /// As relevance, but the mean is that of the heaviest feature and of those that lift it: what
    /// a channel does not know of a memory costs it nothing.
    Lift,
}

/// How a cosine becomes a value from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Similarity {
    /// By the calibration of the embedder: the same value means as much whichever embedder made it.
    #[default]
    Calibrated,
    /// As it is, 0 below 0.
    Cosine,
}

/// The scale of the words of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextScale {
    /// The most that the question could reach: a score means the same in every memory.
    #[default]
    Bound,
    /// The best memory of this question.
    Best,
}

/// Which importance counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportanceSource {
    /// The score that time and use have changed, where the memory has a life of its own.
    #[default]
    Score,
    /// The one that it was stored with.
    Stored,
}

/// How recency falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecencySource {
    /// By `recency_half_life_days`.
    #[default]
    HalfLife,
    /// By the rate at which memories of the class decay; by the half-life where there is none.
    Class,
}

/// Keys that decide between equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TieKey {
    /// Memories that are true at the moment of the question come first.
    Validity,
    /// Later events come first.
    Recency,
    /// Surer memories come first.
    Confidence,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self {
            mode: OfferMode::Passive,
            toolset: None,
            trace_folders: Vec::new(),
            planner: Planner::Rules,
            plan_chars: 2000,
            top_k: 10,
            min_score: 0.0,
            min_scores: BTreeMap::new(),
            diversity: 0.0,
            query_terms: 512,
            text_candidates: 64,
            vector_candidates: 32,
            node_candidates: 0,
            neighbour_seeds: 32,
            neighbour_reach_turns: 4,
            window_weight: 0.5,
            context_reach_turns: 4,
            alone_share: 0.2,
            context_weight: 0.3,
            reply_vector_weight: 0.5,
            recency_half_life_days: 180.0,
            use_half_count: 4.0,
            use_full_count: None,
            context_messages: 16,
            query_form: None,
            fusion: Fusion::Relevance,
            similarity: Similarity::Calibrated,
            text_scale: TextScale::Bound,
            importance_from: ImportanceSource::Score,
            importance_full: None,
            recency_from: RecencySource::HalfLife,
            restrict_to_times: false,
            order: Vec::new(),
            prefer_newer: true,
            expand: ExpandSettings::default(),
            weights: Weights::default(),
        }
    }
}

/// The setting for an embedder: the one whose key is the longest beginning of its fingerprint.
pub(super) fn fitting(settings: &BTreeMap<String, f32>, embedder: &Fingerprint) -> Option<f32> {
    let fitting = settings
        .iter()
        .filter(|(beginning, _)| embedder.0.starts_with(beginning.as_str()));
    fitting
        .max_by_key(|(beginning, _)| beginning.len())
        .map(|(_, least)| *least)
}

impl RecallSettings {
    /// The least score of a hit under an embedder.
    #[must_use]
    pub fn least_score(&self, embedder: &Fingerprint) -> f32 {
        fitting(&self.min_scores, embedder).unwrap_or(self.min_score)
    }

    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("recall.min_score", self.min_score)?;
        for (embedder, least) in &self.min_scores {
            share(&format!("recall.min_scores.{embedder}"), *least)?;
        }
        share("recall.diversity", self.diversity)?;
        share("recall.window_weight", self.window_weight)?;
        share("recall.alone_share", self.alone_share)?;
        share("recall.context_weight", self.context_weight)?;
        share("recall.reply_vector_weight", self.reply_vector_weight)?;
        finite_above("recall.recency_half_life_days", self.recency_half_life_days)?;
        finite_above("recall.use_half_count", self.use_half_count)?;
        let full =
            |key: &str, value: Option<f32>| value.map_or(Ok(()), |value| finite_above(key, value));
        full("recall.use_full_count", self.use_full_count)?;
        full("recall.importance_full", self.importance_full)?;
        if let Some(form) = &self.query_form
            && !(form.contains("{message}") && form.contains("{context}"))
        {
            let reason = "it must hold {message} and {context}".to_owned();
            return Err(BadProfile::new("recall.query_form", reason));
        }
        self.expand.check()?;
        self.trace_folders
            .iter()
            .try_for_each(|folder| below("recall.trace_folders", folder))?;
        if self.mode == OfferMode::Tools && self.toolset.is_none() {
            let reason = "with mode \"tools\" it must be one of graph, agent, markdown".to_owned();
            return Err(BadProfile::new("recall.toolset", reason));
        }
        if self.top_k == 0 {
            return Err(BadProfile::new(
                "recall.top_k",
                "0 hits are never wanted; give at least 1".to_owned(),
            ));
        }
        self.weights.check(self.fusion)
    }
}
