//! Many memories at once, by a filter.

use std::sync::Arc;

use annals::{Filter, Mode};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::auth::{Delete, Space, Write};
use crate::dto::{BulkBody, Receipt, TaskNumber};
use crate::extract::{Json, Sent};
use crate::problem::Problem;
use crate::requests::Once;

const fn mode(dry_run: bool) -> Mode {
    if dry_run { Mode::DryRun } else { Mode::Commit }
}

/// Hides all memories that pass a filter, or tells which they are.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/bulk/forget", tag = "bulk",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = BulkBody, responses((status = 200, body = Receipt))
)]
pub(crate) async fn forget(
    space: Space<Write>,
    once: Once,
    Sent { value, digest }: Sent<BulkBody>,
) -> Result<Json<Receipt>, Problem> {
    let (filter, mode) = (Filter::try_from(value.filter)?, mode(value.dry_run));
    let caller = Arc::clone(&space.caller);
    let receipt = space
        .write(&once, &digest, move |space, _| {
            Ok(space.bulk().forget_where(&filter, mode)?)
        })
        .await?;
    Ok(Json(caller.shown(receipt.into())))
}

/// Deletes all memories that pass a filter for good, in one transaction, or tells what would go.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/bulk/delete", tag = "bulk",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = BulkBody, responses((status = 200, body = Receipt))
)]
pub(crate) async fn delete(
    space: Space<Delete>,
    once: Once,
    Sent { value, digest }: Sent<BulkBody>,
) -> Result<Json<Receipt>, Problem> {
    let (filter, mode) = (Filter::try_from(value.filter)?, mode(value.dry_run));
    let caller = Arc::clone(&space.caller);
    let receipt = space
        .write(&once, &digest, move |space, _| {
            Ok(space.bulk().delete_where(&filter, mode)?)
        })
        .await?;
    Ok(Json(caller.shown(receipt.into())))
}

/// Deletes all memories that pass a filter for good, in the background, 500 at a time; the queue
/// shows how far it is. `dry_run` has no meaning here.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/bulk/delete-later", tag = "bulk",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = BulkBody, responses((status = 202, body = TaskNumber))
)]
pub(crate) async fn delete_later(
    space: Space<Delete>,
    Json(body): Json<BulkBody>,
) -> Result<Response, Problem> {
    let filter = Filter::try_from(body.filter)?;
    let number = space
        .run(move |space| Ok(space.queue().delete(&filter)?))
        .await?;
    Ok((StatusCode::ACCEPTED, Json(TaskNumber { number })).into_response())
}
