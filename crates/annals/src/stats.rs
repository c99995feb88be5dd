use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use annals_records::namespace::Namespace;
use annals_records::{BY_RULE, Event as Record, Head, Operation};
use annals_storage::Reads;
use annals_types::{Layer, MemoryId, NamespaceId, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Error, JobInfo};

/// Sizes and counts of a namespace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamespaceStats {
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its profile.
    pub profile: String,
    /// Current memories of any status.
    pub memories: u64,
    /// The same by status.
    pub by_status: BTreeMap<String, u64>,
    /// Earlier texts that are kept as history.
    pub replaced: u64,
    /// Bytes of text and replies, history included.
    pub text_bytes: u64,
    /// When something of it was last stored, changed or deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_write: Option<Timestamp>,
    /// Pieces of background work that wait, run, or were given up.
    #[serde(default)]
    pub queued: u64,
    /// What is only known once it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenStats>,
}

impl NamespaceStats {
    /// What is known of namespaces without opening them; `queued` are their tasks.
    pub(crate) fn of(
        reads: &dyn Reads,
        namespaces: &[(Namespace, Head)],
        queued: &HashMap<NamespaceId, u64>,
    ) -> Result<Vec<Self>, Error> {
        let last = annals_records::last_events(
            reads,
            namespaces.iter().map(|(space, head)| (space.id, head)),
        )?;
        let of_one = |((space, head), last_write): (&(Namespace, Head), Option<Timestamp>)| Self {
            name: space.name.as_str().to_owned(),
            created_at: space.created_at,
            profile: space.profile.clone(),
            memories: u64::from(head.total()),
            by_status: by_status(|status| head.count(status)),
            replaced: u64::from(head.replaced),
            text_bytes: head.text_bytes,
            last_write,
            queued: queued.get(&space.id).copied().unwrap_or(0),
            open: None,
        };
        Ok(namespaces.iter().zip(last).map(of_one).collect())
    }

    /// The share of memories that are forgotten, 0 to 1; 0 without any.
    #[must_use]
    pub fn forgotten_share(&self) -> f64 {
        let forgotten = self
            .by_status
            .get(Status::Forgotten.as_str())
            .copied()
            .unwrap_or_default();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of counts far below 2^52"
        )]
        let share = forgotten as f64 / self.memories.max(1) as f64;
        share
    }
}

/// What is known of a namespace that is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenStats {
    /// Current memories by layer.
    pub by_layer: BTreeMap<String, u64>,
    /// The same by kind; those that the profile lists are there even without any.
    pub by_kind: BTreeMap<String, u64>,
    /// The same by class of the profile; turns and notes of a running task have none.
    pub by_class: BTreeMap<String, u64>,
    /// Conversations.
    pub sessions: u64,
    /// Rows with a vector.
    pub vectors: u64,
    /// The embedder whose vectors the memories have, where it is not at hand: recall goes by words
    /// until they are embedded again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign_vectors: Option<String>,
    /// Rows whose vectors are in the graph; 0 while every row is compared.
    pub graph_rows: u64,
    /// Stored text segments.
    pub segments: u64,
    /// Rows that are in no stored text segment yet.
    pub unfolded: u64,
    /// Bytes of memory in use.
    pub memory_bytes: u64,
    /// Memories among them that a judge could not be asked about when they arrived: they are
    /// compared with the others later.
    pub uncompared: u64,
    /// Memories among them of which it is not known yet what they say as triples.
    pub uninterpreted: u64,
    /// The jobs of its profile: when they ran last, how long that took, when they run next.
    pub jobs: Vec<JobInfo>,
}

/// Sizes and counts of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileStats {
    /// The file; `None` for a memory without one.
    pub path: Option<PathBuf>,
    /// Bytes on disk.
    pub file_bytes: u64,
    /// The last commit.
    pub commit: u64,
    /// Namespaces.
    pub namespaces: u64,
    /// Current memories in all of them.
    pub memories: u64,
    /// Bytes of memory that open namespaces take.
    pub memory_bytes: u64,
    /// The vector space that new memories are written to.
    pub embedder: String,
    /// Numbers in a vector.
    pub dims: usize,
}

/// What was done with a file since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Namespaces.
    pub namespaces: u64,
    /// Those whose memory is switched on (`surface.enabled`).
    pub enabled: u64,
    /// Contexts that were made for prompts.
    pub contexts: u64,
    /// Those of them with memories in them.
    pub contexts_with_memory: u64,
    /// New memories that were compared with what they may contradict.
    pub conflict_checks: u64,
    /// Calls of tools by models.
    pub tool_calls: u64,
    /// Those of them that were done, however they were written; the others were answered with what
    /// is wrong with them.
    pub tool_calls_done: u64,
}

impl Usage {
    /// The share of contexts with memories in them, 0 to 1; 0 without any.
    #[must_use]
    pub fn memory_share(&self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of counts far below 2^52"
        )]
        let share = self.contexts_with_memory as f64 / self.contexts.max(1) as f64;
        share
    }

    /// The share of calls of tools that were done, 0 to 1; 0 without any.
    #[must_use]
    pub fn tool_share(&self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of counts far below 2^52"
        )]
        let share = self.tool_calls_done as f64 / self.tool_calls.max(1) as f64;
        share
    }
}

/// What a compaction gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompactReport {
    /// Bytes on disk before.
    pub before_bytes: u64,
    /// Bytes on disk after.
    pub after_bytes: u64,
}

/// A backup that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BackupReport {
    /// The values in it: all were read again.
    pub values: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its name.
    pub name: String,
    /// Its current turns.
    pub turns: u32,
    /// When its first turn was said.
    pub first: Option<Timestamp>,
    /// When its last turn was said.
    pub last: Option<Timestamp>,
}

/// An entry of the event log: what happened to which memory, never what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its number, counted from 0 without gaps.
    pub seq: u64,
    /// The commit it belongs to.
    pub commit: u64,
    /// When.
    pub time: Timestamp,
    /// What happened.
    pub operation: Operation,
    /// How many memories.
    pub count: u32,
    /// The memory, when it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<MemoryId>,
    /// The status that the memory got, when that is what happened: forgotten, archived, active
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Whether a rule of the profile changed the status, and not a call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_rule: bool,
}

impl Event {
    /// Its name for those who follow a namespace: `memory.created`, `memory.updated`,
    /// `memory.deleted`, `memory.forgotten`, `memory.archived` or `memory.restored`. What a caller
    /// hides or erases is deleted; what a rule hides is forgotten.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match (self.operation, self.status, self.by_rule) {
            (Operation::Remembered | Operation::Imported, ..) => "memory.created",
            (Operation::StatusChanged, Some(Status::Forgotten), true) => "memory.forgotten",
            (Operation::StatusChanged, Some(Status::Forgotten), false)
            | (Operation::Erased, ..) => "memory.deleted",
            (Operation::StatusChanged, Some(Status::Archived), _) => "memory.archived",
            (Operation::StatusChanged, Some(Status::Active), _) => "memory.restored",
            _ => "memory.updated",
        }
    }
}

impl From<Record> for Event {
    fn from(event: Record) -> Self {
        let changed = event.operation == Operation::StatusChanged;
        Self {
            seq: event.seq,
            commit: event.commit.0,
            time: event.time,
            operation: event.operation,
            count: event.rows,
            id: event.id,
            status: u8::try_from(event.number % BY_RULE)
                .ok()
                .filter(|_| changed)
                .and_then(Status::from_byte),
            by_rule: changed && event.number >= BY_RULE,
        }
    }
}

pub(crate) fn by_status(count: impl Fn(Status) -> u32) -> BTreeMap<String, u64> {
    Status::ALL
        .iter()
        .map(|status| (status.as_str().to_owned(), u64::from(count(*status))))
        .collect()
}

pub(crate) fn by_layer(count: impl Fn(Layer) -> u32) -> BTreeMap<String, u64> {
    Layer::ALL
        .iter()
        .map(|layer| (layer.as_str().to_owned(), u64::from(count(*layer))))
        .collect()
}

/// A profile that namespaces of a file can have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfileInfo {
    /// Its name.
    pub name: String,
    /// Whether it comes with annals; otherwise it is stored in the file.
    pub builtin: bool,
    /// How many namespaces have it.
    pub namespaces: u64,
}
