use annals_types::Timestamp;
use serde::{Deserialize, Serialize};

/// What a program of the studio design keeps of a memory beside its text, under the names of that
/// design.
///
/// Numbers of memories are made of their ids
/// ([`MemoryId::number`](annals_types::MemoryId::number)), so that they stay the same when a memory
/// goes into another file. The source is what the memory's metadata `source_conversation` and
/// `source_message` say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserMemory {
    /// The number of the memory, from 1 to 2^53 - 1.
    pub id: u64,
    /// Its id in the engine.
    pub zep_memory_id: String,
    /// The user: N of a namespace `user:N`.
    pub user_id: Option<u64>,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// How often it was put before a model.
    pub access_count: u32,
    /// When it was last.
    pub last_accessed_at: Option<Timestamp>,
    /// Whether it is hidden.
    pub is_forgotten: bool,
    /// From when on it is true: as it says, else when it was said, else when its first text was
    /// stored.
    pub valid_from: Timestamp,
    /// Until when.
    pub valid_until: Option<Timestamp>,
    /// The numbers of the memories that it took the place of.
    pub supersedes: Vec<u64>,
    /// The conversation that it comes from.
    pub source_conversation_id: Option<i64>,
    /// The message that it comes from.
    pub source_message_id: Option<i64>,
    /// When its first text was stored.
    pub created_at: Timestamp,
    /// When its text or status was last changed.
    pub updated_at: Timestamp,
}

/// Whether a memory takes part in answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CardState {
    /// It does.
    Active,
    /// It is hidden until it is restored.
    Forgotten,
}

/// A memory as a list shows it to the user, in the words of the studio design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct MemoryCard {
    /// Its id.
    pub id: annals_types::MemoryId,
    /// Its text.
    pub content: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// The profile's sign for the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// The profile's word for the kind.
    pub label: String,
    /// How long ago it was stored: `3天前`.
    pub created: String,
    /// How often it was put before a model.
    pub access_count: u32,
    /// How much it matters, `0%` to `100%`.
    pub importance: String,
    /// The conversation that it comes from.
    pub source_conversation_id: Option<i64>,
    /// The message that it comes from.
    pub source_message_id: Option<i64>,
    /// Whether it is hidden.
    pub state: CardState,
}
