use annals_types::{MemoryId, Status, Timestamp};
use serde::Serialize;

/// Whether a destructive call does what it says or only tells what it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Tell only.
    DryRun,
    /// Do it.
    Commit,
}

/// What a call changed, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// The memories concerned.
    pub memories: Vec<ReceiptEntry>,
    /// Rows concerned: current texts and, for deletions, all earlier ones.
    pub rows: u64,
    /// Bytes of text and replies that are gone (deletions only).
    pub text_bytes: u64,
}

/// One memory of a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceiptEntry {
    /// The memory.
    pub id: MemoryId,
    /// The status it had.
    pub status: Status,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// The number of its texts, earlier ones included.
    pub revisions: u64,
    /// The beginning of its text in a dry run; empty in a receipt of what is gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text_start: String,
}

/// What deleting a namespace removed, or would remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamespaceReceipt {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// The namespace.
    pub namespace: String,
    /// Its memories, of any status.
    pub memories: u64,
    /// Bytes of text and replies.
    pub text_bytes: u64,
    /// Keys removed from the file; 0 in a dry run.
    pub keys: u64,
}
