//! Imports that can be taken back.

use annals::Timestamp;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Delete, Read, Space};
use crate::extract::{Json, path_value};
use crate::problem::{Kind, Problem};

/// The last imports.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportRuns {
    /// The last one first; at most twenty.
    imports: Vec<ImportRunView>,
}

/// An import that can be taken back.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ImportRun)]
pub(crate) struct ImportRunView {
    /// When it began: by this it is named.
    #[schema(value_type = String, format = DateTime)]
    began: Timestamp,
    /// Memories that it brought and that are there.
    memories: u64,
}

/// The last imports of files that can be taken back, one that is under way among them.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/imports", tag = "namespaces",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = ImportRuns))
)]
pub(crate) async fn list(space: Space<Read>) -> Result<Json<ImportRuns>, Problem> {
    let imports = space.run(|space| {
        let runs = space.transfer().import_runs()?;
        let view = |run: annals::ImportRun| ImportRunView {
            began: run.began,
            memories: run.memories,
        };
        Ok(runs.into_iter().map(view).collect())
    });
    Ok(Json(ImportRuns {
        imports: imports.await?,
    }))
}

/// The moment at which an import began.
pub(crate) struct Began(Timestamp);

impl FromRequestParts<std::sync::Arc<App>> for Began {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &std::sync::Arc<App>,
    ) -> Result<Self, Problem> {
        let text = path_value(parts, app, "began").await?;
        text.parse().map(Self).map_err(|_| {
            Problem::new(
                Kind::BadPath,
                "an import is named by the moment at which it began",
            )
            .at("began")
        })
    }
}

/// How much went with an import.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ImportUndone {
    /// Memories that were deleted, those among them that were made of others.
    deleted: u64,
}

/// Takes an import back: what it brought is deleted for good. The same file brings it again.
#[utoipa::path(
    delete, path = "/v1/namespaces/{ns}/imports/{began}", tag = "namespaces",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("began" = String, Path, description = "The moment at which it began", format = DateTime),
    ),
    responses((status = 200, body = ImportUndone))
)]
pub(crate) async fn undo(
    space: Space<Delete>,
    Began(began): Began,
) -> Result<Json<ImportUndone>, Problem> {
    let deleted = space.run(move |space| {
        if !space
            .transfer()
            .import_runs()?
            .iter()
            .any(|run| run.began == began)
        {
            return Err(Problem::new(
                Kind::NotFound,
                "no import that can be taken back began then",
            ));
        }
        Ok(space.transfer().undo_import(began)?)
    });
    Ok(Json(ImportUndone {
        deleted: deleted.await?,
    }))
}
