//! The jobs of the profiles, tried or run at once.

use std::sync::Arc;

use annals::Mode;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::{Admin, Limited};
use crate::extract::Json;
use crate::problem::Problem;

/// How jobs are run.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MaintainBody {
    /// Also those that are not due.
    #[serde(default)]
    force: bool,
    /// Change nothing, only tell what would be done.
    #[serde(default)]
    dry_run: bool,
}

/// Which jobs ran.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Maintained {
    /// In their order.
    jobs: Vec<MaintainedJob>,
}

/// A job that ran, or would have.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MaintainedJob {
    /// Its name.
    name: String,
    /// Its profile.
    profile: String,
    /// How many actions were planned, in a dry run.
    planned: usize,
}

/// Runs the jobs that are due, or all.
#[utoipa::path(
    post, path = "/v1/maintain", tag = "work",
    security(("token" = ["admin", "delete"]), ("session" = ["admin", "delete"])),
    request_body = MaintainBody, responses((status = 200, body = Maintained))
)]
pub(crate) async fn maintain(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
    Json(body): Json<MaintainBody>,
) -> Result<Json<Maintained>, Problem> {
    access.caller.reach_all()?;
    // Rules of a profile may delete.
    access.caller.need(crate::Right::Delete)?;
    let memory = app.memory.clone();
    let mode = if body.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let reports = app
        .run(move || Ok(memory.maintain(body.force, mode)?))
        .await?;
    let view = |report: annals::JobReport| MaintainedJob {
        name: report.job,
        profile: report.profile,
        planned: report.planned.len(),
    };
    Ok(Json(Maintained {
        jobs: reports.into_iter().map(view).collect(),
    }))
}
