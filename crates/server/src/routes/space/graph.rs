//! Entities and their neighbours: as much of the graph as is asked for, never the whole.

use annals::MemoryId;
use annals::blocking::Namespace;
use annals::graph::{Entity, EntityId, EntityRef, Neighbour, View, Walk};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::page_size;
use crate::auth::{Read, Space};
use crate::dto::{EntityView, IdText};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};
use crate::routes::memories::found;

/// Which entities.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ThingParams {
    /// Those of this name or alias.
    name: Option<String>,
    /// The most entities of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Go on behind this number: the `next` of a page.
    after: Option<u32>,
}

/// A page of entities.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EntityPage {
    /// In the order of their finding.
    entities: Vec<EntityView>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u32>,
    /// How many there are on all pages.
    total: u32,
}

/// Entities: all, page by page, or those of a name.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/things", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ThingParams),
    responses((status = 200, body = EntityPage))
)]
pub(crate) async fn things(
    space: Space<Read>,
    Query(params): Query<ThingParams>,
) -> Result<Json<EntityPage>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let graph = space.graph();
        if let Some(name) = params.name.filter(|name| !name.trim().is_empty()) {
            let entities: Vec<EntityView> = graph
                .entities(&name)?
                .into_iter()
                .map(EntityView::from)
                .collect();
            let total = u32::try_from(entities.len()).unwrap_or(u32::MAX);
            return Ok(EntityPage {
                entities,
                next: None,
                total,
            });
        }
        let found = graph.list_entities(params.after.map(EntityId), limit)?;
        let next = if found.len() < limit {
            None
        } else {
            found.last().map(|entity| entity.id.0)
        };
        let entities = found.into_iter().map(EntityView::from).collect();
        Ok(EntityPage {
            entities,
            next,
            total: graph.stats()?.entities,
        })
    });
    Ok(Json(page.await?))
}

/// Whose neighbours.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NeighbourParams {
    /// Of the entities of this name.
    of: Option<String>,
    /// Of this memory.
    #[param(value_type = Option<IdText>)]
    memory: Option<MemoryId>,
    /// The most neighbours; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
}

/// A part of the graph.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Net {
    /// Entities and memories.
    nodes: Vec<Node>,
    /// What is between them.
    edges: Vec<Edge>,
}

/// An entity or a memory.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Node {
    /// The id of the memory, or the number of the entity as text.
    id: String,
    /// The name, or the beginning of the text.
    name: String,
    /// The kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Whether it is a memory.
    memory: bool,
}

/// A triple or a link.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Edge {
    /// The node that it leaves.
    from: String,
    /// What it says.
    predicate: String,
    /// The node that it reaches.
    to: String,
}

/// The characters of the text of a memory that stands in a net.
const START: usize = 80;

impl Net {
    fn entity(&mut self, entity: &Entity) {
        let id = entity.id.0.to_string();
        if self.nodes.iter().all(|node| node.id != id) {
            self.nodes.push(Node {
                id,
                name: entity.name.clone(),
                kind: entity.kind.clone(),
                memory: false,
            });
        }
    }

    fn memory(&mut self, space: &Namespace, id: MemoryId) -> Result<(), Problem> {
        let name = id.to_string();
        if self.nodes.iter().any(|node| node.id == name) {
            return Ok(());
        }
        if let Some(memory) = space.get(id)? {
            let text = memory.body.text.chars().take(START).collect();
            let kind = Some(memory.body.kind.as_str().to_owned());
            self.nodes.push(Node {
                id: name,
                name: text,
                kind,
                memory: true,
            });
        }
        Ok(())
    }

    fn edge(&mut self, from: impl ToString, predicate: impl Into<String>, to: impl ToString) {
        self.edges.push(Edge {
            from: from.to_string(),
            predicate: predicate.into(),
            to: to.to_string(),
        });
    }
}

fn around_name(space: &Namespace, name: &str, limit: usize) -> Result<Net, Problem> {
    let mut net = Net::default();
    let graph = space.graph();
    let starts = graph.entities(name)?;
    if starts.is_empty() {
        return Err(Problem::new(
            Kind::NotFound,
            format!("nothing is called {name:?}"),
        ));
    }
    let one_step = Walk {
        depth: 1,
        view: View::NOW,
        ..Walk::default()
    };
    for start in &starts {
        net.entity(start);
        for Neighbour { entity, triple, .. } in
            graph.neighbours(EntityRef::Id(start.id), &one_step, limit)?
        {
            net.entity(&entity);
            let says = if triple.negated {
                format!("¬ {}", triple.predicate)
            } else {
                triple.predicate
            };
            net.edge(triple.subject_id.0, says, triple.object_id.0);
        }
    }
    Ok(net)
}

fn around_memory(space: &Namespace, id: MemoryId, limit: usize) -> Result<Net, Problem> {
    let mut net = Net::default();
    found(space, id)?;
    net.memory(space, id)?;
    for link in space.graph().links(id)?.into_iter().take(limit) {
        net.memory(space, link.from)?;
        net.memory(space, link.to)?;
        net.edge(link.from, link.relation, link.to);
    }
    let (sources, made) = space.graph().derivations(id)?;
    for source in sources.into_iter().take(limit) {
        net.memory(space, source)?;
        net.edge(id, "derived_from", source);
    }
    for one in made.into_iter().take(limit) {
        net.memory(space, one)?;
        net.edge(one, "derived_from", id);
    }
    Ok(net)
}

/// What is one step away from an entity or a memory.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/neighbours", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), NeighbourParams),
    responses((status = 200, body = Net))
)]
pub(crate) async fn neighbours(
    space: Space<Read>,
    Query(params): Query<NeighbourParams>,
) -> Result<Json<Net>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let net = space.run(move |space| match (params.of, params.memory) {
        (Some(name), None) => around_name(space, &name, limit),
        (None, Some(id)) => around_memory(space, id, limit),
        _ => Err(Problem::new(Kind::BadQuery, "either `of` or `memory` is given").at("of")),
    });
    Ok(Json(net.await?))
}
