//! What memories are worth now, and what hangs together with them.

use annals::{MemoryId, Standing, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::auth::{Id, Read, Space};
use crate::dto::IdText;
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};
use crate::routes::memories::found;

/// Which memories.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StandingParams {
    /// The memories.
    #[param(value_type = Vec<IdText>)]
    id: Vec<MemoryId>,
}

/// What memories are worth now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Standings {
    /// In the order asked, without those that have no life of their own.
    standings: Vec<StandingView>,
}

/// What a memory is worth now under the profile of its namespace.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Standing)]
pub(crate) struct StandingView {
    /// The memory.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// How much it matters.
    importance: f64,
    /// Its score now.
    score: f64,
    /// Its class.
    class: String,
    /// How often it was of use.
    used: u32,
    /// How often it was returned, where the profile counts that.
    returned: u32,
    /// When it was last accessed.
    #[schema(value_type = String, format = DateTime)]
    last_access: Timestamp,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// When a rule may have something to do about it, at the earliest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    due_at: Option<Timestamp>,
}

fn view((id, standing): (MemoryId, Option<Standing>)) -> Option<StandingView> {
    let standing = standing?;
    Some(StandingView {
        id,
        importance: standing.importance,
        score: standing.score,
        class: standing.class,
        used: standing.used,
        returned: standing.returned,
        last_access: standing.last_access,
        expires_at: standing.expires_at,
        due_at: standing.due_at,
    })
}

/// What memories are worth now: score, class, use.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/standings", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), StandingParams),
    responses((status = 200, body = Standings))
)]
pub(crate) async fn standings(
    space: Space<Read>,
    Query(params): Query<StandingParams>,
) -> Result<Json<Standings>, Problem> {
    let most = space.app.limits.page;
    if params.id.len() > most {
        return Err(Problem::new(
            Kind::BadQuery,
            format!("{most} memories are asked for at most"),
        )
        .at("id"));
    }
    let standings = space.run(move |space| {
        let all = space.lifecycle().standings(&params.id)?;
        Ok(params.id.into_iter().zip(all).filter_map(view).collect())
    });
    Ok(Json(Standings {
        standings: standings.await?,
    }))
}

/// What a memory was derived from, and what was derived from it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Derivations {
    /// Its sources.
    #[schema(value_type = Vec<IdText>)]
    from: Vec<MemoryId>,
    /// What was made of it.
    #[schema(value_type = Vec<IdText>)]
    into: Vec<MemoryId>,
}

/// What a memory was derived from, and what was derived from it.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/memories/{id}/derivations", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = Derivations))
)]
pub(crate) async fn derivations(
    space: Space<Read>,
    Id(id): Id,
) -> Result<Json<Derivations>, Problem> {
    let found = space.run(move |space| {
        found(space, id)?;
        Ok(space.graph().derivations(id)?)
    });
    let (from, into) = found.await?;
    Ok(Json(Derivations { from, into }))
}

/// The links of a memory.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Links {
    /// Those from it and to it.
    links: Vec<LinkView>,
}

/// A link between two memories.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Link)]
pub(crate) struct LinkView {
    /// The memory that it leaves.
    #[schema(value_type = IdText)]
    from: MemoryId,
    /// What it says.
    relation: String,
    /// The memory that it reaches.
    #[schema(value_type = IdText)]
    to: MemoryId,
    /// How much it matters, 0 to 1.
    weight: f32,
}

/// The links from and to a memory.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/memories/{id}/links", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = Links))
)]
pub(crate) async fn links(space: Space<Read>, Id(id): Id) -> Result<Json<Links>, Problem> {
    let links = space.run(move |space| {
        found(space, id)?;
        Ok(space.graph().links(id)?)
    });
    let view = |link: annals::graph::Link| LinkView {
        from: link.from,
        relation: link.relation,
        to: link.to,
        weight: link.weight,
    };
    Ok(Json(Links {
        links: links.await?.into_iter().map(view).collect(),
    }))
}
