//! What is known: one, all of an owner, those that answer a question.

use std::sync::Arc;

use annals::{ListQuery, Query as Asked};
use axum::extract::State;

use super::locate;
use super::owner::{Place, item};
use crate::app::App;
use crate::auth::{Caller, Id, Limited, Read};
use crate::dto::mem0::{HistoryRow, Item, ItemPage, Items, ListBody, ListParams, Owner, PageParams, Question};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};

/// The memories of a list, and the hits of a question, where nothing is said.
const LISTED: usize = 100;
const HITS: u32 = 20;

/// The memories before a page that are passed over at most.
const FAR: usize = 100_000;

/// One memory.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Id(id): Id,
) -> Result<Json<Item>, Problem> {
    let shared = Arc::clone(&app);
    let found = app.run(move || {
        let (space, memory) = locate(&shared, &caller, id)?;
        Ok(item(space.name(), memory, None))
    });
    Ok(Json(found.await?))
}

/// The memories of an owner, the newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Query(params): Query<ListParams>,
) -> Result<Json<Items>, Problem> {
    let limit = within(&app, params.top_k.or(params.limit).unwrap_or(LISTED), "limit")?;
    let page = listed(app, &caller, params.owner(), (0, limit)).await?;
    Ok(Json(Items { results: page.1 }))
}

/// Lists the memories of an owner, page by page.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Query(params): Query<PageParams>,
    Json(body): Json<ListBody>,
) -> Result<Json<ItemPage>, Problem> {
    let size = within(&app, params.page_size.unwrap_or(LISTED), "page_size")?;
    let page = params.page.unwrap_or(1);
    let before = page.checked_sub(1).and_then(|pages| pages.checked_mul(size)).filter(|before| *before <= FAR);
    let Some(before) = before else {
        let why = format!("pages are counted from 1, and begin behind {FAR} memories at most");
        return Err(Problem::new(Kind::BadQuery, why).at("page"));
    };
    let (count, results) = listed(app, &caller, body.owner.within(body.filters), (before, size)).await?;
    let address = |page: usize| format!("/v3/memories/?page={page}&page_size={size}");
    let is_last = u64::try_from(before + size).is_ok_and(|end| end >= count);
    let (next, previous) = ((!is_last).then(|| address(page + 1)), (page > 1).then(|| address(page - 1)));
    Ok(Json(ItemPage { count, next, previous, results }))
}

/// The memories of an owner behind some, and how many there are.
async fn listed(
    app: Arc<App>,
    caller: &Caller,
    owner: Owner,
    (before, size): (usize, usize),
) -> Result<(u64, Vec<Item>), Problem> {
    let place = Place::of(owner, caller)?;
    let space = app.memory.namespace(&place.namespace)?;
    let filter = place.filter()?;
    let listed = app.run(move || {
        let query = ListQuery { filter, limit: before + size, newest_first: true, ..ListQuery::default() };
        let listed = space.list(&query)?;
        let items = listed.memories.into_iter().skip(before).map(|memory| item(space.name(), memory, None));
        Ok((listed.total, items.collect()))
    });
    listed.await
}

/// The memories of an owner that answer a question, the best first.
pub(super) async fn search(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Json(body): Json<Question>,
) -> Result<Json<Items>, Problem> {
    let wanted = body.top_k.or(body.limit).unwrap_or(HITS);
    within(&app, usize::try_from(wanted).unwrap_or(usize::MAX), "/top_k")?;
    let place = Place::of(body.owner.within(body.filters), &caller)?;
    let asked = Asked { filter: place.filter()?, ..Asked::new(body.query).top_k(wanted) };
    asked.check()?;
    let least = body.threshold.unwrap_or(0.0);
    let space = app.memory.namespace(&place.namespace)?;
    let found = app.run(move || {
        let hits = space.recall(asked)?.into_iter().filter(|hit| hit.score >= least);
        Ok(hits.map(|hit| item(space.name(), hit.memory, Some(hit.score))).collect())
    });
    Ok(Json(Items { results: found.await? }))
}

/// Every text that a memory had, the oldest first.
pub(super) async fn history(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Id(id): Id,
) -> Result<Json<Vec<HistoryRow>>, Problem> {
    let shared = Arc::clone(&app);
    let rows = app.run(move || {
        let (space, _) = locate(&shared, &caller, id)?;
        let (mut rows, mut old_memory) = (Vec::new(), None);
        for revision in space.history(id)? {
            let memory = revision.memory;
            let row = HistoryRow {
                id: format!("{id}-{}", memory.revision),
                memory_id: id,
                event: if old_memory.is_some() { "UPDATE" } else { "ADD" },
                old_memory,
                new_memory: memory.body.text.clone(),
                created_at: id.timestamp(),
                updated_at: memory.stored_at,
                is_deleted: false,
            };
            rows.push(row);
            old_memory = Some(memory.body.text);
        }
        Ok(rows)
    });
    Ok(Json(rows.await?))
}

/// The size of a page, within its limit.
fn within(app: &App, size: usize, field: &str) -> Result<usize, Problem> {
    let most = app.limits.page;
    if (1..=most).contains(&size) {
        return Ok(size);
    }
    Err(Problem::new(Kind::BadValue, format!("a page has 1 to {most} memories")).at(field))
}
