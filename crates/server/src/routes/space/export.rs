//! A namespace as a file.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::auth::{Read, Space};
use crate::extract::Query;
use crate::problem::Problem;

/// The form of a file.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// Lines of JSON that can be imported again.
    #[default]
    Json,
    /// A line for each memory: id, kind, score and text, with tabs between them.
    Txt,
}

/// How it is exported.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportParams {
    /// The form: `json`, or `txt` for people.
    #[param(inline)]
    format: ExportFormat,
}

/// Everything that a namespace holds, as a file.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/export", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ExportParams),
    responses((status = 200, description = "The file", body = String, content_type = "text/plain"))
)]
pub(crate) async fn export(space: Space<Read>, Query(params): Query<ExportParams>) -> Result<Response, Problem> {
    let bytes = space.run(move |space| {
        let mut bytes = Vec::new();
        match params.format {
            ExportFormat::Json => space.transfer().export(&mut bytes, &mut |_| {})?,
            ExportFormat::Txt => space.transfer().export_text(&mut bytes)?,
        };
        Ok(bytes)
    });
    let (media_type, name) = match params.format {
        ExportFormat::Json => ("application/jsonl; charset=utf-8", "attachment; filename=\"memories.jsonl\""),
        ExportFormat::Txt => ("text/plain; charset=utf-8", "attachment; filename=\"memories.txt\""),
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static(name)),
    ];
    Ok((headers, bytes.await?).into_response())
}
