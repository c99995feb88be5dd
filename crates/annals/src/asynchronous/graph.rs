//! The graph's calls as futures.

use std::collections::BTreeMap;
use std::io::Write;

use annals_types::{MemoryId, NewMemory};

use super::{Namespace, Snapshot};
use crate::Error;
use crate::graph::{
    Asserted, Assertion, Clash, Effects, Entity, EntityEdit, EntityId, EntityRef, Expansion, ExplainedTriple,
    GraphExport, GraphRecord, GraphStats, Link, Merge, MergeCandidate, MergeCandidates, MergeId, Neighbour, NewEntity,
    NewLink, NewSubgraph, Origin, Paths, Subgraph, TripleId, TripleLine, TriplePage, TripleQuery, Undone, UndoneMerge,
    Walk,
};

/// Defines the questions of both handles.
macro_rules! questions {
    ($($handle:ident),+) => {
        $(impl $handle {
            /// Triples by any of their positions, page by page.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn triples(&self, query: TripleQuery) -> Result<TriplePage, Error> {
                let handle = self.0.clone();
                ::blocking::unblock(move || handle.triples(&query)).await
            }

            /// The entities of a name or alias.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn entities(&self, name: impl Into<String>) -> Result<Vec<Entity>, Error> {
                let (handle, name) = (self.0.clone(), name.into());
                ::blocking::unblock(move || handle.entities(&name)).await
            }

            /// At most `limit` neighbours of an entity.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn neighbours(
                &self,
                of: impl Into<EntityRef>,
                way: Walk,
                limit: usize,
            ) -> Result<Vec<Neighbour>, Error> {
                let (handle, of) = (self.0.clone(), of.into());
                ::blocking::unblock(move || handle.neighbours(of, &way, limit)).await
            }

            /// Walks from some entities, breadth first.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn expand(&self, from: Vec<EntityRef>, way: Walk) -> Result<Expansion, Error> {
                let handle = self.0.clone();
                ::blocking::unblock(move || handle.expand(&from, &way)).await
            }

            /// At most `limit` of the shortest ways from one entity to another.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn paths(
                &self,
                from: impl Into<EntityRef>,
                to: impl Into<EntityRef>,
                way: Walk,
                limit: usize,
            ) -> Result<Paths, Error> {
                let (handle, from, to) = (self.0.clone(), from.into(), to.into());
                ::blocking::unblock(move || handle.paths(from, to, &way, limit)).await
            }

            /// Writes the graph in a form that other programs read; answers the receiver.
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn export_graph<W: Write + Send + 'static>(
                &self,
                what: GraphExport,
                mut out: W,
            ) -> Result<W, Error> {
                let handle = self.0.clone();
                ::blocking::unblock(move || handle.export_graph(&what, &mut out).map(|()| out)).await
            }

            calls! {
                /// A triple with all its evidence.
                explain_triple(id: TripleId) -> ExplainedTriple;
                /// All triples with the memories that say them.
                triple_lines() -> Vec<TripleLine>;
                /// At most `limit` entities with numbers above `after`.
                list_entities(after: Option<EntityId>, limit: usize) -> Vec<Entity>;
                /// The links of a memory: those that leave it, then those that reach it.
                links(memory: MemoryId) -> Vec<Link>;
                /// The memories that one was derived from, then those that were derived from it.
                derivations(memory: MemoryId) -> (Vec<MemoryId>, Vec<MemoryId>);
                /// A memory as nodes and edges.
                subgraph(memory: MemoryId) -> Subgraph;
                /// What a memory says that cannot hold with what others say now.
                clashes(memory: MemoryId) -> Vec<Clash>;
                /// Which entities should be one.
                merge_candidates(after: Option<EntityId>, limit: usize) -> MergeCandidates;
                /// How similar two entities of a kind must be, where the profile learns that.
                merge_thresholds() -> BTreeMap<String, f64>;
                /// The merges that stand, the oldest first.
                merges() -> Vec<Merge>;
                /// The merges by which an entity is what it is.
                merge_history(entity: EntityId) -> Vec<Merge>;
                /// How much the graph holds.
                graph_stats() -> GraphStats;
            }
        })+
    };
}

questions!(Namespace, Snapshot);

impl Namespace {
    /// Stores a memory and what it says, in one transaction.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::remember_saying`].
    pub async fn remember_saying<M>(&self, memory: M, said: Vec<Assertion>) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.remember_saying::<NewMemory>(memory, &said)).await
    }

    /// Stores a memory with its nodes and edges, in one transaction.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::remember_subgraph`].
    pub async fn remember_subgraph<M>(&self, memory: M, subgraph: NewSubgraph) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.remember_subgraph::<NewMemory>(memory, &subgraph)).await
    }

    /// The same, but the embedder is asked once the memory is stored, by the worker.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::stage_subgraph`].
    pub async fn stage_subgraph<M>(&self, memory: M, subgraph: NewSubgraph) -> Result<(MemoryId, Asserted), Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.stage_subgraph::<NewMemory>(memory, &subgraph)).await
    }

    /// Replaces the text of a memory and what it says, in one transaction.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::update_saying`].
    pub async fn update_saying<M>(&self, id: MemoryId, memory: M, said: Vec<Assertion>) -> Result<MemoryId, Error>
    where
        M: TryInto<NewMemory>,
        Error: From<M::Error>,
    {
        let (handle, memory) = (self.0.clone(), memory.try_into()?);
        ::blocking::unblock(move || handle.update_saying::<NewMemory>(id, memory, &said)).await
    }

    /// Stores what a memory says.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::add_triples`].
    pub async fn add_triples(&self, memory: MemoryId, said: Vec<Assertion>) -> Result<Asserted, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.add_triples(memory, &said)).await
    }

    /// Deletes triples with all that memories say about them.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::delete_triples`].
    pub async fn delete_triples(&self, ids: Vec<TripleId>) -> Result<Effects, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.delete_triples(&ids)).await
    }

    /// Makes an entity that stays without any triple.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::add_entity`].
    pub async fn add_entity(&self, new: NewEntity) -> Result<EntityId, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.add_entity(&new)).await
    }

    /// Changes an entity.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::edit_entity`].
    pub async fn edit_entity(&self, id: EntityId, edit: EntityEdit) -> Result<Effects, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.edit_entity(id, &edit)).await
    }

    /// Makes one entity another.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::merge_entities`].
    pub async fn merge_entities(
        &self,
        source: EntityId,
        target: EntityId,
        reason: impl Into<String>,
    ) -> Result<Merge, Error> {
        let (handle, reason) = (self.0.clone(), reason.into());
        ::blocking::unblock(move || handle.merge_entities(source, target, &reason)).await
    }

    /// Makes what [`merge_candidates`](Self::merge_candidates) found one, with the reason and the likeness for which it was found.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::merge_found`].
    pub async fn merge_found(&self, found: MergeCandidate) -> Result<Merge, Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.merge_found(&found)).await
    }

    /// Links two memories.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::link`].
    pub async fn link(&self, from: MemoryId, relation: impl Into<String>, to: MemoryId) -> Result<(), Error> {
        let (handle, relation) = (self.0.clone(), relation.into());
        ::blocking::unblock(move || handle.link(from, &relation, to)).await
    }

    /// Makes links in one transaction: all of them or none.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::add_links`].
    pub async fn add_links(&self, links: Vec<NewLink>) -> Result<(), Error> {
        let handle = self.0.clone();
        ::blocking::unblock(move || handle.add_links(&links)).await
    }

    /// Takes a link away; answers whether it was there.
    ///
    /// # Errors
    /// As [`crate::blocking::Namespace::unlink`].
    pub async fn unlink(&self, from: MemoryId, relation: impl Into<String>, to: MemoryId) -> Result<bool, Error> {
        let (handle, relation) = (self.0.clone(), relation.into());
        ::blocking::unblock(move || handle.unlink(from, &relation, to)).await
    }

    calls! {
        /// How a memory came to be what it is, the earliest first.
        explain(id: MemoryId) -> Vec<Origin>;
        /// A memory as a record of its nodes and edges.
        graph_record(id: MemoryId) -> GraphRecord;
        /// Deletes an entity with all triples that speak of it.
        delete_entity(id: EntityId) -> Effects;
        /// The merges that were taken back, the oldest first.
        undone_merges() -> Vec<UndoneMerge>;
        /// Takes a merge back; no job makes it again.
        undo_merge(id: MergeId) -> Undone;
    }
}
