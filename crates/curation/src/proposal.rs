use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// The change that a proposal would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProposalAction {
    /// Remember something new.
    Add,
    /// A memory says something else.
    Update,
    /// A memory goes.
    Delete,
    /// A memory is contradicted, and becomes what the profile makes of such.
    Contradict,
}

impl ProposalAction {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Contradict => "contradict",
        }
    }
}

/// A finding of a conversation that waits for a person, because the profile does not store it by
/// itself (`extract.auto = false`), or because it would remove a memory that a person told or that
/// is kept for good. It is no memory: nothing recalls, counts or exports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The id by which it is accepted or rejected. An added memory gets it as its own.
    pub id: MemoryId,
    /// The change that would be made.
    pub action: ProposalAction,
    /// The memory that it is about; none for an addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<MemoryId>,
    /// The text that would be remembered, or the text that the memory has now; empty when that is
    /// gone.
    pub text: String,
    /// Its kind, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The turns in which it was found.
    pub sources: Vec<MemoryId>,
    /// When it was found.
    pub found_at: Timestamp,
}
