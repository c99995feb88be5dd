//! The scale of a memory's value, and what it is at first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::check::{known, share, told};
use super::{BadProfile, TaxonomySettings, UnknownKind};

/// Bounds and first values of the score that decays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScoreSettings {
    /// The lowest value.
    pub min: f64,
    /// The highest value; 1000, the highest importance there is, where the scale has no end.
    pub max: f64,
    /// Where the first value comes from.
    pub initial: InitialScore,
    /// First values by kind.
    pub by_kind: BTreeMap<String, f64>,
    /// First values by level, such as `high`.
    pub by_level: BTreeMap<String, f64>,
    /// The first value where nothing else says it.
    pub fallback: f64,
    /// The share, 0 to 1, of the first value by kind that a memory has at least when it is brought
    /// back.
    pub restored_share: f64,
}

/// Where the first value of a memory comes from. Whatever it is, a value that is not given is
/// looked up by kind, then is the fallback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialScore {
    /// The importance given with the memory.
    #[default]
    Given,
    /// The table by kind, whatever was given.
    Kind,
    /// The table by level.
    Level,
}

impl Default for ScoreSettings {
    fn default() -> Self {
        Self {
            min: 0.0,
            max: 1000.0,
            initial: InitialScore::Given,
            by_kind: BTreeMap::new(),
            by_level: BTreeMap::new(),
            fallback: 0.5,
            restored_share: 0.0,
        }
    }
}

impl ScoreSettings {
    /// The largest score that can be stored.
    pub const LIMIT: f64 = 1000.0;

    pub(super) fn check(&self, taxonomy: &TaxonomySettings) -> Result<(), BadProfile> {
        let kinds: Vec<&str> = taxonomy.kinds.iter().map(|kind| kind.id.as_str()).collect();
        if !kinds.is_empty() && taxonomy.unknown_kind != UnknownKind::Keep {
            let mut named = self.by_kind.keys();
            named.try_for_each(|kind| known(&format!("score.by_kind.{kind}"), kind, &kinds))?;
        }
        if !(self.min >= 0.0 && self.min < self.max && self.max <= Self::LIMIT) {
            let reason = {
                let (min, max) = (told(self.min), told(self.max));
                format!("min {min} and max {max} must be numbers with 0 <= min < max <= 1000")
            };
            return Err(BadProfile::new("score.max", reason));
        }
        let tables = self
            .by_kind
            .iter()
            .map(|(name, value)| (format!("score.by_kind.{name}"), *value));
        let levels = self
            .by_level
            .iter()
            .map(|(name, value)| (format!("score.by_level.{name}"), *value));
        share("score.restored_share", self.restored_share)?;
        for (key, value) in tables
            .chain(levels)
            .chain([("score.fallback".to_owned(), self.fallback)])
        {
            if !(self.min..=self.max).contains(&value) {
                return Err(BadProfile::new(
                    key,
                    format!(
                        "{} is not between {} and {}",
                        told(value),
                        self.min,
                        self.max
                    ),
                ));
            }
        }
        Ok(())
    }
}
