//! What waits for a person, and what was decided.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::profile::ReviewKind;
use annals::{
    Decision, DecisionQuestion, MemoryId, PendingReview, Proposal, ProposalAction, Suspicion, Timestamp, Verdict,
};
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::sessions::PageParams;
use super::{ALL, page_size, slice};
use crate::app::App;
use crate::auth::{Id, Read, Space, Write};
use crate::dto::{IdText, Memories, MemoryView};
use crate::extract::{Json, Query, path_value};
use crate::problem::{Kind, Problem};
use crate::routes::memories::found;

macro_rules! page {
    ($(#[$doc:meta])* $name:ident, $field:ident: $item:ty) => {
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        pub(crate) struct $name {
            /// The entries of this page.
            $field: Vec<$item>,
            /// Where the next page begins: the parameter `after`.
            #[serde(skip_serializing_if = "Option::is_none")]
            next: Option<String>,
            /// How many there are on all pages.
            total: usize,
        }
    };
}

page! {
    /// A page of proposals, the oldest first.
    Proposals, proposals: ProposalView
}
page! {
    /// A page of reviews, in the order of storing.
    PendingReviews, reviews: ReviewView
}
page! {
    /// A page of pairs, the most similar first.
    Suspicions, suspicions: SuspicionView
}
page! {
    /// A page of decisions, the latest first.
    DecisionsPage, decisions: DecisionView
}

/// Something that was found in a conversation and waits for a person.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Proposal)]
pub(crate) struct ProposalView {
    /// Its id: that of the memory that it would be.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// What would be done.
    action: ProposedAction,
    /// The memory that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    about: Option<MemoryId>,
    /// The text.
    text: String,
    /// The kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// When it was found.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

/// What a proposal would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProposedAction {
    /// Store it.
    Add,
    /// Correct a memory.
    Update,
    /// Delete a memory.
    Delete,
    /// End a memory that it contradicts.
    Contradict,
    /// Something else, which a newer version of annals knows.
    Other,
}

fn proposal(one: Proposal) -> ProposalView {
    let action = match one.action {
        ProposalAction::Add => ProposedAction::Add,
        ProposalAction::Update => ProposedAction::Update,
        ProposalAction::Delete => ProposedAction::Delete,
        ProposalAction::Contradict => ProposedAction::Contradict,
        _ => ProposedAction::Other,
    };
    ProposalView { id: one.id, action, about: one.about, text: one.text, kind: one.kind, at: one.found_at }
}

/// What was found in conversations and waits for a person.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/proposals", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Proposals))
)]
pub(crate) async fn proposals(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<Proposals>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space.run(|space| Ok(space.reviews().proposals(ALL)?)).await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let proposals = page.items.into_iter().map(proposal).collect();
    Ok(Json(Proposals { proposals, next: page.next, total: page.total }))
}

/// What became of a proposal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// The memory that says it now, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    memory: Option<MemoryId>,
}

/// Does what a proposal says, as confirmed by a person.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/proposals/{id}/accept", tag = "review",
    security(("token" = ["write", "delete"]), ("session" = ["write", "delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the proposal"),
    ),
    responses((status = 200, body = Accepted))
)]
pub(crate) async fn accept(space: Space<Write>, Id(id): Id) -> Result<Json<Accepted>, Problem> {
    // It may be a deletion.
    space.caller.need(crate::Right::Delete)?;
    let memory = space.run(move |space| Ok(space.reviews().accept(id)?)).await?;
    Ok(Json(Accepted { memory }))
}

/// Drops a proposal. The decision can be taken back.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/proposals/{id}/reject", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the proposal"),
    ),
    responses((status = 204, description = "It is dropped"))
)]
pub(crate) async fn reject(space: Space<Write>, Id(id): Id) -> Result<StatusCode, Problem> {
    space.run(move |space| Ok(space.reviews().reject(id)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A memory that waits for a verdict.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PendingReview)]
pub(crate) struct ReviewView {
    /// The memory.
    memory: MemoryView,
    /// What is to be decided.
    kind: ReviewWord,
    /// Its score now.
    score: f64,
    /// What was last said about it, by a model or a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What a judge last failed with.
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
}

/// What is to be decided about a memory.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReviewWord {
    /// Whether it may go.
    #[default]
    Decay,
    /// Whether it is kept for good.
    Promote,
}

impl From<ReviewWord> for ReviewKind {
    fn from(word: ReviewWord) -> Self {
        match word {
            ReviewWord::Decay => Self::Decay,
            ReviewWord::Promote => Self::Promote,
        }
    }
}

fn review(space: &Namespace, one: PendingReview) -> Result<ReviewView, Problem> {
    let said = space.decisions().list(Some(one.id), 1)?;
    let kind = match one.kind {
        ReviewKind::Decay => ReviewWord::Decay,
        ReviewKind::Promote => ReviewWord::Promote,
    };
    Ok(ReviewView {
        memory: found(space, one.id)?.into(),
        kind,
        score: one.score,
        reason: said.into_iter().next().map(|decision| decision.reason).filter(|reason| !reason.is_empty()),
        error: one.last_error,
    })
}

/// Memories that wait for a verdict.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/reviews", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = PendingReviews))
)]
pub(crate) async fn reviews(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<PendingReviews>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let page = slice(space.reviews().pending(ALL)?, params.after.as_deref(), limit)?;
        let reviews = page.items.into_iter().map(|one| review(space, one)).collect::<Result<_, _>>()?;
        Ok(PendingReviews { reviews, next: page.next, total: page.total })
    });
    Ok(Json(page.await?))
}

/// A verdict.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct VerdictBody {
    /// What was asked: whether it may go, unless it is said.
    kind: ReviewWord,
    /// What becomes of the memory; it stays, unless it is said.
    verdict: VerdictWord,
}

/// What becomes of a memory.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VerdictWord {
    /// It is kept for good.
    Promote,
    /// It stays.
    #[default]
    Keep,
    /// It goes.
    Delete,
}

/// What was done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Decided {
    /// The verdict that was carried out: what the profile protects is kept.
    verdict: VerdictWord,
}

/// Says what becomes of a memory that waits for a verdict. Deleting needs the right `delete` as well.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/reviews/{id}", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    request_body = VerdictBody, responses((status = 200, body = Decided))
)]
pub(crate) async fn decide(
    space: Space<Write>,
    Id(id): Id,
    Json(body): Json<VerdictBody>,
) -> Result<Json<Decided>, Problem> {
    let verdict = match body.verdict {
        VerdictWord::Promote => Verdict::Promote,
        VerdictWord::Keep => Verdict::Keep,
        VerdictWord::Delete => {
            space.caller.need(crate::Right::Delete)?;
            Verdict::Delete
        }
    };
    let done = space.run(move |space| Ok(space.reviews().decide(id, body.kind.into(), verdict)?)).await?;
    let verdict = match done {
        Verdict::Promote => VerdictWord::Promote,
        Verdict::Keep => VerdictWord::Keep,
        Verdict::Delete => VerdictWord::Delete,
    };
    Ok(Json(Decided { verdict }))
}

/// Two memories of which one may contradict the other.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Suspicion)]
pub(crate) struct SuspicionView {
    /// The newer one.
    newer: Side,
    /// The older one.
    older: Side,
    /// How alike they are, 0 to 1.
    likeness: f64,
    /// When it was noticed.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

/// One of two memories.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Side {
    /// The memory.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// Its text.
    text: String,
}

fn suspicion(one: Suspicion) -> SuspicionView {
    SuspicionView {
        newer: Side { id: one.newer, text: one.newer_text },
        older: Side { id: one.older, text: one.older_text },
        likeness: one.similarity,
        at: one.at,
    }
}

/// Pairs of memories that may contradict each other, about which nobody has decided.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/suspicions", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Suspicions))
)]
pub(crate) async fn suspicions(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<Suspicions>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space.run(|space| Ok(space.reviews().suspicions(ALL)?)).await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let suspicions = page.items.into_iter().map(suspicion).collect();
    Ok(Json(Suspicions { suspicions, next: page.next, total: page.total }))
}

/// Whether one memory contradicts another.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settlement {
    /// The newer one.
    #[schema(value_type = IdText)]
    newer: MemoryId,
    /// The older one.
    #[schema(value_type = IdText)]
    older: MemoryId,
    /// Whether it does.
    contradicts: bool,
}

/// Says whether the newer of two memories contradicts the older. The decision can be taken back.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/suspicions/settle", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = Settlement, responses((status = 204, description = "It is settled"))
)]
pub(crate) async fn settle(space: Space<Write>, Json(body): Json<Settlement>) -> Result<StatusCode, Problem> {
    space.run(move |space| Ok(space.reviews().settle(body.newer, body.older, body.contradicts)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Memories that matter much and are not sure, the most important first.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/doubtful", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Memories))
)]
pub(crate) async fn doubtful(space: Space<Read>, Query(params): Query<PageParams>) -> Result<Json<Memories>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space.run(|space| Ok(space.reviews().doubtful(ALL)?)).await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let memories = page.items.into_iter().map(MemoryView::from).collect();
    let total = u64::try_from(page.total).unwrap_or(u64::MAX);
    Ok(Json(Memories { memories, next: page.next, total }))
}

/// Something that was decided.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Decision)]
pub(crate) struct DecisionView {
    /// Its number.
    number: u64,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// What was asked.
    question: QuestionWord,
    /// The memories that it is about.
    memories: Vec<Side>,
    /// The answer.
    answer: String,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    /// Who decided: a model, a person, a rule.
    by: String,
    /// Whether it can be taken back.
    can_be_undone: bool,
    /// Whether it was taken back.
    undone: bool,
}

/// What a decision was asked about.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QuestionWord {
    /// Whether a memory may go.
    MayGo,
    /// Whether it is kept for good.
    KeepForGood,
    /// Whether two say the same.
    Same,
    /// Whether one contradicts another.
    Contradicts,
    /// Whether one is the cause of another.
    Cause,
    /// Whether it is still true.
    StillTrue,
    /// Whether it is worth keeping.
    Worthwhile,
    /// Whether it has changed.
    Changed,
    /// Something else, which a newer version of annals knows.
    Other,
}

fn decision(space: &Namespace, one: Decision) -> Result<DecisionView, Problem> {
    let question = match one.question {
        DecisionQuestion::MayGo => QuestionWord::MayGo,
        DecisionQuestion::KeepForGood => QuestionWord::KeepForGood,
        DecisionQuestion::Same => QuestionWord::Same,
        DecisionQuestion::Contradicts => QuestionWord::Contradicts,
        DecisionQuestion::Cause => QuestionWord::Cause,
        DecisionQuestion::StillTrue => QuestionWord::StillTrue,
        DecisionQuestion::Worthwhile => QuestionWord::Worthwhile,
        DecisionQuestion::Changed => QuestionWord::Changed,
        _ => QuestionWord::Other,
    };
    let mut memories = Vec::with_capacity(one.memories.len());
    for id in one.memories {
        let text = space.get(id)?.map(|memory| memory.body.text).unwrap_or_default();
        memories.push(Side { id, text });
    }
    Ok(DecisionView {
        number: one.number,
        at: one.at,
        question,
        memories,
        answer: one.answer,
        reason: one.reason,
        by: one.by,
        can_be_undone: one.can_be_undone,
        undone: one.undone_at.is_some(),
    })
}

/// What was decided about memories, by models and people.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/decisions", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = DecisionsPage))
)]
pub(crate) async fn decisions(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<DecisionsPage>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let page = slice(space.decisions().list(None, ALL)?, params.after.as_deref(), limit)?;
        let decisions = page.items.into_iter().map(|one| decision(space, one)).collect::<Result<_, _>>()?;
        Ok(DecisionsPage { decisions, next: page.next, total: page.total })
    });
    Ok(Json(page.await?))
}

/// The number of a decision.
pub(crate) struct Number(u64);

impl FromRequestParts<Arc<App>> for Number {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let text = path_value(parts, app, "number").await?;
        text.parse().map(Self).map_err(|_| Problem::new(Kind::BadPath, "a decision has a number").at("number"))
    }
}

/// Takes a decision back.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/decisions/{number}/undo", tag = "review",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("number" = u64, Path, description = "The number of the decision"),
    ),
    responses((status = 200, body = DecisionView))
)]
pub(crate) async fn undo_decision(space: Space<Write>, Number(number): Number) -> Result<Json<DecisionView>, Problem> {
    let undone = space.run(move |space| {
        let undone = space.decisions().undo(number)?;
        decision(space, undone)
    });
    Ok(Json(undone.await?))
}
