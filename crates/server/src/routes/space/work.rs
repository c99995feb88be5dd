//! What waits or failed behind the writes, the jobs of the profiles, and what models were asked.

use std::sync::Arc;

use annals::{JobInfo, LastRun, Mode, QueueState, QueuedTask, Spent, Timestamp};
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::sessions::PageParams;
use super::{ALL, page_size, slice};
use crate::app::App;
use crate::auth::{Admin, Limited, Read, Space, Write};
use crate::extract::{Json, Query, path_value};
use crate::problem::{Kind, Problem};

/// A page of tasks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tasks {
    /// In the order in which they were queued.
    tasks: Vec<TaskView>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages.
    total: usize,
}

/// A piece of background work.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task)]
pub(crate) struct TaskView {
    /// Its number.
    number: u64,
    /// What is done.
    kind: String,
    /// Whether it waits, runs, or was given up.
    state: TaskState,
    /// How often it was tried.
    attempts: u32,
    /// When it was queued.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// When it is tried next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    next: Option<Timestamp>,
    /// What the last attempt failed with.
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
}

/// How far a task is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TaskState {
    /// It waits.
    Waiting,
    /// It is under way.
    Running,
    /// It failed too often, and is not tried again by itself.
    GivenUp,
}

fn task(task: QueuedTask) -> TaskView {
    let state = match task.state {
        QueueState::Waiting => TaskState::Waiting,
        QueueState::Running => TaskState::Running,
        QueueState::Dead => TaskState::GivenUp,
    };
    TaskView {
        number: task.number,
        kind: task.kind,
        state,
        attempts: task.attempts,
        at: task.queued_at,
        next: task.next,
        error: task.last_error,
    }
}

/// The background work of a namespace that waits, runs, or was given up.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/queue", tag = "work",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Tasks))
)]
pub(crate) async fn queue(space: Space<Read>, Query(params): Query<PageParams>) -> Result<Json<Tasks>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space.run(move |space| Ok(space.queue().list(ALL)?)).await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    Ok(Json(Tasks { tasks: page.items.into_iter().map(task).collect(), next: page.next, total: page.total }))
}

/// The number of a task.
pub(crate) struct Number(u64);

impl FromRequestParts<Arc<App>> for Number {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let text = path_value(parts, app, "number").await?;
        text.parse().map(Self).map_err(|_| Problem::new(Kind::BadPath, "a task has a number").at("number"))
    }
}

/// Tries a task again at once.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/queue/{number}/retry", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the task"),
    ),
    responses((status = 204, description = "It is tried again"))
)]
pub(crate) async fn retry(space: Space<Write>, Number(number): Number) -> Result<StatusCode, Problem> {
    space.run(move |space| Ok(space.queue().retry(number)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Drops a task: it is not done.
#[utoipa::path(
    delete, path = "/v1/namespaces/{ns}/queue/{number}", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the task"),
    ),
    responses((status = 204, description = "It is gone"))
)]
pub(crate) async fn drop_task(space: Space<Write>, Number(number): Number) -> Result<StatusCode, Problem> {
    space.run(move |space| Ok(space.queue().drop(number)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How many tasks are tried again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Retried {
    /// Their count.
    retried: u64,
}

/// Tries all tasks again that were given up or wait after a failure.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/queue/retry", tag = "work",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = Retried))
)]
pub(crate) async fn retry_all(space: Space<Write>) -> Result<Json<Retried>, Problem> {
    let retried = space.run(|space| Ok(space.queue().retry_all()?)).await?;
    Ok(Json(Retried { retried }))
}

/// The jobs of all profiles that are in use.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Jobs {
    /// By profile.
    jobs: Vec<JobView>,
}

/// A job of a profile.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Job)]
pub(crate) struct JobView {
    /// Its name.
    name: String,
    /// The profile.
    profile: String,
    /// Whether it was stopped.
    stopped: bool,
    /// Whether it is due now.
    due: bool,
    /// When it is due next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    next: Option<Timestamp>,
    /// How often in a row it failed.
    failures: u32,
    /// Its last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<RunView>,
}

/// A run of a job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JobRun)]
pub(crate) struct RunView {
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// What it failed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

fn job(job: JobInfo) -> JobView {
    let run = |run: LastRun| RunView { at: run.at, error: run.error };
    JobView {
        name: job.job,
        profile: job.profile,
        stopped: job.stopped,
        due: job.due,
        next: job.next,
        failures: job.failures,
        last: job.last.map(run),
    }
}

/// The jobs of the profiles, when they ran and when they are due.
#[utoipa::path(
    get, path = "/v1/jobs", tag = "work", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = Jobs))
)]
pub(crate) async fn jobs(State(app): State<Arc<App>>, access: Limited<Read>) -> Result<Json<Jobs>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let all = app.run(move || Ok(memory.jobs().list()?)).await?;
    Ok(Json(Jobs { jobs: all.into_iter().map(job).collect() }))
}

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
    let mode = if body.dry_run { Mode::DryRun } else { Mode::Commit };
    let reports = app.run(move || Ok(memory.maintain(body.force, mode)?)).await?;
    let view = |report: annals::JobReport| MaintainedJob {
        name: report.job,
        profile: report.profile,
        planned: report.planned.len(),
    };
    Ok(Json(Maintained { jobs: reports.into_iter().map(view).collect() }))
}

/// What language models were asked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ModelUsage {
    /// By day, purpose and model.
    spent: Vec<SpentView>,
}

/// Calls of a model for a purpose on a day.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Spent)]
pub(crate) struct SpentView {
    /// The beginning of the day.
    #[schema(value_type = String, format = DateTime)]
    day: Timestamp,
    /// What for.
    purpose: String,
    /// Which model.
    model: String,
    /// How many calls.
    calls: u64,
    /// How many of them failed.
    failed: u64,
    /// Tokens of what was asked.
    input_tokens: u64,
    /// Tokens of what was answered.
    output_tokens: u64,
    /// What it cost, where prices are known.
    cost: f64,
}

/// What language models were asked, and what it cost.
#[utoipa::path(
    get, path = "/v1/usage", tag = "work", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = ModelUsage))
)]
pub(crate) async fn usage(State(app): State<Arc<App>>, access: Limited<Read>) -> Result<Json<ModelUsage>, Problem> {
    access.caller.reach_all()?;
    let memory = app.memory.clone();
    let spent = app.run(move || Ok(memory.spent()?)).await?;
    let view = |one: Spent| SpentView {
        day: one.day,
        purpose: one.purpose,
        model: one.model,
        calls: one.calls,
        failed: one.failed,
        input_tokens: one.input_tokens,
        output_tokens: one.output_tokens,
        cost: one.cost,
    };
    Ok(Json(ModelUsage { spent: spent.into_iter().map(view).collect() }))
}
