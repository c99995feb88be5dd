//! What the entities of an open namespace mean, kept until one of them gets another meaning.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annals_recall::Nodes;
use annals_storage::{Keyspace, Reads, Snapshot};
use annals_types::{Commit, Fingerprint, NamespaceId};
use annals_vector::Shape;
use parking_lot::Mutex;

use crate::Error;

/// Namespace -> the fingerprint of the embedder that the embeddings of its entities are of (UTF-8).
pub(crate) const NODE_SPACES: Keyspace = Keyspace::new("annals.nodes").up_to(1);

/// Whether the embeddings of a namespace's entities are of an embedder; those that nobody says anything of are.
pub(crate) fn comparable(reads: &dyn Reads, ns: NamespaceId, with: &Fingerprint) -> Result<bool, Error> {
    let of = reads.get(NODE_SPACES, &ns.prefix())?;
    Ok(of.is_none_or(|of| of.body == with.0.as_bytes()))
}

/// What of it cannot be read.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let of = reads.get(NODE_SPACES, &ns.prefix())?;
    let broken = of.is_some_and(|of| std::str::from_utf8(&of.body).is_err());
    Ok(broken.then(|| format!("{NODE_SPACES}: the name of an embedder is not UTF-8")).into_iter().collect())
}

/// The embeddings of one namespace, read when they are first asked for. Those of entities that went meanwhile do no harm.
#[derive(Default)]
pub(crate) struct NodeCache {
    /// The last commit that changed one.
    changed: AtomicU64,
    held: Mutex<Option<Held>>,
}

/// Embeddings as of a commit.
struct Held {
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
        let nodes = if comparable(reads, ns, embedder)? { Nodes::load(reads, ns, shape)? } else { Nodes::new(shape) };
        let nodes = Arc::new(nodes);
        *self.held.lock() = Some(Held { at: reads.commit(), nodes: Arc::clone(&nodes) });
        Ok(nodes)
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.held.lock().as_ref().map_or(0, |held| held.nodes.bytes())
    }
}
