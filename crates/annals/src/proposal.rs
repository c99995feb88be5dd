use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// What a proposal would do.
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

/// Something that was found in a conversation and waits for a person, because the profile does not store it by itself
/// (`extract.auto = false`), or because a memory that a person told or that is kept for good would go. It is no memory: nothing recalls, counts or exports it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// The id by which it is accepted or rejected. What is added gets it as its own.
    pub id: MemoryId,
    /// What would be done.
    pub action: ProposalAction,
    /// The memory that it is about; none for an addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<MemoryId>,
    /// What would be remembered, or what the memory says now; empty when that is gone.
    pub text: String,
    /// Its kind, if one was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The turns in which it was found.
    pub sources: Vec<MemoryId>,
    /// When it was found.
    pub found_at: Timestamp,
}
