//! What goes, and what came back.

use annals::{MemoryId, Status, Timestamp, UndoneChange};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ChangeWord, HoldsTexts, IdText, StatusWord};

/// Parameters of a deletion.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteParams {
    /// Only tell what would go.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// What a call changed, or would change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Receipt {
    /// Whether nothing was changed.
    dry_run: bool,
    /// The memories concerned.
    memories: Vec<ReceiptEntry>,
    /// Rows concerned: current texts and, for deletions, all earlier ones.
    rows: u64,
    /// Bytes of text and replies that are gone.
    text_bytes: u64,
    /// How many of the memories were asked for; those behind them go because their last source
    /// does.
    asked: usize,
    /// Memories that lose one of their sources and are derived again.
    #[schema(value_type = Vec<IdText>)]
    stale: Vec<MemoryId>,
    /// Memories of which earlier texts go.
    #[schema(value_type = Vec<IdText>)]
    shortened: Vec<MemoryId>,
    /// Memories that are in force again.
    #[schema(value_type = Vec<IdText>)]
    revived: Vec<MemoryId>,
    /// Memories with the same words that stay.
    #[schema(value_type = Vec<IdText>)]
    twins: Vec<MemoryId>,
    /// Triples that nothing supports any more.
    triples: u64,
    /// Triples that only forgotten memories support now.
    sleeping_triples: u64,
    /// Entities of which nothing speaks any more.
    entities: u64,
    /// Links that go with one of their ends.
    links: u64,
}

/// A memory of a receipt.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReceiptEntry {
    /// The memory.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// The status it had.
    #[schema(value_type = StatusWord)]
    status: Status,
    /// When it was stored.
    #[schema(value_type = String, format = DateTime)]
    stored_at: Timestamp,
    /// The number of its texts, earlier ones included.
    revisions: u64,
    /// The beginning of its text, in a dry run of a caller who may read.
    #[serde(skip_serializing_if = "String::is_empty")]
    text_start: String,
}

impl From<annals::Receipt> for Receipt {
    fn from(receipt: annals::Receipt) -> Self {
        let entry = |entry: annals::ReceiptEntry| ReceiptEntry {
            id: entry.id,
            status: entry.status,
            stored_at: entry.stored_at,
            revisions: entry.revisions,
            text_start: entry.text_start,
        };
        Self {
            dry_run: receipt.dry_run,
            memories: receipt.memories.into_iter().map(entry).collect(),
            rows: receipt.rows,
            text_bytes: receipt.text_bytes,
            asked: receipt.asked,
            stale: receipt.stale,
            shortened: receipt.shortened,
            revived: receipt.revived,
            twins: receipt.twins,
            triples: receipt.triples,
            sleeping_triples: receipt.sleeping_triples,
            entities: receipt.entities,
            links: receipt.links,
        }
    }
}

impl HoldsTexts for Receipt {
    fn without_texts(mut self) -> Self {
        for entry in &mut self.memories {
            entry.text_start.clear();
        }
        self
    }
}

/// A change that was taken back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Undone {
    /// The kind of the change.
    #[schema(value_type = ChangeWord)]
    change: UndoneChange,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The memories that it changed.
    memories: Vec<UndoneMemory>,
    /// Memories that are true again because one that ended them is gone.
    #[schema(value_type = Vec<IdText>)]
    opened: Vec<MemoryId>,
}

/// A memory of a change that was taken back.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UndoneMemory {
    /// Its id.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// The text that it has again; for one that is gone, its last text.
    text: String,
    /// Its status again; absent for one that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<StatusWord>)]
    status: Option<Status>,
}

impl From<annals::Undone> for Undone {
    fn from(undone: annals::Undone) -> Self {
        let memory = |memory: annals::UndoneMemory| UndoneMemory {
            id: memory.id,
            text: memory.text,
            status: memory.status,
        };
        Self {
            change: undone.change,
            at: undone.at,
            memories: undone.memories.into_iter().map(memory).collect(),
            opened: undone.opened,
        }
    }
}

impl HoldsTexts for Undone {
    fn without_texts(mut self) -> Self {
        for memory in &mut self.memories {
            memory.text.clear();
        }
        self
    }
}
