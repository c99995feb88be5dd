//! Memories as records of nodes and edges.

use std::collections::BTreeSet;

use annals_graph as graph;
use annals_records::RecordError;
use annals_types::profile::RelationClass;
use annals_types::{MemoryId, UnitScore};

use crate::Error;
use crate::graph::{
    EdgeEnd, EdgeRecord, EdgeRole, EdgeType, EntityId, GraphRecord, Link, MemoryEdge, MemoryRecord,
    NodeRecord,
};
use crate::handles::GraphDesign;
use crate::handles::graph::Reader;
use annals_engine::compiled::CompiledProfile;

impl GraphDesign {
    pub(crate) fn record(&self, id: MemoryId) -> Result<GraphRecord, Error> {
        let missing = || RecordError::NotFound { id };
        let ns = self.space.id()?.ok_or_else(missing)?;
        let stored = self.space.get(id)?.ok_or_else(missing)?;
        let standing = self.space.lifecycle().standings(&[id])?.pop().flatten();
        let snapshot = self.space.engine.snapshot()?;
        let reader = Reader {
            engine: &self.space.engine,
            reads: &snapshot,
            ns,
        };
        let profile = self.space.engine.profiles.of(&snapshot, ns)?;
        let drawn = reader.subgraph(id)?;
        let typed = drawn
            .edges
            .iter()
            .find(|edge| edge.claim.role == EdgeRole::MemoryType);
        let subject_id = typed
            .or_else(|| drawn.edges.first())
            .map(|edge| edge.source);
        let mut edges = drawn
            .edges
            .iter()
            .map(edge)
            .collect::<Result<Vec<_>, _>>()?;
        edges.extend(
            reader
                .links(id)?
                .into_iter()
                .map(|link| linked(link, &profile))
                .collect::<Result<Vec<_>, _>>()?,
        );
        let nodes: Vec<EntityId> = drawn.nodes.iter().map(|node| node.id).collect();
        let mut merged = BTreeSet::new();
        for node in &nodes {
            merged.extend(
                reader
                    .merge_history(*node)?
                    .into_iter()
                    .map(|merge| merge.source),
            );
        }
        let embeddings = graph::embeddings(&snapshot, ns, &nodes)?;
        let node = |(node, embedding): (graph::Entity, Option<graph::Embedding>)| NodeRecord {
            id: node.id,
            content: node.name,
            node_type: node.kind,
            embedding,
            metadata: node.metadata,
            created_at: node.born,
        };
        let created_at = self
            .space
            .history(id)?
            .first()
            .map_or(stored.stored_at, |first| first.memory.stored_at);
        let importance = f64::from(stored.body.importance.get());
        let memory = MemoryRecord {
            id,
            subject_id,
            memory_type: stored.body.kind.as_str().to_owned(),
            nodes: drawn.nodes.into_iter().zip(embeddings).map(node).collect(),
            edges,
            importance: standing
                .as_ref()
                .map_or(importance, |standing| standing.importance),
            created_at,
            last_accessed: standing
                .as_ref()
                .map_or(created_at, |standing| standing.last_access),
            access_count: standing.as_ref().map_or(0, |standing| {
                standing.used.saturating_add(standing.returned)
            }),
            decay_factor: standing
                .as_ref()
                .map_or(importance, |standing| standing.retention),
        };
        let consolidated_at = standing.and_then(|standing| standing.consolidated_at);
        let merge_history = merged.into_iter().collect();
        Ok(GraphRecord {
            memory,
            status: stored.status.into(),
            created_at,
            consolidated_at,
            merge_history,
        })
    }
}

fn edge(edge: &MemoryEdge) -> Result<EdgeRecord, Error> {
    Ok(EdgeRecord {
        id: format!("t{}", edge.triple.0),
        source_id: EdgeEnd::Node(edge.source),
        target_id: EdgeEnd::Node(edge.target),
        relation: edge.relation.clone(),
        negated: edge.negated,
        degree: edge.claim.degree.clone(),
        condition: edge.condition.clone(),
        edge_type: edge.claim.role.into(),
        // Profiles may have a wider scale; an edge has this one.
        importance: UnitScore::new("importance", edge.claim.importance.get().min(1.0))?,
        metadata: edge.claim.metadata.clone(),
        created_at: edge.born,
    })
}

fn linked(link: Link, profile: &CompiledProfile) -> Result<EdgeRecord, Error> {
    let rules = &profile.settings.graph.relations;
    let causal = rules
        .iter()
        .any(|rule| rule.name == link.relation && rule.class == RelationClass::Causality);
    Ok(EdgeRecord {
        id: format!("{} {} {}", link.from, link.relation, link.to),
        source_id: EdgeEnd::Memory(link.from),
        target_id: EdgeEnd::Memory(link.to),
        relation: link.relation,
        negated: false,
        degree: None,
        condition: None,
        edge_type: if causal {
            EdgeType::Causality
        } else {
            EdgeType::Reference
        },
        importance: UnitScore::new("importance", link.weight)?,
        metadata: link.metadata,
        created_at: link.since,
    })
}
