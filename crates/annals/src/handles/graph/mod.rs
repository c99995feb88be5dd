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

use std::collections::BTreeMap;

use annals_types::{MemoryId, NamespaceId};

use crate::graph::{
    Asserted, Assertion, Clash, Effects, Entity, EntityEdit, EntityId, EntityRef, Expansion,
    ExplainedTriple, GraphExport, GraphStats, Link, Merge, MergeCandidate, MergeCandidates,
    MergeId, Neighbour, NewEntity, NewLink, NewSubgraph, Origin, Paths, Subgraph, TripleId,
    TripleLine, TriplePage, TripleQuery, Undone, UndoneMerge, Walk,
};
use crate::handles::{Namespace, Snapshot};
use annals_engine::Engine;

handles! {
    /// What memories say, as entities, triples and links between memories; [`merges`](Self::merges)
    /// makes entities one.
    pub struct Graph;
    example {
        /// ```
        /// use annals::graph::{Assertion, Walk};
        ///
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.graph().remember("Ada lives in Berlin.", &[Assertion::new("Ada", "lives in", "Berlin")])?;
        /// let near = user.graph().neighbours("Ada", &Walk::default(), 10)?;
        /// assert_eq!(near[0].entity.name, "Berlin");
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// use annals::graph::{Assertion, Walk};
        /// let said = vec![Assertion::new("Ada", "lives in", "Berlin")];
        /// user.graph().remember("Ada lives in Berlin.", said).await?;
        /// let near = user.graph().neighbours("Ada", Walk::default(), 10).await?;
        /// assert_eq!(near[0].entity.name, "Berlin");
        /// # Ok(()) }) }
        /// ```
    }

    /// The graph of a namespace as it was at one moment: the reading calls of
    /// [`Graph`](crate::Graph).
    pub struct SnapshotGraph(local);
    example {
        /// ```
        /// use annals::graph::Assertion;
        ///
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// user.graph().remember("Ada lives in Berlin.", &[Assertion::new("Ada", "lives in", "Berlin")])?;
        /// let then = user.snapshot()?.graph();
        /// assert_eq!(then.entities("Ada")?.len(), 1);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let then = user.snapshot().await?.graph();
        /// assert!(then.entities("Ada").await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }

    /// Entities that are one: found, merged and parted again.
    pub struct Merges;
    example {
        /// ```
        /// use annals::graph::NewEntity;
        ///
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let graph = user.graph();
        /// let short = graph.add_entity(&NewEntity::new("Ada"))?;
        /// let long = graph.add_entity(&NewEntity::new("Ada Lovelace"))?;
        /// let merge = graph.merges().merge(short, long, "one person")?;
        /// graph.merges().undo(merge.id)?;
        /// assert!(graph.merges().list()?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// use annals::graph::NewEntity;
        /// let graph = user.graph();
        /// let short = graph.add_entity(NewEntity::new("Ada")).await?;
        /// let long = graph.add_entity(NewEntity::new("Ada Lovelace")).await?;
        /// graph.merges().merge(short, long, "one person").await?;
        /// assert_eq!(graph.merges().list().await?.len(), 1);
        /// # Ok(()) }) }
        /// ```
    }

    /// The merges of a namespace as they were at one moment: the reading calls of
    /// [`Merges`](crate::Merges).
    pub struct SnapshotMerges(local);
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// let user = memory.namespace("user:42")?;
        /// let merges = user.snapshot()?.graph().merges();
        /// assert!(merges.list()?.is_empty());
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// let user = memory.namespace("user:42")?;
        /// let merges = user.snapshot().await?.graph().merges();
        /// assert!(merges.list().await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Graph {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct SnapshotGraph {
    pub(in crate::handles) snapshot: Snapshot,
}

#[derive(Debug, Clone)]
pub(crate) struct Merges {
    pub(in crate::handles) space: Namespace,
}

#[derive(Debug, Clone)]
pub(crate) struct SnapshotMerges {
    pub(in crate::handles) snapshot: Snapshot,
}

calls! {
    for Graph(serve_reads), SnapshotGraph(local);

    blocking {
        /// Writes the graph in a form that other programs read; memories are called by their ids.
        /// Takes memory for what is written. A namespace that does not exist has an empty graph.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for a memory that does not exist, or
        /// when `out` cannot be written.
        fn export(what: lend(GraphExport), out: writer) -> ();
    }

    calls {
        /// Triples by any of their positions, page by page.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has;
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when [`TripleQuery::after`] is no
        /// place of this query.
        fn triples(query: lend(TripleQuery)) -> TriplePage;
        example {
            /// ```
            /// use annals::graph::{Assertion, TripleQuery};
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.graph().remember("Ada lives in Berlin.", &[Assertion::new("Ada", "lives in", "Berlin")])?;
            /// let page = user.graph().triples(&TripleQuery::default())?;
            /// assert_eq!(page.triples[0].predicate, "lives in");
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// A triple with all its evidence.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn explain_triple(id: own(TripleId)) -> ExplainedTriple;

        /// All triples with the memories that say them, those that sleep included, by predicate and
        /// age.
        ///
        /// # Errors
        /// When they cannot be read.
        fn lines() -> Vec<TripleLine>;

        /// The entities of a name or alias, compared without regard to case and width, the oldest
        /// first; merged ones as what they became.
        ///
        /// # Errors
        /// When they cannot be read.
        fn entities(name: text) -> Vec<Entity>;

        /// At most `limit` entities with numbers above `after`, in the order of their numbers,
        /// merged ones included.
        ///
        /// # Errors
        /// When they cannot be read.
        fn list_entities(after: own(Option<EntityId>), limit: own(usize)) -> Vec<Entity>;

        /// At most `limit` neighbours of an entity, over what `way` allows: by triples that leave
        /// it, then by those that reach it.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
        fn neighbours(of: into(EntityRef), way: lend(Walk), limit: own(usize)) -> Vec<Neighbour>;

        /// Walks from some entities, breadth first. What was found before a limit is answered, with
        /// the limit.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
        fn expand(from: slice(EntityRef), way: lend(Walk)) -> Expansion;

        /// At most `limit` of the shortest ways from one entity to another, of at most
        /// [`Walk::depth`] steps. Several entities of a name are all meant; a way without a step
        /// says that both ends are one entity.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for an entity number that none has.
        fn paths(from: into(EntityRef), to: into(EntityRef), way: lend(Walk), limit: own(usize)) -> Paths;
        example {
            /// ```
            /// use annals::graph::{Assertion, Walk};
            ///
            /// let memory = annals::Options::new().in_memory()?;
            /// let user = memory.namespace("user:42")?;
            /// user.graph().remember("Ada lives in Berlin.", &[Assertion::new("Ada", "lives in", "Berlin")])?;
            /// user.graph().remember("Berlin has a zoo.", &[Assertion::new("Berlin", "has", "zoo")])?;
            /// let found = user.graph().paths("Ada", "zoo", &Walk::default(), 1)?;
            /// assert_eq!(found.paths[0].len(), 2);
            /// # Ok::<(), annals::Error>(())
            /// ```
        }

        /// The links of a memory: those that leave it, then those that reach it.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn links(memory: own(MemoryId)) -> Vec<Link>;

        /// The memories that one was derived from, then those that were derived from it.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn derivations(memory: own(MemoryId)) -> (Vec<MemoryId>, Vec<MemoryId>);

        /// A memory as nodes and edges, in the order in which it said them; nothing of either for
        /// one that says no triple.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn subgraph(memory: own(MemoryId)) -> Subgraph;

        /// What a memory says that cannot hold with what others say now, by the profile's opposites
        /// and predicates of a single value.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn clashes(memory: own(MemoryId)) -> Vec<Clash>;

        /// How much the graph holds.
        ///
        /// # Errors
        /// When it cannot be read.
        fn stats() -> GraphStats;
    }
}

calls! {
    for Graph;

    handles {
        /// Entities that are one.
        fn merges() -> Merges;
    }

    calls {
        /// Makes an entity that stays without any triple, or keeps the one that has its name and
        /// kind where the profile unifies. A namespace that does not exist is made.
        ///
        /// # Errors
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name, kind or field that is not
        /// allowed.
        fn add_entity(new: lend(NewEntity)) -> EntityId;

        /// Changes an entity; triples and evidence stay as they are.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name, kind or field that is not
        /// allowed.
        fn edit_entity(id: own(EntityId), edit: lend(EntityEdit)) -> Effects;

        /// Deletes an entity with all triples that speak of it, in one transaction; the memories
        /// stay.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn delete_entity(id: own(EntityId)) -> Effects;

        /// Links two memories. A link that is there already stays as it is.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the memory that does not
        /// exist; [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a relation that the profile
        /// does not know, with those that it knows, or when both are the same memory. Nothing is
        /// stored then.
        fn link(from: own(MemoryId), relation: text, to: own(MemoryId)) -> ();

        /// Makes links in one transaction: all of them or none. One that is there keeps the greater
        /// weight and gets the new fields.
        ///
        /// # Errors
        /// As [`link`](Self::link).
        fn add_links(links: slice(NewLink)) -> ();

        /// Takes a link away; answers whether it was there.
        ///
        /// # Errors
        /// As [`link`](Self::link).
        fn unlink(from: own(MemoryId), relation: text, to: own(MemoryId)) -> bool;

        /// How a memory came to be what it is, the earliest first: who stored it, what it was
        /// derived from and says, which of its nodes became one with others, its links, its
        /// consolidation, what was decided about it, its changes of text and status, and its last
        /// use.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn explain(id: own(MemoryId)) -> Vec<Origin>;

        /// Stores a memory and what it says, in one transaction. Where the profile compares new
        /// memories with known ones, a known one may be the one that says it from then on: its id
        /// is answered.
        ///
        /// # Errors
        /// As [`remember`](crate::Namespace::remember) and [`add_triples`](Self::add_triples).
        /// Nothing is stored then.
        fn remember(memory: memory, said: slice(Assertion)) -> (MemoryId, Asserted);

        /// Stores a memory with its nodes and edges, in one transaction. The predicate between
        /// topic and object, where none is named, is the profile's.
        ///
        /// # Errors
        /// As [`remember`](Self::remember).
        fn remember_subgraph(memory: memory, subgraph: lend(NewSubgraph)) -> (MemoryId, Asserted);

        /// The same, but the embedder is asked once the memory is stored, by the worker: until then
        /// it is found by its words.
        ///
        /// # Errors
        /// As [`remember`](Self::remember); the embedder is none.
        fn stage_subgraph(memory: memory, subgraph: lend(NewSubgraph)) -> (MemoryId, Asserted);

        /// Replaces the text of a memory and what it says, in one transaction: what the new text
        /// does not say any more is only seen as of earlier times, or gone where the profile keeps
        /// no history of updates.
        ///
        /// # Errors
        /// As [`update`](crate::Namespace::update) and [`add_triples`](Self::add_triples). Nothing
        /// is changed then.
        fn update(id: own(MemoryId), memory: memory, said: slice(Assertion)) -> MemoryId;

        /// Stores what a memory says, in one transaction: each assertion becomes the triple that
        /// says so already, or a new one, with this memory as evidence. Of what the memory said of
        /// it before, what an assertion sets changes and the rest stays. Triples go to sleep with
        /// their last memory in use, and go with their last memory.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such memory, or an
        /// entity is named by a number that none has;
        /// [`ErrorKind::Conflict`](crate::ErrorKind::Conflict) when the memory has been superseded;
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for a name, predicate or number that
        /// is not allowed. Nothing is stored then.
        fn add_triples(memory: own(MemoryId), assertions: slice(Assertion)) -> Asserted;

        /// Deletes triples with all that memories say about them, in one transaction; the memories
        /// stay. Answers what went.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), naming the first that does not
        /// exist; then none is deleted.
        fn delete_triples(ids: slice(TripleId)) -> Effects;
    }
}

calls! {
    for SnapshotGraph(local);

    handles {
        /// Entities that are one.
        fn merges() -> SnapshotMerges;
    }
}

calls! {
    for Merges(serve_reads), SnapshotMerges(local);

    calls {
        /// Which entities should be one under the profile's thresholds: those with a name and kind
        /// in common, and those whose names are similar to the embedder, within their context where
        /// the profile asks for that. At most `limit` entities above `after` are looked at, each
        /// compared with the others of that page, which takes time with the square of their number;
        /// merges nothing.
        ///
        /// # Errors
        /// [`ErrorKind::Embedder`](crate::ErrorKind::Embedder), or what the file says.
        fn candidates(after: own(Option<EntityId>), limit: own(usize)) -> MergeCandidates;

        /// How similar two entities of a kind must be to be compared by their context, for kinds of
        /// which merges were made, where the profile learns that from merges that were taken back;
        /// nothing otherwise, for then it is what the profile says.
        ///
        /// # Errors
        /// When it cannot be read.
        fn thresholds() -> BTreeMap<String, f64>;

        /// The merges that stand, the oldest first.
        ///
        /// # Errors
        /// When they cannot be read.
        fn list() -> Vec<Merge>;

        /// The merges by which an entity, or what it became, is what it is, the oldest first.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
        fn history(entity: own(EntityId)) -> Vec<Merge>;
    }
}

calls! {
    for Merges;

    calls {
        /// Makes one entity another: from now on its triples meet where the other one is.
        /// [`undo`](Self::undo) takes it back.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when both are one already, or the
        /// reason has more than 256 bytes.
        fn merge(source: own(EntityId), target: own(EntityId), reason: text) -> Merge;

        /// Makes what [`candidates`](Self::candidates) found one, with the reason and the likeness
        /// for which it was found.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound);
        /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when both are one already.
        fn accept(found: lend(MergeCandidate)) -> Merge;

        /// The merges that were taken back, the oldest first. What was taken apart stays so: no job
        /// makes entities of these names one again until somebody merges them by hand.
        ///
        /// # Errors
        /// When they cannot be read.
        fn undone() -> Vec<UndoneMerge>;

        /// Takes a merge back: the entity is itself again, with all triples that it had. No job
        /// merges the two again.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for one that does not exist or was
        /// undone.
        fn undo(id: own(MergeId)) -> Undone;
    }
}

impl Graph {
    pub(crate) fn merges(&self) -> Merges {
        Merges {
            space: self.space.clone(),
        }
    }
}

impl SnapshotGraph {
    pub(crate) fn merges(&self) -> SnapshotMerges {
        SnapshotMerges {
            snapshot: self.snapshot.clone(),
        }
    }
}

/// One state of a namespace's graph.
pub(super) struct Reader<'a> {
    pub(super) engine: &'a Engine,
    pub(super) reads: &'a annals_storage::Snapshot,
    pub(super) ns: NamespaceId,
}
