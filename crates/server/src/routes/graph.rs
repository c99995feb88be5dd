//! The graph: one thing and what is beside it, never the whole.

use annals::graph::{EntityId, Walk};

use super::work::PathNumber;
use crate::auth::{Read, Space};
use crate::dto::{Entities, EntityParams, Neighbours};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// The things of an answer where nothing is said.
const PAGE: usize = 50;

/// The neighbours of a thing that are looked at.
const NEIGHBOURS: usize = 100;

/// Things that memories speak of: those of a name, or the first of all.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/graph/entities", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), EntityParams),
    responses((status = 200, body = Entities))
)]
pub(crate) async fn entities(
    space: Space<Read>,
    Query(params): Query<EntityParams>,
) -> Result<Json<Entities>, Problem> {
    let (limit, most) = (params.limit.unwrap_or(PAGE), space.app.limits.page);
    if limit == 0 || limit > most {
        return Err(
            Problem::new(Kind::BadQuery, format!("a page has 1 to {most} things")).at("limit"),
        );
    }
    let found = space.run(move |space| {
        Ok(match params.name {
            Some(name) => space.graph().entities(&name)?,
            None => space.graph().list_entities(None, limit)?,
        })
    });
    Ok(Json(Entities {
        entities: found
            .await?
            .into_iter()
            .take(limit)
            .map(Into::into)
            .collect(),
    }))
}

/// What is beside a thing, one step away.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/graph/entities/{number}/neighbours", tag = "graph",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the thing"),
    ),
    responses((status = 200, body = Neighbours))
)]
pub(crate) async fn neighbours(
    space: Space<Read>,
    PathNumber(number): PathNumber,
) -> Result<Json<Neighbours>, Problem> {
    let missing = || Problem::new(Kind::NotFound, format!("there is no thing {number}"));
    let id = EntityId(u32::try_from(number).map_err(|_| missing())?);
    let found = space.run(move |space| {
        let way = Walk {
            depth: 1,
            ..Walk::default()
        };
        Ok(space.graph().neighbours(id, &way, NEIGHBOURS)?)
    });
    Ok(Json(Neighbours {
        neighbours: found.await?.into_iter().map(Into::into).collect(),
    }))
}
