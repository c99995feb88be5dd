//! What waits for a person, page by page.

use annals::PendingReview;
use annals::blocking::Namespace;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ALL, PageParams, page_size, slice};
use crate::auth::{Read, Space};
use crate::dto::{Memories, MemoryView, ProposalView, ReviewWord, SuspicionView};
use crate::extract::{Json, Query};
use crate::problem::Problem;
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
    SuspicionPage, suspicions: SuspicionView
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
    let all = space
        .run(|space| Ok(space.reviews().proposals(ALL)?))
        .await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let proposals = page.items.into_iter().map(ProposalView::from).collect();
    Ok(Json(Proposals {
        proposals,
        next: page.next,
        total: page.total,
    }))
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

fn review(space: &Namespace, one: PendingReview) -> Result<ReviewView, Problem> {
    let said = space.decisions().list(Some(one.id), 1)?;
    Ok(ReviewView {
        memory: found(space, one.id)?.into(),
        kind: one.kind.into(),
        score: one.score,
        reason: said
            .into_iter()
            .next()
            .map(|decision| decision.reason)
            .filter(|reason| !reason.is_empty()),
        error: one.last_error,
    })
}

/// Memories that wait for a verdict.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/reviews/pending", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = PendingReviews))
)]
pub(crate) async fn pending(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<PendingReviews>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let page = slice(
            space.reviews().pending(ALL)?,
            params.after.as_deref(),
            limit,
        )?;
        let reviews = page
            .items
            .into_iter()
            .map(|one| review(space, one))
            .collect::<Result<_, _>>()?;
        Ok(PendingReviews {
            reviews,
            next: page.next,
            total: page.total,
        })
    });
    Ok(Json(page.await?))
}

/// Pairs of memories that may contradict each other, about which nobody has decided.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/suspicions", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = SuspicionPage))
)]
pub(crate) async fn suspicions(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<SuspicionPage>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space
        .run(|space| Ok(space.reviews().suspicions(ALL)?))
        .await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let suspicions = page.items.into_iter().map(SuspicionView::from).collect();
    Ok(Json(SuspicionPage {
        suspicions,
        next: page.next,
        total: page.total,
    }))
}

/// Memories that matter much and are not sure, the most important first.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/doubtful", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Memories))
)]
pub(crate) async fn doubtful(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<Memories>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let all = space
        .run(|space| Ok(space.reviews().doubtful(ALL)?))
        .await?;
    let page = slice(all, params.after.as_deref(), limit)?;
    let memories = page.items.into_iter().map(MemoryView::from).collect();
    let total = u64::try_from(page.total).unwrap_or(u64::MAX);
    Ok(Json(Memories {
        memories,
        next: page.next,
        total,
    }))
}
