use annals_types::{Memory, MemoryId, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::changed;

/// The kind of a change that was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UndoneChange {
    /// Memories were stored; they are deleted for good.
    Stored,
    /// A memory got another text or other traits; it has the former ones again.
    Edited,
    /// Memories were forgotten; they have the status again that they had.
    Forgotten,
    /// Memories were archived; they have the status again that they had.
    Archived,
    /// Memories were brought back; they have the status again that they had.
    Restored,
    /// A memory was given another weight; it has the former one again, and what it gained or lost
    /// since.
    Adjusted,
    /// Memories were linked; the links are gone.
    Linked,
    /// A known memory was told again; it is as it was before.
    Told,
    /// Edits of a person in mirrored files were taken over; the memories are as they were.
    Synced,
    /// A person decided about memories; the decision is taken back.
    Decided,
}

impl UndoneChange {
    /// The meaning of the word of a kept change.
    pub(crate) fn of(answer: &str, is_change: bool) -> Self {
        match answer {
            _ if !is_change => Self::Decided,
            changed::FORGET => Self::Forgotten,
            changed::ARCHIVE => Self::Archived,
            changed::RESTORE => Self::Restored,
            changed::ADJUST => Self::Adjusted,
            changed::LINK => Self::Linked,
            changed::TELL => Self::Told,
            changed::SYNC => Self::Synced,
            _ => Self::Edited,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Edited => "edited",
            Self::Forgotten => "forgotten",
            Self::Archived => "archived",
            Self::Restored => "restored",
            Self::Adjusted => "adjusted",
            Self::Linked => "linked",
            Self::Told => "told",
            Self::Synced => "synced",
            Self::Decided => "decided",
        }
    }
}

/// A change that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Undone {
    /// The kind of the change.
    pub change: UndoneChange,
    /// When.
    pub at: Timestamp,
    /// The memories that it changed.
    pub memories: Vec<UndoneMemory>,
    /// Memories that are true again because one that ended them is gone.
    pub opened: Vec<MemoryId>,
}

/// A memory of a change that was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoneMemory {
    /// Its id.
    pub id: MemoryId,
    /// The text that it has again; for one that is gone, its last text.
    pub text: String,
    /// Its status again; `None` for one that is gone.
    pub status: Option<Status>,
}

impl UndoneMemory {
    /// A memory that is there, or that was.
    pub(crate) fn of(memory: Memory, there: bool) -> Self {
        Self {
            id: memory.id,
            text: memory.body.text,
            status: there.then_some(memory.status),
        }
    }
}
