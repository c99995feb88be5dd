//! Profiles: every number that shapes behaviour, as data with a name and a unit.

mod recall;
mod records;
mod text;
mod vector;

use serde::{Deserialize, Serialize};

pub use recall::{RecallSettings, Weights};
pub use records::RecordSettings;
pub use text::TextSettings;
pub use vector::VectorSettings;

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
