//! Whether the server lives and can work, and what it offers.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Limited, Read};
use crate::extract::Json;
use crate::problem::Problem;

/// That all is well.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
}

const OK: Health = Health { status: "ok" };

/// Whether the server answers. It looks at no memory.
#[utoipa::path(get, path = "/healthz", tag = "server", responses((status = 200, body = Health)))]
pub(crate) async fn healthz() -> Json<Health> {
    Json(OK)
}

/// Whether the memory can be read, so that the server can work.
#[utoipa::path(get, path = "/readyz", tag = "server", responses((status = 200, body = Health)))]
pub(crate) async fn readyz(State(app): State<Arc<App>>) -> Result<Json<Health>, Problem> {
    let memory = app.memory.clone();
    app.run(move || Ok(memory.stats()?)).await?;
    Ok(Json(OK))
}

static DOCUMENT: LazyLock<String> =
    LazyLock::new(|| crate::document().to_json().unwrap_or_default());

/// This description.
#[utoipa::path(
    get, path = "/openapi.json", tag = "server",
    responses((status = 200, description = "An OpenAPI 3.1 document", body = String, content_type = "application/json"))
)]
pub(crate) async fn openapi() -> impl IntoResponse {
    (
        [(header::CONTENT_TYPE, "application/json")],
        DOCUMENT.as_str(),
    )
}

/// What the server did, in the text form of Prometheus. The token reaches all namespaces.
#[utoipa::path(
    get, path = "/metrics", tag = "server", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(
    State(app): State<Arc<App>>,
    access: Limited<Read>,
) -> Result<impl IntoResponse, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let stats = app.run(move || Ok(memory.stats()?)).await?;
    let mut text = app.metrics.text();
    for (name, value) in [
        ("annals_file_bytes", stats.file_bytes),
        ("annals_namespaces", stats.namespaces),
        ("annals_memories", stats.memories),
        ("annals_memory_bytes", stats.memory_bytes),
    ] {
        text.push_str(&format!("# TYPE {name} gauge\n{name} {value}\n"));
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}
