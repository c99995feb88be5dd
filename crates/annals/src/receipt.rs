use std::path::PathBuf;

use annals_graph::{EntityId, TripleId};
use annals_types::{Memory, MemoryId, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Mode;
use crate::graph::Triple;
use annals_engine::deletion::{Deletion, Leaving};

/// How much of a text a dry run shows, in characters.
const SHOWN: usize = 80;

/// What a call changed, or would change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// The memories concerned.
    pub memories: Vec<ReceiptEntry>,
    /// Rows concerned: current texts and, for deletions, all earlier ones.
    pub rows: u64,
    /// Bytes of text and replies that are gone (deletions only).
    pub text_bytes: u64,
    /// How many of the memories were asked for; those behind them go because their last source does
    /// (deletions only).
    pub asked: usize,
    /// Memories that lose one of their sources and are to be derived again.
    pub stale: Vec<MemoryId>,
    /// Memories of which earlier texts go, because what those were derived from does.
    pub shortened: Vec<MemoryId>,
    /// Memories that are in force again, because what superseded them goes (deletions only).
    pub revived: Vec<MemoryId>,
    /// Memories that were made one with some that go, and stay with the same words, hidden maybe
    /// (deletions only).
    pub twins: Vec<MemoryId>,
    /// Triples that nothing supports any more, and that go.
    pub triples: u64,
    /// Triples that only forgotten memories support now.
    pub sleeping_triples: u64,
    /// Entities of which nothing speaks any more, and that go.
    pub entities: u64,
    /// Links that go with one of their ends.
    pub links: u64,
    /// The triples that go.
    pub gone_triples: Vec<TripleId>,
    /// The triples that fall asleep.
    pub asleep_triples: Vec<TripleId>,
    /// The entities that go.
    pub gone_entities: Vec<EntityId>,
    /// The links that go: from, relation, to.
    pub gone_links: Vec<(MemoryId, String, MemoryId)>,
    /// In the dry run of a deletion: the triples and entities in words. A receipt of what is gone
    /// holds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ReceiptWords>,
}

/// What a deletion would take along, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReceiptWords {
    /// The triples that would go.
    pub gone_triples: Vec<Triple>,
    /// The triples that would fall asleep.
    pub asleep_triples: Vec<Triple>,
    /// The entities that would go, with their names.
    pub gone_entities: Vec<(EntityId, String)>,
}

impl Receipt {
    pub(crate) fn nothing(mode: Mode) -> Self {
        Self {
            dry_run: mode == Mode::DryRun,
            memories: Vec::new(),
            rows: 0,
            text_bytes: 0,
            asked: 0,
            stale: Vec::new(),
            shortened: Vec::new(),
            revived: Vec::new(),
            twins: Vec::new(),
            triples: 0,
            sleeping_triples: 0,
            entities: 0,
            links: 0,
            gone_triples: Vec::new(),
            asleep_triples: Vec::new(),
            gone_entities: Vec::new(),
            gone_links: Vec::new(),
            words: None,
        }
    }

    /// The receipt of a deletion, or of its dry run: the same but for the beginnings of texts.
    pub(crate) fn of(deletion: Deletion, mode: Mode) -> Self {
        let effects = deletion.erasure.effects;
        Self {
            asked: deletion.asked,
            stale: deletion.stale,
            shortened: deletion.shortened.into_iter().map(|(id, _)| id).collect(),
            revived: deletion.revived.into_iter().map(|heir| heir.id).collect(),
            twins: deletion.twins,
            triples: count(effects.gone.len()),
            sleeping_triples: count(effects.slept.len()),
            entities: count(effects.gone_entities.len()),
            links: count(deletion.erasure.links.len()),
            gone_triples: effects.gone,
            asleep_triples: effects.slept,
            gone_entities: effects.gone_entities,
            gone_links: deletion.links,
            ..Self::about(&deletion.memories, mode)
        }
    }

    /// A receipt that names memories and counts their texts.
    pub(crate) fn about(memories: &[Leaving], mode: Mode) -> Self {
        Self {
            memories: memories
                .iter()
                .map(|one| ReceiptEntry::of(&one.memory, one.rows.len(), mode))
                .collect(),
            rows: memories.iter().map(|one| count(one.rows.len())).sum(),
            text_bytes: memories.iter().map(|one| one.text_bytes).sum(),
            ..Self::nothing(mode)
        }
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// What deleting a list of memories did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BulkReceipt {
    /// What went, or would go.
    pub receipt: Receipt,
    /// Memories of the list that the profile keeps.
    pub skipped: Vec<MemoryId>,
    /// Words of the list that are no memory of the namespace.
    pub unknown: Vec<String>,
}

/// One memory of a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
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
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_start: String,
}

impl ReceiptEntry {
    /// A memory with so many texts.
    pub(crate) fn of(memory: &Memory, revisions: usize, mode: Mode) -> Self {
        let shown = if mode == Mode::DryRun { SHOWN } else { 0 };
        Self {
            id: memory.id,
            status: memory.status,
            stored_at: memory.stored_at,
            revisions: count(revisions),
            text_start: memory.body.text.chars().take(shown).collect(),
        }
    }
}

/// What deleting a namespace removed, or would remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// The files that mirrored it, with their backups.
    pub files: Vec<PathBuf>,
    /// Files beside those, with what somebody wrote into them that was never brought into step.
    pub kept: Vec<PathBuf>,
    /// Files that mirrored it and are not there: somebody removed them, or they are on a disk that
    /// is away, and stay there as they are.
    pub missing: Vec<PathBuf>,
}
