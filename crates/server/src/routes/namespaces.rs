//! Namespaces, and the file as a whole.

use std::sync::Arc;

use annals::{Mode, profiles};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::auth::{Admin, Limited, Read, Space};
use crate::dto::{
    DeleteParams, FileStats, NamespaceReceipt, NamespaceView, Namespaces, NewNamespace,
};
use crate::extract::{Json, Query};
use crate::problem::Problem;

/// Sizes and counts of the whole file. The token reaches all namespaces.
#[utoipa::path(
    get, path = "/v1/stats", tag = "server", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = FileStats))
)]
pub(crate) async fn stats(
    State(app): State<Arc<App>>,
    access: Limited<Read>,
) -> Result<Json<FileStats>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let stats = app.run(move || Ok(memory.stats()?)).await?;
    Ok(Json(stats.into()))
}

/// The namespaces that the caller reaches, by name.
#[utoipa::path(
    get, path = "/v1/namespaces", tag = "namespaces", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = Namespaces))
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    access: Limited<Read>,
) -> Result<Json<Namespaces>, Problem> {
    let memory = app.memory.clone();
    let all = app.run(move || Ok(memory.namespaces()?)).await?;
    let reached = all
        .into_iter()
        .filter(|stats| access.caller.grant.reaches(&stats.name));
    Ok(Json(Namespaces {
        namespaces: reached.map(NamespaceView::from).collect(),
    }))
}

/// Sizes and counts of a namespace.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}", tag = "namespaces", security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = NamespaceView))
)]
pub(crate) async fn show(space: Space<Read>) -> Result<Json<NamespaceView>, Problem> {
    let stats = space.run(|space| Ok(space.admin().stats()?)).await?;
    Ok(Json(stats.into()))
}

/// Makes a namespace with a profile. One comes into being with its first memory, too.
#[utoipa::path(
    put, path = "/v1/namespaces/{ns}", tag = "namespaces", security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = NewNamespace,
    responses((status = 201, body = NamespaceView))
)]
pub(crate) async fn create(
    space: Space<Admin>,
    Json(new): Json<NewNamespace>,
) -> Result<Response, Problem> {
    let memory = space.app.memory.clone();
    let made = space.run(move |space| {
        let profile = new.profile.as_deref().unwrap_or(profiles::DEFAULT);
        Ok(memory
            .create_namespace(space.name(), profile)?
            .admin()
            .stats()?)
    });
    Ok((StatusCode::CREATED, Json(NamespaceView::from(made.await?))).into_response())
}

/// Deletes a namespace with all its bytes, or tells what would go.
#[utoipa::path(
    delete, path = "/v1/namespaces/{ns}", tag = "namespaces",
    security(("token" = ["admin", "delete"]), ("session" = ["admin", "delete"])),
    params(("ns" = String, Path, description = "The name of the namespace"), DeleteParams),
    responses((status = 200, body = NamespaceReceipt))
)]
pub(crate) async fn delete(
    space: Space<Admin>,
    Query(params): Query<DeleteParams>,
) -> Result<Json<NamespaceReceipt>, Problem> {
    space.caller.need(crate::Right::Delete)?;
    let memory = space.app.memory.clone();
    let mode = if params.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let receipt = space
        .run(move |space| Ok(memory.delete_namespace(space.name(), mode)?))
        .await?;
    Ok(Json(receipt.into()))
}
