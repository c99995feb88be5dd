//! The embeddings of the entities of an open namespace, kept until one of them changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_recall::Nodes;
use annals_storage::{Reads, Snapshot, Table};
use annals_types::{Commit, Fingerprint, NamespaceId};
use annals_vector::Shape;
use parking_lot::Mutex;

use crate::Error;

/// The fingerprint of the embedder that the embeddings of a namespace's entities are of.
pub const NODE_SPACES: Table<NamespaceId, String> = Table::new("annals.nodes");

/// Whether the embeddings of a namespace's entities are of an embedder; those of no known embedder
/// count as such.
pub fn comparable(reads: &dyn Reads, ns: NamespaceId, with: &Fingerprint) -> Result<bool, Error> {
    Ok(NODE_SPACES.get(reads, ns)?.is_none_or(|of| of == with.0))
}

/// The embeddings of one namespace, read when they are first asked for. Those of entities that
/// went meanwhile do no harm.
#[derive(Default)]
pub(crate) struct NodeCache {
    /// The last commit that changed one.
    changed: AtomicU64,
    held: Mutex<Option<CachedNodes>>,
}

/// Embeddings as of a commit.
struct CachedNodes {
    at: Commit,
    nodes: Arc<Nodes>,
}

impl NodeCache {
    /// A commit that may have changed some.
    pub(crate) fn changed(&self, at: Commit) {
        self.changed.fetch_max(at.0, Ordering::AcqRel);
    }

    /// The embeddings that are comparable with those of an embedder.
    pub(crate) fn get(
        &self,
        reads: &Snapshot,
        ns: NamespaceId,
        (shape, embedder): (Shape, &Fingerprint),
    ) -> Result<Arc<Nodes>, Error> {
        let changed = Commit(self.changed.load(Ordering::Acquire));
        if let Some(held) = self.held.lock().as_ref().filter(|held| held.at >= changed) {
            return Ok(Arc::clone(&held.nodes));
        }
        let nodes = if comparable(reads, ns, embedder)? {
            Nodes::load(reads, ns, shape)?
        } else {
            Nodes::new(shape)
        };
        let nodes = Arc::new(nodes);
        *self.held.lock() = Some(CachedNodes {
            at: reads.commit(),
            nodes: Arc::clone(&nodes),
        });
        Ok(nodes)
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.held
            .lock()
            .as_ref()
            .map_or(0, |held| held.nodes.bytes())
    }
}
