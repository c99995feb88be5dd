use annals_storage::Reads;
use annals_types::NamespaceId;
use serde::{Deserialize, Serialize};

use crate::GraphError;
use crate::tables::HEADS;

/// How much a namespace's graph holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GraphStats {
    /// Entities that are themselves; one for each group of merged ones.
    pub entities: u32,
    /// Entities that were merged into others.
    pub merged: u32,
    /// Triples, those that sleep included.
    pub triples: u32,
    /// Triples that some memory supports now.
    pub visible_triples: u32,
    /// Evidence of memories for triples.
    pub evidence: u64,
    /// Links between memories.
    pub links: u64,
}

/// Counts that are known without counting. One round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn stats(reads: &dyn Reads, ns: NamespaceId) -> Result<GraphStats, GraphError> {
    let head = HEADS.get(reads, ns)?.unwrap_or_default();
    Ok(GraphStats {
        entities: head.entities.saturating_sub(head.merges),
        merged: head.merges,
        triples: head.triples,
        visible_triples: head.visible,
        evidence: head.evidence,
        links: head.links,
    })
}
