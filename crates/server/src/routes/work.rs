//! Background work, jobs, and what models cost.

use std::sync::Arc;

use annals::Mode;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;

use crate::app::App;
use crate::auth::{Admin, Limited, Read, Space, Write};
use crate::dto::{Costs, Jobs, Number, Queue};
use crate::extract::{Json, path_value};
use crate::problem::{Kind, Problem};

/// The pieces of work that are listed.
const MOST: usize = 500;

/// The number that the path names.
pub(crate) struct PathNumber(pub(crate) u64);

impl FromRequestParts<Arc<App>> for PathNumber {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let text = path_value(parts, app, "number").await?;
        let bad = |_| Problem::new(Kind::BadPath, "a number is needed here").at("number");
        text.parse().map(Self).map_err(bad)
    }
}

/// Background work that waits, runs, or was given up.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/queue", tag = "work", security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = Queue))
)]
pub(crate) async fn queue(space: Space<Read>) -> Result<Json<Queue>, Problem> {
    let tasks = space.run(|space| Ok(space.queue().list(MOST)?)).await?;
    Ok(Json(Queue {
        tasks: tasks.into_iter().map(Into::into).collect(),
    }))
}

/// Lets a piece of work be tried now, as if it had never failed.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/queue/{number}/retry", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the work"),
    ),
    responses((status = 204, description = "It waits to be tried"))
)]
pub(crate) async fn retry(
    space: Space<Write>,
    PathNumber(number): PathNumber,
) -> Result<StatusCode, Problem> {
    space
        .run(move |space| Ok(space.queue().retry(number)?))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets all work be tried now that failed.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/queue/retry", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = Number))
)]
pub(crate) async fn retry_all(space: Space<Write>) -> Result<Json<Number>, Problem> {
    let count = space.run(|space| Ok(space.queue().retry_all()?)).await?;
    Ok(Json(Number { count }))
}

/// Takes a piece of work out of the queue.
#[utoipa::path(
    delete, path = "/v1/namespaces/{ns}/queue/{number}", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the work"),
    ),
    responses((status = 204, description = "It is gone"))
)]
pub(crate) async fn drop_task(
    space: Space<Write>,
    PathNumber(number): PathNumber,
) -> Result<StatusCode, Problem> {
    space
        .run(move |space| Ok(space.queue().drop(number)?))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The jobs of the profiles: when they ran last, and when they run next.
#[utoipa::path(
    get, path = "/v1/jobs", tag = "work", security(("token" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Jobs))
)]
pub(crate) async fn jobs(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
) -> Result<Json<Jobs>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let jobs = app.run(move || Ok(memory.jobs().list()?)).await?;
    Ok(Json(Jobs {
        jobs: jobs.into_iter().map(Into::into).collect(),
    }))
}

/// Runs the jobs that are due, and answers all of them.
#[utoipa::path(
    post, path = "/v1/jobs/run", tag = "work", security(("token" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Jobs))
)]
pub(crate) async fn run_jobs(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
) -> Result<Json<Jobs>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let jobs = app.run(move || {
        memory.maintain(false, Mode::Commit)?;
        Ok(memory.jobs().list()?)
    });
    Ok(Json(Jobs {
        jobs: jobs.await?.into_iter().map(Into::into).collect(),
    }))
}

/// What language models were asked and what it cost, by day, model and purpose.
#[utoipa::path(
    get, path = "/v1/costs", tag = "work", security(("token" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Costs))
)]
pub(crate) async fn costs(
    State(app): State<Arc<App>>,
    access: Limited<Admin>,
) -> Result<Json<Costs>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let spent = app.run(move || Ok(memory.spent()?)).await?;
    Ok(Json(Costs {
        costs: spent.into_iter().map(Into::into).collect(),
    }))
}
