//! Memories under the names of the studio design.

use std::collections::BTreeMap;

use annals::{MemoryId, Timestamp, UserMemory};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{HoldsTexts, IdText, MetadataValue, RoleWord};

/// A memory of a user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UserMemory)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserMemoryView {
    /// Its number, from 1 to 2^53 - 1.
    pub(crate) id: u64,
    /// Its id in the engine, which every route takes as well.
    zep_memory_id: String,
    /// The user: N of the namespace `user:N`.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<u64>,
    /// Its text.
    content: String,
    /// Its kind.
    #[serde(rename = "type")]
    kind: String,
    /// How much it matters, 0 to 1.
    importance: f64,
    /// How sure it is, 0 to 1.
    confidence: f64,
    /// How often it was put before a model.
    access_count: u32,
    /// When it was last.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_accessed_at: Option<Timestamp>,
    /// Whether it is hidden.
    is_forgotten: bool,
    /// From when on it is true.
    #[schema(value_type = String, format = DateTime)]
    valid_from: Timestamp,
    /// Until when.
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
    /// The numbers of the memories that it took the place of.
    supersedes: Vec<u64>,
    /// The conversation that it comes from.
    source_conversation_id: Option<i64>,
    /// The message that it comes from.
    source_message_id: Option<i64>,
    /// When its first text was stored.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When its text or status was last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl UserMemoryView {
    pub(crate) fn new(memory: UserMemory, content: String) -> Self {
        Self {
            id: memory.id,
            zep_memory_id: memory.zep_memory_id,
            user_id: memory.user_id,
            content,
            kind: memory.kind,
            importance: memory.importance,
            confidence: memory.confidence,
            access_count: memory.access_count,
            last_accessed_at: memory.last_accessed_at,
            is_forgotten: memory.is_forgotten,
            valid_from: memory.valid_from,
            valid_until: memory.valid_until,
            supersedes: memory.supersedes,
            source_conversation_id: memory.source_conversation_id,
            source_message_id: memory.source_message_id,
            created_at: memory.created_at,
            updated_at: memory.updated_at,
        }
    }
}

impl HoldsTexts for UserMemoryView {
    fn without_texts(mut self) -> Self {
        self.content.clear();
        self
    }
}

/// Whether memories are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// They take part in answers.
    Active,
    /// They are hidden.
    Forgotten,
    /// Either.
    All,
}

/// The parameters of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct UserListParams {
    /// The page, counted from 1.
    #[param(minimum = 1)]
    pub(crate) page: Option<usize>,
    /// The memories of a page; 20 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(crate) page_size: Option<usize>,
    /// The kind.
    #[serde(rename = "type", default)]
    pub(crate) kind: Vec<String>,
    /// Whether hidden ones are meant; active ones without it.
    #[param(inline)]
    pub(crate) state: Option<State>,
    /// Happened at or after.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(crate) from: Option<Timestamp>,
    /// Happened before.
    #[param(value_type = Option<String>, format = DateTime)]
    pub(crate) to: Option<Timestamp>,
}

/// A page of memories of a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserMemories {
    /// The newest first.
    pub(crate) memories: Vec<UserMemoryView>,
    /// How many there are on all pages.
    pub(crate) total: u64,
    /// The page, counted from 1.
    pub(crate) page: usize,
    /// The memories of a page.
    pub(crate) page_size: usize,
}

/// A memory of a user to be stored.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewUserMemory {
    /// Its text.
    pub(crate) content: String,
    /// Its kind: preference, fact, lesson, goal or context.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// How much it matters, 0 to 1.
    pub(crate) importance: Option<f32>,
    /// The conversation that it comes from.
    pub(crate) source_conversation_id: Option<i64>,
    /// The message that it comes from.
    pub(crate) source_message_id: Option<i64>,
    /// Its free fields.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, MetadataValue>)]
    pub(crate) metadata: annals::Metadata,
}

/// A question of a user.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UserSearch {
    /// The question.
    pub(crate) query: String,
    /// The most hits.
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) top_k: Option<u32>,
    /// The least score, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    pub(crate) threshold: Option<f32>,
    /// The kinds.
    #[serde(default)]
    pub(crate) types: Vec<String>,
    /// Also what is true no more.
    #[serde(default)]
    pub(crate) include_expired: bool,
}

/// Memories of a user that answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserHits {
    /// Best first.
    pub(crate) results: Vec<UserHit>,
}

/// A memory of a user that answers.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserHit {
    /// How well it answers, 0 to 1.
    pub(crate) score: f32,
    /// The memory.
    pub(crate) memory: UserMemoryView,
}

/// Counts of the memories of a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserStats {
    /// All that are active.
    pub(crate) total: u64,
    /// The same by kind; those of the profile are there even without any.
    pub(crate) by_type: BTreeMap<String, u64>,
}

/// The confirmation that all memories are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConfirmParams {
    /// `true`.
    #[serde(default)]
    pub(crate) confirm: bool,
}

/// How many memories were hidden.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Hidden {
    /// Their number.
    pub(crate) forgotten: usize,
}

/// A part of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Conversation {
    /// The messages, the oldest first.
    pub(crate) messages: Vec<Message>,
    /// The conversation; messages of the same one follow each other.
    pub(crate) conversation_id: Option<i64>,
}

/// A message of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    /// Who says it.
    #[schema(value_type = RoleWord)]
    pub(crate) role: annals::Role,
    /// What they say.
    pub(crate) content: String,
}

/// The memories that were made of a conversation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExtractedIds {
    /// Their ids in the engine.
    #[schema(value_type = Vec<IdText>)]
    pub(crate) ids: Vec<MemoryId>,
}
