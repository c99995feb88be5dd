use serde::{Deserialize, Serialize};

/// Why two entities should be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// They are so similar that nothing else is asked.
    Direct,
    /// They are similar, and so is what they are spoken of with.
    Context,
    /// They have the same name and kind.
    Name,
    /// They have the same kind, and their names differ only in how they are written.
    Form,
    /// The same, where words that mean the same count as one.
    Synonym,
}

impl Tier {
    /// Whether it is the names themselves that say so, and not what they are like.
    pub(super) const fn is_plain(self) -> bool {
        matches!(self, Self::Name | Self::Form | Self::Synonym)
    }

    /// Why entities are merged, in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Direct => "their names mean the same",
            Self::Context => "their names and their surroundings are alike",
            Self::Name => "they have one name and kind",
            Self::Form => "their names differ only in how they are written",
            Self::Synonym => "their names are synonyms of the profile",
        }
    }
}
