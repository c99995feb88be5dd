//! Namespaces and the file.

use std::collections::BTreeMap;

use annals::{NamespaceStats, OpenStats, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The namespaces that the caller reaches.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Namespaces {
    /// By name.
    pub(crate) namespaces: Vec<NamespaceView>,
}

/// Sizes and counts of a namespace.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Namespace)]
pub(crate) struct NamespaceView {
    /// Its name.
    pub(crate) name: String,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// Its profile.
    profile: String,
    /// Current memories of any status.
    memories: u64,
    /// The same by status.
    by_status: BTreeMap<String, u64>,
    /// Earlier texts that are kept as history.
    replaced: u64,
    /// Bytes of text and replies, history included.
    text_bytes: u64,
    /// When something of it was last stored, changed or deleted; absent where nothing ever was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last_write: Option<Timestamp>,
    /// Pieces of background work that wait, run, or were given up.
    queued: u64,
    /// What is only known of a namespace that is asked for by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<OpenView>,
}

/// What is known of a namespace that is open.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenNamespace)]
pub(crate) struct OpenView {
    /// Current memories by layer.
    by_layer: BTreeMap<String, u64>,
    /// The same by kind; those that the profile lists are there even without any.
    by_kind: BTreeMap<String, u64>,
    /// The same by class of the profile.
    by_class: BTreeMap<String, u64>,
    /// Conversations.
    sessions: u64,
    /// Rows with a vector.
    vectors: u64,
    /// The embedder of the vectors, where it is not at hand: recall goes by words then.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreign_vectors: Option<String>,
    /// Bytes of memory in use.
    memory_bytes: u64,
}

impl From<OpenStats> for OpenView {
    fn from(open: OpenStats) -> Self {
        Self {
            by_layer: open.by_layer,
            by_kind: open.by_kind,
            by_class: open.by_class,
            sessions: open.sessions,
            vectors: open.vectors,
            foreign_vectors: open.foreign_vectors,
            memory_bytes: open.memory_bytes,
        }
    }
}

impl From<NamespaceStats> for NamespaceView {
    fn from(stats: NamespaceStats) -> Self {
        Self {
            name: stats.name,
            created_at: stats.created_at,
            profile: stats.profile,
            memories: stats.memories,
            by_status: stats.by_status,
            replaced: stats.replaced,
            text_bytes: stats.text_bytes,
            last_write: stats.last_write,
            queued: stats.queued,
            open: stats.open.map(OpenView::from),
        }
    }
}

/// A namespace to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewNamespace {
    /// Its profile; `default` without one.
    pub(crate) profile: Option<String>,
}

/// Sizes and counts of the whole file.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FileStats {
    /// Bytes on disk.
    file_bytes: u64,
    /// The last commit.
    commit: u64,
    /// Namespaces.
    namespaces: u64,
    /// Current memories in all of them.
    memories: u64,
    /// Bytes of memory that open namespaces take.
    memory_bytes: u64,
    /// The vector space that new memories are written to.
    embedder: String,
    /// Numbers in a vector.
    dims: usize,
    /// The version of annals.
    version: &'static str,
}

impl From<annals::FileStats> for FileStats {
    fn from(stats: annals::FileStats) -> Self {
        Self {
            file_bytes: stats.file_bytes,
            commit: stats.commit,
            namespaces: stats.namespaces,
            memories: stats.memories,
            memory_bytes: stats.memory_bytes,
            embedder: stats.embedder,
            dims: stats.dims,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// What deleting a namespace removed, or would remove.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NamespaceReceipt {
    /// Whether nothing was changed.
    dry_run: bool,
    /// The namespace.
    namespace: String,
    /// Its memories, of any status.
    memories: u64,
    /// Bytes of text and replies.
    text_bytes: u64,
    /// Keys removed from the file; 0 in a dry run.
    keys: u64,
    /// How many files mirrored it, with their backups.
    files: usize,
    /// How many files are kept beside those, with what somebody wrote into them.
    kept: usize,
}

impl From<annals::NamespaceReceipt> for NamespaceReceipt {
    fn from(receipt: annals::NamespaceReceipt) -> Self {
        Self {
            dry_run: receipt.dry_run,
            namespace: receipt.namespace,
            memories: receipt.memories,
            text_bytes: receipt.text_bytes,
            keys: receipt.keys,
            files: receipt.files.len(),
            kept: receipt.kept.len(),
        }
    }
}
