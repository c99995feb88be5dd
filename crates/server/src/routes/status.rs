//! Memories that are hidden, put aside, or brought back.

use std::sync::Arc;

use annals::MemoryId;
use annals::blocking::Namespace;
use axum::response::Response;

use super::memories::{found, tagged};
use crate::app::Turn;
use crate::auth::{Digest, Id, Space, Write};
use crate::dto::{MemoryView, Undone};
use crate::extract::Json;
use crate::problem::Problem;
use crate::requests::Once;

/// Hides a memory until it is restored.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/{id}/forget", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = MemoryView))
)]
pub(crate) async fn forget(
    space: Space<Write>,
    Id(id): Id,
    once: Once,
) -> Result<Response, Problem> {
    change(space, id, once, move |space| Ok(space.forget(id)?)).await
}

/// Puts a memory aside: it is found only when archived memories are asked for.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/{id}/archive", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = MemoryView))
)]
pub(crate) async fn archive(
    space: Space<Write>,
    Id(id): Id,
    once: Once,
) -> Result<Response, Problem> {
    change(space, id, once, move |space| Ok(space.archive(id)?)).await
}

/// Brings a forgotten or archived memory back.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/{id}/restore", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = MemoryView))
)]
pub(crate) async fn restore(
    space: Space<Write>,
    Id(id): Id,
    once: Once,
) -> Result<Response, Problem> {
    change(space, id, once, move |space| Ok(space.restore(id)?)).await
}

/// Takes back the last change that a caller made of a memory.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/{id}/undo", tag = "memories",
    security(("token" = ["write", "delete"]), ("session" = ["write", "delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = Undone))
)]
pub(crate) async fn undo(space: Space<Write>, Id(id): Id) -> Result<Json<Undone>, Problem> {
    // What was just stored is deleted for good.
    space.caller.need(crate::Right::Delete)?;
    let caller = Arc::clone(&space.caller);
    let undone = space.run(move |space| Ok(space.undo(id)?)).await?;
    Ok(Json(caller.shown(undone.into())))
}

async fn change(
    space: Space<Write>,
    id: MemoryId,
    once: Once,
    work: impl FnOnce(&Namespace) -> Result<(), Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let caller = Arc::clone(&space.caller);
    let changed = space
        .write(&once, &Digest::of(""), move |space, turn| {
            if turn == Turn::First {
                work(space)?;
            }
            found(space, id)
        })
        .await?;
    tagged(changed, &caller)
}
