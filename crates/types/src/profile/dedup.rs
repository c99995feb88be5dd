//! Detection of duplicates and contradictions.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::share;

/// When two memories are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DedupSettings {
    /// The unit of comparison.
    pub unit: DedupUnit,
    /// When it is compared.
    pub when: DedupMoment,
    /// Nearest candidates that are looked at; 0 for as many as `conflict.candidates` (0).
    pub candidates: u32,
    /// Whether texts of the same words are one memory whatever else is set, from the moment when
    /// the second is told.
    pub exact_text: bool,
    /// The similarity, 0 to 1, from which on two are one.
    pub sure_above: Option<f64>,
    /// The similarity from which on [`maybe_check`](Self::maybe_check) decides.
    pub maybe_above: Option<f64>,
    /// The check that decides between the two.
    pub maybe_check: MaybeCheck,
    /// Whether only memories of one kind can be one.
    pub same_kind: bool,
    /// Whether texts that contrast - in a number, a no, a word in the place of another - may be one
    /// by their likeness alone; otherwise only a judge says so.
    pub ignore_contrast: bool,
}

impl Default for DedupSettings {
    fn default() -> Self {
        Self {
            unit: DedupUnit::default(),
            when: DedupMoment::default(),
            candidates: 0,
            exact_text: true,
            sure_above: None,
            maybe_above: None,
            maybe_check: MaybeCheck::default(),
            same_kind: false,
            ignore_contrast: false,
        }
    }
}

/// The unit of comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DedupUnit {
    /// Memories.
    #[default]
    Record,
    /// Nodes of their graphs, by the settings of `graph.merge` alone.
    Node,
}

/// When memories are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DedupMoment {
    /// Never.
    #[default]
    Never,
    /// When one is stored.
    Insert,
    /// When a session's memories are merged in.
    Merge,
    /// In the daily job.
    Daily,
    /// When staged memories are consolidated.
    Consolidation,
}

/// The check that decides on two memories that may be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaybeCheck {
    /// Nothing: they are two.
    #[default]
    None,
    /// They are one when they speak of the same subject and relation.
    TripleKey,
    /// A judge says.
    Judge,
}

/// Treatment of an older memory that a newer one contradicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConflictSettings {
    /// The treatment.
    pub strategy: ConflictStrategy,
    /// The similarity, 0 to 1, from which on a judge is asked whether two contradict each other.
    pub min_similarity: f64,
    /// Older memories nearest in meaning that are looked at (16).
    pub candidates: u32,
    /// Whether a judge is asked at all; without one only an equal subject and relation counts.
    pub ask_judge: bool,
    /// `penalty`: what the score of the older is multiplied by.
    pub penalty: f64,
    /// `mark`: what its place in recall is multiplied by.
    pub rank_penalty: f64,
}

/// Treatment of an older memory that a newer one contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictStrategy {
    /// Nothing.
    #[default]
    None,
    /// The model that extracts says what to delete and what to change.
    Commands,
    /// It is true until the newer one begins, which supersedes it.
    CloseInterval,
    /// It becomes the newer one.
    UpdateInPlace,
    /// Its score falls.
    Penalty,
    /// Both stay, linked; it is true until the newer one begins.
    Mark,
}

impl Default for ConflictSettings {
    fn default() -> Self {
        Self {
            strategy: ConflictStrategy::None,
            min_similarity: 0.75,
            candidates: 16,
            ask_judge: false,
            penalty: 0.5,
            rank_penalty: 0.5,
        }
    }
}

impl DedupSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        if self.unit == DedupUnit::Node
            && let Some(key) = self.of_memories()
        {
            let reason =
                "nodes are compared by graph.merge; beside unit = \"node\" only `when` and `exact_text` have an effect"
                    .to_owned();
            return Err(BadProfile::new(key, reason));
        }
        share("dedup.sure_above", self.sure_above.unwrap_or(1.0))?;
        share("dedup.maybe_above", self.maybe_above.unwrap_or_default())?;
        if let (Some(maybe), Some(sure)) = (self.maybe_above, self.sure_above)
            && maybe > sure
        {
            return Err(BadProfile::new(
                "dedup.maybe_above",
                format!("{maybe} is above sure_above {sure}"),
            ));
        }
        Ok(())
    }

    /// The first key that is set and counts for memories only.
    fn of_memories(&self) -> Option<&'static str> {
        let Self {
            unit: _,
            when: _,
            candidates,
            exact_text: _,
            sure_above,
            maybe_above,
            maybe_check,
            same_kind,
            ignore_contrast,
        } = self;
        let set = [
            ("dedup.candidates", *candidates > 0),
            ("dedup.sure_above", sure_above.is_some()),
            ("dedup.maybe_above", maybe_above.is_some()),
            ("dedup.maybe_check", *maybe_check != MaybeCheck::None),
            ("dedup.same_kind", *same_kind),
            ("dedup.ignore_contrast", *ignore_contrast),
        ];
        set.iter().find(|(_, set)| *set).map(|(key, _)| *key)
    }
}

impl ConflictSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("conflict.min_similarity", self.min_similarity)?;
        share("conflict.penalty", self.penalty)?;
        share("conflict.rank_penalty", self.rank_penalty)
    }
}
