//! Questions to the graph: the same of a namespace as it is now and of a snapshot.

use std::collections::BTreeMap;
use std::io::Write;

use annals_graph as graph;
use annals_records::RecordError;
use annals_types::MemoryId;

use super::super::{Namespace, Snapshot};
use super::Reader;
use crate::Error;
use crate::graph::{
    Clash, Entity, EntityId, EntityRef, Expansion, ExplainedTriple, GraphExport, GraphStats, Link, Merge,
    MergeCandidates, Neighbour, Paths, Subgraph, TripleId, TripleLine, TriplePage, TripleQuery, Walk,
};

/// Defines questions for both handles; `else` is the answer of a namespace that does not exist.
macro_rules! questions {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $kind:ty),*) -> $out:ty, else $none:expr;)+) => {
        impl Namespace {
            $(
                $(#[$doc])*
                pub fn $name(&self, $($arg: $kind),*) -> Result<$out, Error> {
                    let Some(ns) = self.id()? else { return $none };
                    let snapshot = self.engine.snapshot()?;
                    Reader { engine: &self.engine, reads: &snapshot, ns }.$name($($arg),*)
                }
            )+
        }

        impl Snapshot {
            $(
                $(#[$doc])*
                pub fn $name(&self, $($arg: $kind),*) -> Result<$out, Error> {
                    let Some((engine, reads, ns)) = self.parts() else { return $none };
                    Reader { engine, reads, ns }.$name($($arg),*)
                }
            )+
        }
    };
}

questions! {
    /// Triples by any of their positions, page by page.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when [`TripleQuery::after`] is no place of this query.
    fn triples(query: &TripleQuery) -> TriplePage, else Ok(TriplePage::default());

    /// A triple with all its evidence.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn explain_triple(id: TripleId) -> ExplainedTriple, else Err(graph::GraphError::NoTriple { triple: id }.into());

    /// All triples with the memories that say them, those that sleep included, by predicate and age.
    ///
    /// # Errors
    /// When they cannot be read.
    fn triple_lines() -> Vec<TripleLine>, else Ok(Vec::new());

    /// The entities of a name or alias, compared without regard to case and width, the oldest first; merged ones as what they became.
    ///
    /// # Errors
    /// When they cannot be read.
    fn entities(name: &str) -> Vec<Entity>, else Ok(Vec::new());

    /// At most `limit` entities with numbers above `after`, in the order of their numbers, merged ones included.
    ///
    /// # Errors
    /// When they cannot be read.
    fn list_entities(after: Option<EntityId>, limit: usize) -> Vec<Entity>, else Ok(Vec::new());

    /// At most `limit` neighbours of an entity, over what `way` allows: by triples that leave it, then by those that reach it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    fn neighbours(of: impl Into<EntityRef>, way: &Walk, limit: usize) -> Vec<Neighbour>, else Ok(Vec::new());

    /// Walks from some entities, breadth first. What was found before a limit is answered, with the limit.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    fn expand(from: &[EntityRef], way: &Walk) -> Expansion, else Ok(Expansion::default());

    /// At most `limit` of the shortest ways from one entity to another, of at most [`Walk::depth`] steps. Several entities of a name are all
    /// meant; a way without a step says that both ends are one entity.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
    fn paths(from: impl Into<EntityRef>, to: impl Into<EntityRef>, way: &Walk, limit: usize) -> Paths,
        else Ok(Paths::default());

    /// The links of a memory: those that leave it, then those that reach it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn links(memory: MemoryId) -> Vec<Link>, else Err(RecordError::NotFound { id: memory }.into());

    /// The memories that one was derived from, then those that were derived from it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn derivations(memory: MemoryId) -> (Vec<MemoryId>, Vec<MemoryId>),
        else Err(RecordError::NotFound { id: memory }.into());

    /// A memory as nodes and edges, in the order in which it said them; nothing of either for one that says no triple.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn subgraph(memory: MemoryId) -> Subgraph, else Err(RecordError::NotFound { id: memory }.into());

    /// What a memory says that cannot hold with what others say now, by the profile's opposites and predicates of a single value.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn clashes(memory: MemoryId) -> Vec<Clash>, else Err(RecordError::NotFound { id: memory }.into());

    /// Which entities should be one under the profile's thresholds: those with a name and kind in common, and those whose names are
    /// similar to the embedder, within their context where the profile asks for that. At most `limit` entities above `after` are looked at,
    /// each compared with the others of that page, which takes time with the square of their number; merges nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder), or what the file says.
    fn merge_candidates(after: Option<EntityId>, limit: usize) -> MergeCandidates, else Ok(MergeCandidates::default());

    /// How similar two entities of a kind must be to be compared by their context, for kinds of which merges were made, where the profile
    /// learns that from merges that were taken back; nothing otherwise, for then it is what the profile says.
    ///
    /// # Errors
    /// When it cannot be read.
    fn merge_thresholds() -> BTreeMap<String, f64>, else Ok(BTreeMap::new());

    /// The merges that stand, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn merges() -> Vec<Merge>, else Ok(Vec::new());

    /// The merges by which an entity, or what it became, is what it is, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    fn merge_history(entity: EntityId) -> Vec<Merge>, else Err(graph::GraphError::NoEntity { entity }.into());

    /// How much the graph holds.
    ///
    /// # Errors
    /// When it cannot be read.
    fn graph_stats() -> GraphStats, else Ok(GraphStats::default());

    /// Writes the graph in a form that other programs read; memories are called by their ids. Takes memory for what is written. A
    /// namespace that does not exist has an empty graph.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a memory that does not exist, or when `out` cannot be written.
    fn export_graph(what: &GraphExport, out: &mut dyn Write) -> (), else Ok(());
}
