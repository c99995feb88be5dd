//! A memory as a record of nodes and edges, in the form that goes into JSON and comes back: every
//! field by name, nothing to be looked up.

use std::fmt;
use std::str::FromStr;

use annals_graph::{EdgeRole, Embedding, EntityId};
use annals_types::{InvalidValue, MemoryId, Metadata, Status, Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

/// What an edge is, under the name that it has in records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EdgeType {
    /// From the subject to the topic, named by the type of the memory.
    #[serde(rename = "记忆类型")]
    MemoryType,
    /// From the topic to the object, or a statement for itself.
    #[serde(rename = "核心关系")]
    CoreRelation,
    /// From a node to the value of one of its attributes.
    #[serde(rename = "属性关系")]
    Attribute,
    /// From a memory to one that it caused.
    #[serde(rename = "因果关系")]
    Causality,
    /// From a memory to another one, for any other reason.
    #[serde(rename = "引用关系")]
    Reference,
}

impl EdgeType {
    /// Every type.
    pub const ALL: &'static [Self] = &[
        Self::MemoryType,
        Self::CoreRelation,
        Self::Attribute,
        Self::Causality,
        Self::Reference,
    ];

    /// The word under which it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MemoryType => "记忆类型",
            Self::CoreRelation => "核心关系",
            Self::Attribute => "属性关系",
            Self::Causality => "因果关系",
            Self::Reference => "引用关系",
        }
    }

    /// Whether it leads from a memory to a memory, and not from a node to a node.
    #[must_use]
    pub const fn joins_memories(self) -> bool {
        matches!(self, Self::Causality | Self::Reference)
    }
}

impl From<EdgeRole> for EdgeType {
    fn from(role: EdgeRole) -> Self {
        match role {
            EdgeRole::MemoryType => Self::MemoryType,
            EdgeRole::Attribute => Self::Attribute,
            _ => Self::CoreRelation,
        }
    }
}

impl fmt::Display for EdgeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for EdgeType {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let known = Self::ALL.iter().find(|kind| kind.as_str() == text).copied();
        let value = text.chars().take(60).collect();
        let allowed = "记忆类型, 核心关系, 属性关系, 因果关系, 引用关系";
        known.ok_or(InvalidValue::Unknown {
            field: "edge_type",
            value,
            allowed,
        })
    }
}

/// Where an edge begins or leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum EdgeEnd {
    /// A node, by its number.
    Node(EntityId),
    /// A memory, by its id.
    Memory(MemoryId),
}

/// A node of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NodeRecord {
    /// Its number.
    pub id: EntityId,
    /// What it is called.
    pub content: String,
    /// What it is: `主体`, `主题`, `客体`, `属性`, `值`, or another kind.
    pub node_type: Option<String>,
    /// What its name means; only nodes that are compared have it, once they were consolidated.
    pub embedding: Option<Embedding>,
    /// Free fields.
    pub metadata: Metadata,
    /// When it was first spoken of.
    pub created_at: Timestamp,
}

/// An edge of a memory, or a link to or from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
#[non_exhaustive]
pub struct EdgeRecord {
    /// `t` and the number of its triple; for a link both memories with the relation between them.
    pub id: String,
    /// Where it begins.
    pub source_id: EdgeEnd,
    /// Where it leads.
    pub target_id: EdgeEnd,
    /// What it says: `是`, `时间`, `因为` ...
    pub relation: String,
    /// Whether it says that it is not so; a field only where it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// How much, or how often; a field only where it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
    /// The condition under which it holds; a field only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What it is.
    pub edge_type: EdgeType,
    /// How much it matters, 0 to 1.
    pub importance: UnitScore,
    /// Free fields.
    pub metadata: Metadata,
    /// When it was first said.
    pub created_at: Timestamp,
}

/// An edge as it is read, before its ends are looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    id: String,
    source_id: EdgeEnd,
    target_id: EdgeEnd,
    relation: String,
    #[serde(default)]
    negated: bool,
    degree: Option<String>,
    condition: Option<String>,
    edge_type: EdgeType,
    importance: UnitScore,
    metadata: Metadata,
    created_at: Timestamp,
}

impl TryFrom<Unchecked> for EdgeRecord {
    type Error = String;

    fn try_from(edge: Unchecked) -> Result<Self, String> {
        let edge_type = edge.edge_type;
        let fits = |end| matches!(end, EdgeEnd::Memory(_)) == edge_type.joins_memories();
        if !fits(edge.source_id) || !fits(edge.target_id) {
            let ends = if edge_type.joins_memories() {
                "memories"
            } else {
                "nodes"
            };
            return Err(format!(
                "edge {:?}: both ends of {edge_type} must be {ends}",
                edge.id
            ));
        }
        Ok(Self {
            id: edge.id,
            source_id: edge.source_id,
            target_id: edge.target_id,
            relation: edge.relation,
            negated: edge.negated,
            degree: edge.degree,
            condition: edge.condition,
            edge_type,
            importance: edge.importance,
            metadata: edge.metadata,
            created_at: edge.created_at,
        })
    }
}

/// A memory with its nodes and edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MemoryRecord {
    /// Its id.
    pub id: MemoryId,
    /// The node that it is about; `None` for one that says no triple.
    pub subject_id: Option<EntityId>,
    /// Its kind.
    pub memory_type: String,
    /// Its nodes, in the order in which its edges speak of them.
    pub nodes: Vec<NodeRecord>,
    /// Its edges in the order they were said, then its links.
    pub edges: Vec<EdgeRecord>,
    /// How much it matters, on the scale of the profile.
    pub importance: f64,
    /// When it was stored.
    pub created_at: Timestamp,
    /// The last access that counted; the storing before the first.
    pub last_accessed: Timestamp,
    /// How often it was of use or returned.
    pub access_count: u32,
    /// What is left of its importance now.
    pub decay_factor: f64,
}

/// Where a memory is in its life, in the words of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordStatus {
    /// It waits for consolidation.
    Staged,
    /// It is in use.
    Consolidated,
    /// It is put aside.
    Archived,
    /// It is hidden.
    Forgotten,
}

impl From<Status> for RecordStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Staged => Self::Staged,
            Status::Archived => Self::Archived,
            Status::Forgotten => Self::Forgotten,
            _ => Self::Consolidated,
        }
    }
}

/// A memory as a record, with how it came to be what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GraphRecord {
    /// The memory.
    pub memory: MemoryRecord,
    /// Where it is in its life.
    pub status: RecordStatus,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it was consolidated; `None` while it is staged, and for one that never was.
    pub consolidated_at: Option<Timestamp>,
    /// The nodes that were merged into one of its nodes.
    pub merge_history: Vec<EntityId>,
}
