//! Episodes: memories made of a conversation when it ends.

use serde::{Deserialize, Serialize};

/// Episodes: memories made of a conversation when it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EpisodeSettings {
    /// When an episode is made.
    pub trigger: EpisodeTrigger,
    /// The kind of its memory. It need not be one of the profile's kinds, and then has no lifetime.
    pub kind: String,
    /// Whether recall finds it only when the question names something that it was about.
    pub by_entity_only: bool,
}

impl Default for EpisodeSettings {
    fn default() -> Self {
        Self {
            trigger: EpisodeTrigger::Never,
            kind: "episode".to_owned(),
            by_entity_only: false,
        }
    }
}

/// When an episode is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EpisodeTrigger {
    /// Not at all.
    #[default]
    Never,
    /// At the end of a session in which the user said something.
    SessionEnd,
}
