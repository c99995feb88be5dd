//! What waits for a person, and what was decided.

use std::sync::Arc;

use annals::Verdict;
use annals::profile::ReviewKind;
use axum::http::StatusCode;

use super::work::PathNumber;
use crate::auth::{Id, Read, Space, Write};
use crate::dto::{
    DecisionParams, DecisionView, Decisions, Ids, ReviewReason, Reviews, SettleBody, VerdictBody,
    VerdictWord,
};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// What is listed of each sort.
const MOST: usize = 200;

/// The decisions of an answer where nothing is said.
const PAGE: usize = 50;

/// What waits for a person: memories that may go, proposals of models, and what may contradict each
/// other.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/reviews", tag = "review", security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = Reviews))
)]
pub(crate) async fn reviews(space: Space<Read>) -> Result<Json<Reviews>, Problem> {
    let found = space.run(|space| {
        let reviews = space.reviews();
        Ok(Reviews {
            pending: reviews.pending(MOST)?.into_iter().map(Into::into).collect(),
            proposals: reviews
                .proposals(MOST)?
                .into_iter()
                .map(Into::into)
                .collect(),
            suspicions: reviews
                .suspicions(MOST)?
                .into_iter()
                .map(Into::into)
                .collect(),
        })
    });
    Ok(Json(found.await?))
}

/// Decides about a memory that waits for a verdict. One that deletes needs the right to delete.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/reviews/{id}", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    request_body = VerdictBody, responses((status = 204, description = "It is decided"))
)]
pub(crate) async fn decide(
    space: Space<Write>,
    Id(id): Id,
    Json(body): Json<VerdictBody>,
) -> Result<StatusCode, Problem> {
    let kind = match body.kind {
        ReviewReason::Decay => ReviewKind::Decay,
        ReviewReason::Promote => ReviewKind::Promote,
    };
    let verdict = match body.verdict {
        VerdictWord::Promote => Verdict::Promote,
        VerdictWord::Keep => Verdict::Keep,
        VerdictWord::Delete => {
            space.caller.need(crate::Right::Delete)?;
            Verdict::Delete
        }
    };
    space
        .run(move |space| Ok(space.reviews().decide(id, kind, verdict)?))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Carries out a proposal, and answers the memory that it made, if any. A proposal may delete: it
/// needs that right.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/proposals/{id}/accept", tag = "review",
    security(("token" = ["write", "delete"]), ("session" = ["write", "delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the proposal"),
    ),
    responses((status = 200, body = Ids))
)]
pub(crate) async fn accept(space: Space<Write>, Id(id): Id) -> Result<Json<Ids>, Problem> {
    space.caller.need(crate::Right::Delete)?;
    let made = space
        .run(move |space| Ok(space.reviews().accept(id)?))
        .await?;
    Ok(Json(Ids {
        ids: made.into_iter().collect(),
    }))
}

/// Turns a proposal down.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/proposals/{id}/reject", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the proposal"),
    ),
    responses((status = 204, description = "It is gone"))
)]
pub(crate) async fn reject(space: Space<Write>, Id(id): Id) -> Result<StatusCode, Problem> {
    space
        .run(move |space| Ok(space.reviews().reject(id)?))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Says whether two memories contradict each other.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/suspicions/settle", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = SettleBody, responses((status = 204, description = "It is settled"))
)]
pub(crate) async fn settle(
    space: Space<Write>,
    Json(body): Json<SettleBody>,
) -> Result<StatusCode, Problem> {
    space
        .run(move |space| {
            Ok(space
                .reviews()
                .settle(body.newer, body.older, body.contradicts)?)
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What judges and people decided, the newest first.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/decisions", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), DecisionParams),
    responses((status = 200, body = Decisions))
)]
pub(crate) async fn decisions(
    space: Space<Read>,
    Query(params): Query<DecisionParams>,
) -> Result<Json<Decisions>, Problem> {
    let (limit, most) = (params.limit.unwrap_or(PAGE), space.app.limits.page);
    if limit == 0 || limit > most {
        return Err(
            Problem::new(Kind::BadQuery, format!("a page has 1 to {most} decisions")).at("limit"),
        );
    }
    let found = space
        .run(move |space| Ok(space.decisions().list(params.memory, limit)?))
        .await?;
    Ok(Json(Decisions {
        decisions: found.into_iter().map(Into::into).collect(),
    }))
}

/// Takes a decision back. A memory that an edit made goes for good then: it needs that right.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/decisions/{number}/undo", tag = "review",
    security(("token" = ["write", "delete"]), ("session" = ["write", "delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the decision"),
    ),
    responses((status = 200, body = DecisionView))
)]
pub(crate) async fn undo(
    space: Space<Write>,
    PathNumber(number): PathNumber,
) -> Result<Json<DecisionView>, Problem> {
    space.caller.need(crate::Right::Delete)?;
    let caller = Arc::clone(&space.caller);
    let undone = space
        .run(move |space| Ok(space.decisions().undo(number)?))
        .await?;
    Ok(Json(caller.shown(undone.into())))
}
