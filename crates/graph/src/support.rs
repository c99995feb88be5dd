use std::fmt;

use annals_types::{Row, Status};
use serde::{Deserialize, Serialize};

/// The support of a memory for its triples and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Support {
    /// In use, also while it waits to be consolidated: it supports.
    Active,
    /// Set aside, still found on request: it supports.
    Archived,
    /// Hidden, restorable: dormant.
    Forgotten,
    /// Taken back before it was consolidated: dormant.
    StagedOut,
    /// Replaced by a newer row: dormant.
    Superseded,
    /// Past its end: dormant.
    Expired,
}

impl Support {
    /// Whether what the memory says counts now.
    #[must_use]
    pub const fn supports(self) -> bool {
        matches!(self, Self::Active | Self::Archived)
    }

    /// The word used in programs and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
            Self::Forgotten => "forgotten",
            Self::StagedOut => "staged_out",
            Self::Superseded => "superseded",
            Self::Expired => "expired",
        }
    }
}

/// The support of a memory of a status while it is neither replaced nor past its end.
impl From<Status> for Support {
    fn from(status: Status) -> Self {
        match status {
            Status::Staged | Status::Active => Self::Active,
            Status::Archived => Self::Archived,
            // Of a status that is not known here nothing should be brought forward.
            _ => Self::Forgotten,
        }
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A memory that says something. The state counts only when the graph does not know the row yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Supporter {
    /// Its row.
    pub row: Row,
    /// Its state.
    pub state: Support,
}

impl From<Row> for Supporter {
    fn from(row: Row) -> Self {
        Self {
            row,
            state: Support::Active,
        }
    }
}
