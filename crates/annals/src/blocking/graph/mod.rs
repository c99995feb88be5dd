//! What memories say, and how they hang together.

mod candidates;
mod clashes;
mod entities;
mod exchange;
mod links;
mod origins;
mod reads;
mod records;
mod says;
mod subgraphs;
mod triples;
mod walks;
pub(super) mod words;

use annals_storage::Snapshot;
use annals_types::NamespaceId;

use crate::engine::Engine;

/// One state of a namespace's graph.
pub(super) struct Reader<'a> {
    pub(super) engine: &'a Engine,
    pub(super) reads: &'a Snapshot,
    pub(super) ns: NamespaceId,
}
