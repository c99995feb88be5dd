//! The operations of the companion's store, by their names.

use annals::MemoryId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{IdText, MetadataValue};

/// `add(text, metadata)`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddKnowledge {
    /// What is known.
    pub(crate) text: String,
    /// Free fields; `category` is the kind of the memory, `importance` how much it matters.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, MetadataValue>)]
    pub(crate) metadata: annals::Metadata,
}

/// `search(query, n_results)`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchKnowledge {
    /// The question.
    pub(crate) query: String,
    /// The most results; 3 without it.
    #[schema(minimum = 1, maximum = 500)]
    pub(crate) n_results: Option<u32>,
}

/// `delete(id)`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteKnowledge {
    /// The memory.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
}

/// `update_text(id, text)`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateText {
    /// The memory, whose id stays.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
    /// What it says from now on.
    pub(crate) text: String,
}

/// `update_importance(id, delta)`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateImportance {
    /// The memory.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
    /// What its importance gains, or loses.
    pub(crate) delta: f64,
}

/// The memory that an operation was about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnowledgeId {
    /// Its id.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
}

/// How much a memory matters.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewImportance {
    /// Before.
    pub(crate) before: f64,
    /// From now on.
    pub(crate) importance: f64,
}

/// What is known.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnowledgeRecords {
    /// The best first, or the newest.
    pub(crate) results: Vec<KnowledgeRecord>,
}

/// A thing that is known.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KnowledgeRecord {
    /// Its id.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
    /// What it says.
    pub(crate) text: String,
    /// Its kind.
    pub(crate) category: String,
    /// How much it matters now.
    pub(crate) importance: f64,
    /// How well it answers, in a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f32>,
    /// Its free fields.
    #[schema(value_type = BTreeMap<String, MetadataValue>)]
    pub(crate) metadata: annals::Metadata,
}
