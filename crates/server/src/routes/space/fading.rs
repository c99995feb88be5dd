//! What will fade, and when.

use annals::blocking::Namespace;
use annals::{ListQuery, MemoryId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::{PageParams, page_size, slice};
use crate::auth::{Read, Space};
use crate::dto::MemoryView;
use crate::extract::{Json, Query};
use crate::problem::Problem;
use crate::routes::memories::found;

/// The memories that are looked at: no index tells which of them is due first.
const MOST: usize = 20_000;

/// The memories that are read at once.
const BATCH: usize = 500;

/// A page of what will fade.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Fading {
    /// What is due first comes first.
    fading: Vec<FadingMemory>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages.
    total: usize,
    /// Whether all memories were looked at: the first 20,000 are.
    all: bool,
}

/// A memory about which a rule may have something to do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FadingMemory {
    /// The memory.
    memory: MemoryView,
    /// Its score now.
    score: f64,
    /// When a rule may have something to do about it, at the earliest, or it expires.
    #[schema(value_type = String, format = DateTime)]
    due_at: Timestamp,
}

struct Due {
    id: MemoryId,
    score: f64,
    at: Timestamp,
}

fn due(space: &Namespace) -> Result<(Vec<Due>, bool), Problem> {
    let mut query = ListQuery {
        limit: BATCH,
        ..ListQuery::default()
    };
    let (mut all, mut seen) = (Vec::new(), 0);
    loop {
        let page = space.list(&query)?;
        let ids: Vec<MemoryId> = page.memories.iter().map(|memory| memory.id).collect();
        seen += ids.len();
        let standings = space.lifecycle().standings(&ids)?;
        for (id, standing) in ids.into_iter().zip(standings) {
            let Some(standing) = standing else { continue };
            if let Some(at) = standing.due_at.into_iter().chain(standing.expires_at).min() {
                all.push(Due {
                    id,
                    score: standing.score,
                    at,
                });
            }
        }
        match page.next {
            Some(next) if seen < MOST => query.after = Some(next),
            next => return Ok((all, next.is_none())),
        }
    }
}

/// Active memories about which a rule of the profile may have something to do, by when.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/fading", tag = "review",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = Fading))
)]
pub(crate) async fn fading(
    space: Space<Read>,
    Query(params): Query<PageParams>,
) -> Result<Json<Fading>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let page = space.run(move |space| {
        let (mut waiting, all) = due(space)?;
        waiting.sort_by_key(|one| (one.at, one.id));
        let page = slice(waiting, params.after.as_deref(), limit)?;
        let mut fading = Vec::with_capacity(page.items.len());
        for one in page.items {
            fading.push(FadingMemory {
                memory: found(space, one.id)?.into(),
                score: one.score,
                due_at: one.at,
            });
        }
        Ok(Fading {
            fading,
            next: page.next,
            total: page.total,
            all,
        })
    });
    Ok(Json(page.await?))
}
