//! What memories say as triples, and how they hang together: entities, triples with their evidence,
//! links.

use std::time::Duration;

use annals_types::{MemoryId, Metadata, Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

pub use annals_graph::{
    Asserted, Assertion, Claim, ClaimEdit, ClashReason, Cut, Direction, EdgeRole, Effects,
    Embedding, Entity, EntityEdit, EntityId, Format, GraphStats, LabelId, MemoryEdge, Merge,
    MergeId, NewEntity, NewSubgraph, NodeKind, Subgraph, Support, Term, Tier, TripleId, TripleLine,
    TripleMetadata, Undone, View, Wording,
};

use crate::Error;

mod origin;
mod record;

pub use origin::{Origin, OriginStep};
pub use record::{
    EdgeEnd, EdgeRecord, EdgeType, GraphRecord, MemoryRecord, NodeRecord, RecordStatus,
};

/// An entity by its number, or all entities of a name or alias.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EntityRef {
    /// The one of this number.
    Id(EntityId),
    /// All that have this name, compared without regard to case and width.
    Name(String),
}

impl From<EntityId> for EntityRef {
    fn from(id: EntityId) -> Self {
        Self::Id(id)
    }
}

impl From<&str> for EntityRef {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for EntityRef {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

/// Which triples are asked for; every position given must be as given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripleQuery {
    /// What it speaks of.
    pub subject: Option<EntityRef>,
    /// What it says.
    pub predicate: Option<String>,
    /// What it leads to.
    pub object: Option<EntityRef>,
    /// Whether it says that it is not so.
    pub negated: Option<bool>,
    /// When: now, as of a storing time, valid at a time, with what sleeps. Now by default.
    pub view: View,
    /// Where the page begins, as [`TriplePage::next`] named it.
    pub after: Option<String>,
    /// The most triples of a page; 100 by default.
    pub limit: usize,
}

impl Default for TripleQuery {
    fn default() -> Self {
        Self {
            subject: None,
            predicate: None,
            object: None,
            negated: None,
            view: View::NOW,
            after: None,
            limit: 100,
        }
    }
}

impl TripleQuery {
    /// Only those about an entity.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<EntityRef>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Only those with a predicate.
    #[must_use]
    pub fn predicate(mut self, predicate: impl Into<String>) -> Self {
        self.predicate = Some(predicate.into());
        self
    }

    /// Only those that lead to an entity.
    #[must_use]
    pub fn object(mut self, object: impl Into<EntityRef>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// What is seen.
    #[must_use]
    pub const fn view(mut self, view: View) -> Self {
        self.view = view;
        self
    }

    /// The most triples of a page.
    #[must_use]
    pub const fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// A triple in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Triple {
    /// Its number.
    pub id: TripleId,
    /// Other triples that say the same since entities were merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<TripleId>,
    /// The name of what it speaks of.
    pub subject: String,
    /// What it says.
    pub predicate: String,
    /// The name of what it leads to.
    pub object: String,
    /// The subject after all merges.
    pub subject_id: EntityId,
    /// The object after all merges.
    pub object_id: EntityId,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// When it is so.
    pub condition: Option<String>,
    /// How much, how often: what the memory that spoke of it last says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
    /// Whether a memory supports it in what was asked; false only where sleeping triples were asked
    /// for.
    pub visible: bool,
}

impl Triple {
    /// What it says between its ends.
    #[must_use]
    pub fn wording(&self) -> Wording<'_> {
        Wording {
            predicate: &self.predicate,
            negated: self.negated,
            degree: self.degree.as_deref(),
            condition: self.condition.as_deref(),
        }
    }
}

/// As a sentence: `Ada not likes coffee (when: it rains)`.
impl std::fmt::Display for Triple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.wording().sentence(&self.subject, &self.object))
    }
}

/// Some of the triples that a query asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TriplePage {
    /// The triples.
    pub triples: Vec<Triple>,
    /// Where the next page begins; `None` on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What one memory says about a triple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The memory.
    pub memory: MemoryId,
    /// What it does for what it said: an earlier text of it is `superseded`.
    pub state: Support,
    /// Whether it supports the triple now.
    pub supports: bool,
    /// When it first said so.
    pub since: Timestamp,
    /// What it says beyond the triple.
    pub claim: Claim,
}

/// A triple with who says so. Numbers are put together from the memories that support it now, or
/// from all of them when it sleeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedTriple {
    /// The triple.
    #[serde(flatten)]
    pub triple: Triple,
    /// When it was first said.
    pub since: Timestamp,
    /// The greatest importance that a memory gives it.
    pub importance: f32,
    /// The greatest confidence of a memory.
    pub confidence: f32,
    /// The earliest beginning; `None` when a memory names none.
    pub valid_from: Option<Timestamp>,
    /// The latest end; `None` when a memory names none.
    pub valid_until: Option<Timestamp>,
    /// Who says so, in the order of storing.
    pub evidence: Vec<Evidence>,
}

/// A link to be made between two memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct NewLink {
    /// The memory that it leaves: a cause, a basis.
    pub from: MemoryId,
    /// What it says, out of the relations of the profile.
    pub relation: String,
    /// The memory that it reaches: an effect, what was derived.
    pub to: MemoryId,
    /// How much it matters, 0 to 1.
    pub weight: UnitScore,
    /// Free fields.
    pub metadata: Metadata,
}

impl NewLink {
    /// A link of full weight.
    pub fn new(from: MemoryId, relation: impl Into<String>, to: MemoryId) -> Self {
        Self {
            from,
            relation: relation.into(),
            to,
            weight: UnitScore::ONE,
            metadata: Metadata::new(),
        }
    }

    /// Sets how much it matters.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) outside 0 to 1.
    pub fn weight(mut self, weight: f32) -> Result<Self, Error> {
        self.weight = UnitScore::new("weight", weight)?;
        Ok(self)
    }
}

/// A link between two memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// The memory that it leaves.
    pub from: MemoryId,
    /// What it says, under the name that the profile stores.
    pub relation: String,
    /// The memory that it reaches.
    pub to: MemoryId,
    /// How much it matters, 0 to 1.
    pub weight: f32,
    /// When it was made.
    pub since: Timestamp,
    /// Whether both memories are in use.
    pub visible: bool,
    /// Free fields.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
}

/// An entity beside another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The entity.
    pub entity: Entity,
    /// The triple between them.
    pub triple: Triple,
    /// Whether the triple leads to it.
    pub outgoing: bool,
}

/// How a walk over entities goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walk {
    /// Greatest number of steps; 2 by default.
    pub depth: u32,
    /// Which way triples are followed; both by default.
    pub direction: Direction,
    /// Only triples with these predicates; all by default.
    pub predicates: Option<Vec<String>>,
    /// Entities with more triples are reached but not left again; no limit by default.
    pub max_degree: Option<u32>,
    /// What is seen; what is visible now by default.
    pub view: View,
    /// The most entities reached; 1,000 by default.
    pub nodes: usize,
    /// The most triples looked at; 20,000 by default.
    pub edges: usize,
    /// The longest time taken, by the clock of the file; no limit by default.
    pub time: Option<Duration>,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            depth: 2,
            direction: Direction::Both,
            predicates: None,
            max_degree: None,
            view: View::NOW,
            nodes: 1000,
            edges: 20_000,
            time: None,
        }
    }
}

/// An entity that a walk reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// The entity.
    pub entity: Entity,
    /// Steps from the nearest start.
    pub distance: u32,
    /// The entity from which it was first reached.
    pub from: EntityId,
    /// The triple by which it was.
    pub triple: Triple,
}

/// What a walk found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Expansion {
    /// Entities that are no starts, the nearest first.
    pub reached: Vec<Reached>,
    /// The limit that ended it early.
    pub cut: Option<Cut>,
}

/// The shortest ways between entities.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Paths {
    /// The triples of each path in their order, followed in either direction; all paths have the
    /// same length.
    pub paths: Vec<Vec<Triple>>,
    /// The limit that ended the search before it was complete.
    pub cut: Option<Cut>,
}

/// Two triples that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clash {
    /// What the memory says.
    pub triple: Triple,
    /// What cannot hold with it.
    pub other: Triple,
    /// Why.
    pub reason: ClashReason,
    /// The memories that say the other one now.
    pub memories: Vec<MemoryId>,
}

/// A merge that was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UndoneMerge {
    /// The merge as it was.
    #[serde(flatten)]
    pub merge: Merge,
    /// When it was taken back.
    pub undone_at: Timestamp,
}

/// Two entities that should be one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeCandidate {
    /// The entity that would become the other.
    pub source: Entity,
    /// The oldest of those that belong together.
    pub target: Entity,
    /// How similar they are, 0 to 1.
    pub similarity: f64,
    /// Why.
    pub tier: Tier,
}

/// Entities that should be one, among some.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MergeCandidates {
    /// Entities that were looked at.
    pub checked: usize,
    /// What should be merged, by the number of the source.
    pub candidates: Vec<MergeCandidate>,
    /// The entity to go on behind; `None` when all were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<EntityId>,
}

/// What is written by an export of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphExport {
    /// In which form.
    pub format: Format,
    /// Only what these memories say, and the links between them; everything when `None`.
    pub memories: Option<Vec<MemoryId>>,
    /// Also what sleeps.
    pub dormant: bool,
    /// What was known at this storing time; what is known now when `None`. What was deleted since
    /// is not seen.
    pub as_of: Option<Timestamp>,
}

impl GraphExport {
    /// Everything visible.
    #[must_use]
    pub const fn new(format: Format) -> Self {
        Self {
            format,
            memories: None,
            dormant: false,
            as_of: None,
        }
    }
}
