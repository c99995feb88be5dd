use std::path::PathBuf;

use annals_graph::{EntityId, TripleId};
use annals_types::{MemoryId, Status, Timestamp};
use serde::Serialize;

use crate::engine::Removal;
use crate::graph::Triple;

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
    /// How many of the memories were asked for; those behind them go because their last source does (deletions only).
    pub asked: usize,
    /// Memories that lose one of their sources and are to be derived again.
    pub stale: Vec<MemoryId>,
    /// Memories of which earlier texts go, because what those were derived from does.
    pub shortened: Vec<MemoryId>,
    /// Memories that are in force again, because what superseded them goes (deletions only).
    pub revived: Vec<MemoryId>,
    /// Memories that were made one with some that go, and stay with the same words, hidden maybe (deletions only).
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
    /// In the dry run of a deletion: the triples and entities in words. A receipt of what is gone holds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<ReceiptWords>,
}

/// What a deletion would take along, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

    /// Takes over what goes with the memories.
    pub(crate) fn supported(&mut self, removal: &Removal) {
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        let (effects, erasure) = (&removal.erasure.effects, &removal.erasure);
        self.asked = removal.asked;
        self.stale.clone_from(&removal.stale);
        self.shortened.clone_from(&removal.shortened);
        self.revived.clone_from(&removal.revived);
        self.twins.clone_from(&removal.twins);
        self.triples = count(effects.gone.len());
        self.sleeping_triples = count(effects.slept.len());
        self.entities = count(effects.gone_entities.len());
        self.links = count(erasure.links.len());
        self.gone_triples.clone_from(&effects.gone);
        self.asleep_triples.clone_from(&effects.slept);
        self.gone_entities.clone_from(&effects.gone_entities);
        self.gone_links.clone_from(&removal.links);
    }
}

/// What deleting a list of memories did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BulkReceipt {
    /// What went, or would go.
    pub receipt: Receipt,
    /// Memories of the list that the profile keeps.
    pub skipped: Vec<MemoryId>,
    /// Words of the list that are no memory of the namespace.
    pub unknown: Vec<String>,
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
    /// The files that mirrored it, with their backups.
    pub files: Vec<PathBuf>,
    /// Files beside those, with what somebody wrote into them that was never brought into step.
    pub kept: Vec<PathBuf>,
    /// Files that mirrored it and are not there: somebody removed them, or they are on a disk that is away, and stay there as they are.
    pub missing: Vec<PathBuf>,
}
