//! Questions to the graph: the same of a namespace as it is now and of a snapshot.

use std::collections::BTreeMap;
use std::io::Write;

use annals_graph as graph;
use annals_records::RecordError;
use annals_types::MemoryId;

use crate::Error;
use crate::graph::{
    Clash, Entity, EntityId, EntityRef, Expansion, ExplainedTriple, GraphExport, GraphStats, Link,
    Merge, MergeCandidates, Neighbour, Paths, Subgraph, TripleId, TripleLine, TriplePage,
    TripleQuery, Walk,
};
use crate::handles::graph::Reader;
use crate::handles::{Graph, Merges, SnapshotGraph, SnapshotMerges};

/// Defines questions for the handles of a namespace as it is now and as it was: `by` names the call
/// of [`Reader`], `else` is the answer of a namespace that does not exist.
macro_rules! questions {
    ($now:ident, $then:ident: $(fn $name:ident($($arg:ident: $kind:ty),*) -> $out:ty, by $read:ident, else $none:expr;)+) => {
        impl $now {
            $(
                pub(crate) fn $name(&self, $($arg: $kind),*) -> Result<$out, Error> {
                    let Some(ns) = self.space.id()? else { return $none };
                    let snapshot = self.space.engine.snapshot()?;
                    Reader { engine: &self.space.engine, reads: &snapshot, ns }.$read($($arg),*)
                }
            )+
        }

        impl $then {
            $(
                pub(crate) fn $name(&self, $($arg: $kind),*) -> Result<$out, Error> {
                    let Some((engine, reads, ns)) = self.snapshot.parts() else { return $none };
                    Reader { engine, reads, ns }.$read($($arg),*)
                }
            )+
        }
    };
}

questions! {
    Graph, SnapshotGraph:
    fn triples(query: &TripleQuery) -> TriplePage, by triples, else Ok(TriplePage::default());
    fn explain_triple(id: TripleId) -> ExplainedTriple, by explain_triple, else Err(graph::GraphError::NoTriple { triple: id }.into());
    fn lines() -> Vec<TripleLine>, by triple_lines, else Ok(Vec::new());
    fn entities(name: &str) -> Vec<Entity>, by entities, else Ok(Vec::new());
    fn list_entities(after: Option<EntityId>, limit: usize) -> Vec<Entity>, by list_entities, else Ok(Vec::new());
    fn neighbours(of: impl Into<EntityRef>, way: &Walk, limit: usize) -> Vec<Neighbour>, by neighbours, else Ok(Vec::new());
    fn expand(from: &[EntityRef], way: &Walk) -> Expansion, by expand, else Ok(Expansion::default());
    fn paths(from: impl Into<EntityRef>, to: impl Into<EntityRef>, way: &Walk, limit: usize) -> Paths, by paths, else Ok(Paths::default());
    fn links(memory: MemoryId) -> Vec<Link>, by links, else Err(RecordError::NotFound { id: memory }.into());
    fn derivations(memory: MemoryId) -> (Vec<MemoryId>, Vec<MemoryId>), by derivations, else Err(RecordError::NotFound { id: memory }.into());
    fn subgraph(memory: MemoryId) -> Subgraph, by subgraph, else Err(RecordError::NotFound { id: memory }.into());
    fn clashes(memory: MemoryId) -> Vec<Clash>, by clashes, else Err(RecordError::NotFound { id: memory }.into());
    fn stats() -> GraphStats, by graph_stats, else Ok(GraphStats::default());
    fn export(what: &GraphExport, out: &mut dyn Write) -> (), by export_graph, else Ok(());
}

questions! {
    Merges, SnapshotMerges:
    fn candidates(after: Option<EntityId>, limit: usize) -> MergeCandidates, by merge_candidates, else Ok(MergeCandidates::default());
    fn thresholds() -> BTreeMap<String, f64>, by merge_thresholds, else Ok(BTreeMap::new());
    fn list() -> Vec<Merge>, by merges, else Ok(Vec::new());
    fn history(entity: EntityId) -> Vec<Merge>, by merge_history, else Err(graph::GraphError::NoEntity { entity }.into());
}
