//! A memory as nodes and edges: subject, type, topic, object, attributes with their values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use annals_storage::Reads;
use annals_types::profile::GraphSettings;
use annals_types::{InvalidValue, NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::assertion::{Assertion, Claim, EdgeRole};
use crate::label::{self, LabelClass};
use crate::ledger::Ledger;
use crate::tables::EVIDENCE;
use crate::{
    Embedding, Entity, EntityId, GraphError, NewEntity, TripleId, Wording, entities, roster,
};

/// The role of a node in a memory, under the name that entities have as their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NodeKind {
    /// Whom the memory is about.
    #[serde(rename = "主体")]
    Subject,
    /// The topic.
    #[serde(rename = "主题")]
    Topic,
    /// The object: what the topic is done to, or is.
    #[serde(rename = "客体")]
    Object,
    /// The name of a circumstance.
    #[serde(rename = "属性")]
    Attribute,
    /// The value of a circumstance.
    #[serde(rename = "值")]
    Value,
}

impl NodeKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Subject,
        Self::Topic,
        Self::Object,
        Self::Attribute,
        Self::Value,
    ];

    /// The word under which it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Subject => "主体",
            Self::Topic => "主题",
            Self::Object => "客体",
            Self::Attribute => "属性",
            Self::Value => "值",
        }
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for NodeKind {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let known = Self::ALL.iter().find(|kind| kind.as_str() == text).copied();
        let value = text.chars().take(60).collect();
        known.ok_or(InvalidValue::Unknown {
            field: "node kind",
            value,
            allowed: "主体, 主题, 客体, 属性, 值",
        })
    }
}

/// A memory to be stored as nodes and edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct NewSubgraph {
    subject: String,
    memory_type: String,
    topic: String,
    object: Option<String>,
    relation: Option<String>,
    attributes: Vec<(String, String)>,
    topic_embedding: Option<Embedding>,
    object_embedding: Option<Embedding>,
    claim: Claim,
}

impl NewSubgraph {
    /// Whom it is about, what sort of memory it is, and what it is about.
    pub fn new(
        subject: impl Into<String>,
        memory_type: impl Into<String>,
        topic: impl Into<String>,
    ) -> Self {
        Self {
            subject: subject.into(),
            memory_type: memory_type.into(),
            topic: topic.into(),
            object: None,
            relation: None,
            attributes: Vec::new(),
            topic_embedding: None,
            object_embedding: None,
            claim: Claim::default(),
        }
    }

    /// The object: what the topic is done to, or is.
    pub fn object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// The predicate between topic and object, in place of the settings' one.
    pub fn relation(mut self, relation: impl Into<String>) -> Self {
        self.relation = Some(relation.into());
        self
    }

    /// Adds a circumstance.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.attributes.push((name.into(), value.into()));
        self
    }

    /// The embeddings of topic and object.
    pub fn embeddings(mut self, topic: Option<Embedding>, object: Option<Embedding>) -> Self {
        (self.topic_embedding, self.object_embedding) = (topic, object);
        self
    }

    /// The memory's claim on each edge; the role is set for each.
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claim = claim;
        self
    }

    /// The edges: subject to topic, topic to object, and from the object, or the topic where there
    /// is none, to the value of each attribute.
    #[must_use]
    pub fn assertions(&self, settings: &GraphSettings) -> Vec<Assertion> {
        let node = |kind: NodeKind, name: &str, embedding: Option<&Embedding>| {
            let node = NewEntity::new(name).kind(kind.as_str());
            embedding.map_or(node.clone(), |embedding| node.embedding(embedding.clone()))
        };
        let claim = |role| Claim {
            role,
            ..self.claim.clone()
        };
        let subject = node(NodeKind::Subject, &self.subject, None);
        let topic = node(NodeKind::Topic, &self.topic, self.topic_embedding.as_ref());
        let object = self
            .object
            .as_ref()
            .map(|name| node(NodeKind::Object, name, self.object_embedding.as_ref()));
        let typed = Assertion::new(subject, &self.memory_type, topic.clone())
            .claim(claim(EdgeRole::MemoryType));
        let mut edges = vec![typed];
        if let Some(object) = &object {
            let relation = self.relation.as_ref().unwrap_or(&settings.core_predicate);
            edges.push(
                Assertion::new(topic.clone(), relation, object.clone())
                    .claim(claim(EdgeRole::Core)),
            );
        }
        let owner = object.unwrap_or(topic);
        for (name, value) in &self.attributes {
            let value = node(NodeKind::Value, value, None);
            edges
                .push(Assertion::new(owner.clone(), name, value).claim(claim(EdgeRole::Attribute)));
        }
        edges
    }
}

/// One triple of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The triple.
    pub triple: TripleId,
    /// When it first said so.
    pub born: Timestamp,
    /// The claim beyond the triple.
    pub claim: Claim,
}

/// The triples of a memory, in the order they were said. Two rounds of reads.
///
/// # Errors
/// When it cannot be read.
pub fn said(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Vec<Said>, GraphError> {
    let member = roster::members(reads, ns, &[row])?
        .pop()
        .unwrap_or_default();
    let found = EVIDENCE.get_many(reads, member.supports.iter().map(|id| (ns, *id, row)))?;
    let mut said = Vec::with_capacity(found.len());
    for (triple, record) in member.supports.into_iter().zip(found) {
        let wrong = |reason: String| EVIDENCE.damaged((ns, triple, row), reason);
        let record = record.ok_or_else(|| wrong("the evidence is missing".to_owned()))?;
        said.push(Said {
            triple,
            born: record.born,
            claim: Claim::from_record(record).map_err(wrong)?,
        });
    }
    Ok(said)
}

/// An edge of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryEdge {
    /// Its triple.
    pub triple: TripleId,
    /// Where it begins, after all merges.
    pub source: EntityId,
    /// Where it leads, after all merges.
    pub target: EntityId,
    /// Its predicate.
    pub relation: String,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// The condition under which it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// When the memory first said so.
    pub born: Timestamp,
    /// The memory's claim on it.
    pub claim: Claim,
}

/// A memory as nodes and edges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Subgraph {
    /// The nodes, in the order in which edges speak of them.
    pub nodes: Vec<Entity>,
    /// The edges, in the order they were said.
    pub edges: Vec<MemoryEdge>,
}

/// The nodes and edges of a memory; none of either for one that the graph does not know.
///
/// # Errors
/// When they cannot be read.
pub fn subgraph(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Subgraph, GraphError> {
    let said = said(reads, ns, row)?;
    let mut ledger = Ledger::reader(reads, ns);
    ledger.load_triples(said.iter().map(|said| said.triple))?;
    let mut records = BTreeMap::new();
    for said in &said {
        records.insert(said.triple, *ledger.triple(said.triple)?);
    }
    ledger.load_entities(
        records
            .values()
            .flat_map(|record| [record.subject, record.object]),
    )?;
    let labels = records.values().flat_map(|record| {
        let condition = record
            .qualifier
            .condition()
            .map(|label| (LabelClass::Condition, label));
        std::iter::once((LabelClass::Predicate, record.predicate)).chain(condition)
    });
    let texts = label::texts(reads, ns, labels)?;
    let text = |class, label| texts.get(&(class, label)).cloned().unwrap_or_default();
    let mut subgraph = Subgraph::default();
    let mut order: Vec<EntityId> = Vec::new();
    let mut seen = BTreeSet::new();
    for said in said {
        let Some(record) = records.get(&said.triple) else {
            continue;
        };
        let (source, target) = (
            ledger.root(record.subject, true)?,
            ledger.root(record.object, true)?,
        );
        for id in [source, target] {
            if seen.insert(id) {
                order.push(id);
            }
        }
        subgraph.edges.push(MemoryEdge {
            triple: said.triple,
            source,
            target,
            relation: text(LabelClass::Predicate, record.predicate),
            negated: record.qualifier.negated(),
            condition: record
                .qualifier
                .condition()
                .map(|label| text(LabelClass::Condition, label)),
            born: said.born,
            claim: said.claim,
        });
    }
    subgraph.nodes = entities(reads, ns, &order)?.into_iter().flatten().collect();
    Ok(subgraph)
}

impl MemoryEdge {
    /// The words between its ends.
    #[must_use]
    pub fn wording(&self) -> Wording<'_> {
        Wording {
            predicate: &self.relation,
            negated: self.negated,
            degree: self.claim.degree.as_deref(),
            condition: self.condition.as_deref(),
        }
    }
}

impl Subgraph {
    fn name(&self, id: EntityId) -> &str {
        self.nodes
            .iter()
            .find(|node| node.id == id)
            .map(|node| node.name.as_str())
            .unwrap_or_default()
    }

    /// As a graph: `[我]--事实--[心情]--是--[不好]--时间--[2025-11-05 10:00]`. An edge that does not go on
    /// from the one before begins anew behind a semicolon.
    #[must_use]
    pub fn to_graph_text(&self) -> String {
        let mut text = String::new();
        let mut at = None;
        for edge in &self.edges {
            if at != Some(edge.source) {
                if at.is_some() {
                    text.push_str("; ");
                }
                text.push_str(&format!("[{}]", self.name(edge.source)));
            }
            text.push_str(&edge.wording().arrow(self.name(edge.target)));
            at = Some(edge.target);
        }
        text
    }

    /// As words: subject, topic and object, then each attribute with its value: `我 吃饭 白米饭，时间
    /// 2025-11-05`. Other statements stand for themselves, behind semicolons.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut statements: Vec<String> = Vec::new();
        let mut rest = String::new();
        for edge in &self.edges {
            let (source, target, said) = (
                self.name(edge.source),
                self.name(edge.target),
                edge.wording(),
            );
            match edge.claim.role {
                // Between these the predicate goes without saying.
                EdgeRole::MemoryType | EdgeRole::Core => {
                    let first =
                        (edge.claim.role == EdgeRole::MemoryType).then(|| source.to_owned());
                    let told = said.is_qualified().then(|| said.predicate());
                    words.extend(
                        first
                            .into_iter()
                            .chain(told)
                            .chain([format!("{target}{}", said.limits())]),
                    );
                }
                EdgeRole::Attribute => {
                    rest.push_str(&format!("，{} {target}{}", said.predicate(), said.limits()))
                }
                EdgeRole::Statement => statements.push(said.sentence(source, target)),
            }
        }
        if !words.is_empty() {
            statements.insert(0, words.join(" "));
        }
        statements.join("; ") + &rest
    }
}
