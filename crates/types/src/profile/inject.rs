//! Memories that are put before a model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{below, known, share};
use super::language::Wording;
use super::recall::fitting;
use crate::Fingerprint;

/// The parts of the context that a prompt gets, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectSettings {
    /// The parts.
    pub parts: Vec<PartSettings>,
    /// The most tokens of all parts together, as `annals` estimates them; 0 for any number.
    pub max_tokens: u32,
    /// Where it stands in a system prompt.
    pub place: InjectPlace,
    /// The least probability that anything answers, 0 to 1, at which recall brings anything into a
    /// prompt.
    pub min_answered: f32,
    /// The least score of what recall brings into a prompt, as a share of the best one, 0 to 1.
    pub near_best: f32,
    /// The least score of what recall brings into a prompt, 0 to 1, where `recall.min_score` asks
    /// for no more.
    pub min_score: f32,
    /// The same under embedders whose likenesses are on another scale, by the beginning of their
    /// fingerprint; the longest that fits counts. By default those that are measured with the
    /// default weights (docs/measurements.md).
    pub min_scores: BTreeMap<String, f32>,
}

/// Where a context stands in a system prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InjectPlace {
    /// Before what the application says.
    #[default]
    Before,
    /// Behind it: nothing follows the last part.
    After,
}

/// A part of a context. One that has nothing to say is left out with its heading.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PartSettings {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: PartSource,
    /// The text above it; several lines are allowed.
    pub heading: Wording,
    /// `text`: what it says.
    pub text: Wording,
    /// `memories` and `core`: of these classes; of all when empty.
    pub classes: Vec<String>,
    /// `memories`, `core` and `recalled`: of these kinds; of all when empty.
    pub kinds: Vec<String>,
    /// `memories` and `core`: with at least this score.
    pub min_score: Option<f64>,
    /// `recalled`: only what is true at the moment; otherwise also what was (false).
    pub valid_only: bool,
    /// The most memories; 0 for any number, or for the number that recall returns.
    pub limit: u32,
    /// The most characters without the heading; 0 for any number.
    pub max_chars: u32,
    /// `core` and `file`: the path of a mirror below its folder. Where jobs keep such a file, the
    /// part is what it says, without the heading; otherwise `core` shows the memories themselves,
    /// and `file` nothing.
    pub file: Option<String>,
    /// Whether the part is left out.
    pub off: bool,
}

/// Where a part of a context comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PartSource {
    /// Hits of recall for the message.
    #[default]
    Recalled,
    /// Memories by class, kind and score, whatever the message, the highest scores first.
    Memories,
    /// The same as a core file: under a heading for each kind.
    Core,
    /// Date, time and weekday.
    Time,
    /// The current task and the last ones.
    Scratchpad,
    /// Text made ready for this turn, such as the results of tools in the last one.
    Prepared,
    /// A text that is always the same.
    Text,
    /// The text of a file that mirrors memories.
    File,
}

impl Default for InjectSettings {
    /// Hits of recall, under a heading of their own.
    fn default() -> Self {
        let heading = Wording::message("heading-recalled");
        let part = PartSettings {
            name: "recalled".to_owned(),
            heading,
            limit: 3,
            ..PartSettings::default()
        };
        Self {
            parts: vec![part],
            max_tokens: 0,
            place: InjectPlace::Before,
            // Every embedder with a measured range supports this floor (docs/measurements.md).
            min_answered: 0.11,
            near_best: 0.5,
            min_score: 0.02,
            min_scores: BTreeMap::new(),
        }
    }
}

impl InjectSettings {
    /// The least score of what recall brings into a prompt, under an embedder.
    #[must_use]
    pub fn least_score(&self, embedder: &Fingerprint) -> f32 {
        fitting(&self.min_scores, embedder).unwrap_or(self.min_score)
    }

    /// Whether recall chooses what belongs into a prompt, and does not bring all that it finds.
    #[must_use]
    pub fn selects(&self) -> bool {
        self.min_answered > 0.0 || self.near_best > 0.0
    }

    pub(super) fn check(&self, classes: &[&str]) -> Result<(), BadProfile> {
        share("inject.min_answered", self.min_answered)?;
        share("inject.near_best", self.near_best)?;
        share("inject.min_score", self.min_score)?;
        for (embedder, least) in &self.min_scores {
            share(&format!("inject.min_scores.{embedder}"), *least)?;
        }
        let mut names = std::collections::BTreeSet::new();
        for part in &self.parts {
            if part.name.is_empty() || !names.insert(&part.name) {
                return Err(BadProfile::new(
                    "inject.parts",
                    format!("the name {:?} is empty or given twice", part.name),
                ));
            }
            let key = format!("inject.parts.{}", part.name);
            for class in &part.classes {
                known(&format!("{key}.classes"), class, classes)?;
            }
            part.file
                .iter()
                .try_for_each(|file| below(&format!("{key}.file"), file))?;
            if part.min_score.is_some_and(|score| !score.is_finite()) {
                return Err(BadProfile::new(
                    format!("{key}.min_score"),
                    "it is no number".to_owned(),
                ));
            }
        }
        Ok(())
    }
}
