use annals_types::{Timestamp, Wording};
use serde::{Deserialize, Serialize};

/// Something that made a memory what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub step: OriginStep,
    /// To what, in words.
    pub what: String,
    /// The same, apart from its words; none where they are those of no language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wording: Option<Wording>,
}

impl Origin {
    pub(crate) fn new(
        at: Timestamp,
        step: OriginStep,
        what: String,
        wording: Option<Wording>,
    ) -> Self {
        Self {
            at,
            step,
            what,
            wording,
        }
    }
}

/// What happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OriginStep {
    /// It was stored.
    Stored,
    /// It was derived from other memories.
    Derived,
    /// One of the memories that it was derived from was deleted.
    Stale,
    /// It got another text, or another value of a field.
    Revised,
    /// It said a triple.
    Said,
    /// A node that it speaks of became one with another.
    Merged,
    /// It was linked with another memory.
    Linked,
    /// It ceased to be staged.
    Consolidated,
    /// It got another status.
    Status,
    /// Something was decided about it.
    Decided,
    /// It was used or returned.
    Used,
}

impl OriginStep {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Derived => "derived",
            Self::Stale => "stale",
            Self::Revised => "revised",
            Self::Said => "said",
            Self::Merged => "merged",
            Self::Linked => "linked",
            Self::Consolidated => "consolidated",
            Self::Status => "status",
            Self::Decided => "decided",
            Self::Used => "used",
        }
    }
}
