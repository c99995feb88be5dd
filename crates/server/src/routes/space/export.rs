//! A namespace as a file for people.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use crate::auth::{Admin, Space};
use crate::problem::Problem;

/// All memories for people to read, a line each: id, kind, score and text, with tabs between them.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/export/text", tag = "namespaces",
    security(("token" = ["admin"]), ("session" = ["admin"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, description = "The file", body = String, content_type = "text/plain"))
)]
pub(crate) async fn text(space: Space<Admin>) -> Result<Response, Problem> {
    let bytes = space.run(|space| {
        let mut bytes = Vec::new();
        space.transfer().export_text(&mut bytes)?;
        Ok(bytes)
    });
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/plain; charset=utf-8"),
        ),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"memories.txt\""),
        ),
    ];
    Ok((headers, bytes.await?).into_response())
}
