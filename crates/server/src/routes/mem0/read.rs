//! What is known: one, all of an owner, those that answer a question.

use std::sync::Arc;

use annals::{ListQuery, Query as Asked};
use axum::extract::State;

use super::locate;
use super::owner::{Place, item};
use crate::app::App;
use crate::auth::{Caller, Id, Limited, Read};
use crate::dto::mem0::{
    HistoryRow, Item, ItemPage, Items, ListBody, ListParams, Owner, PageParams, Question,
};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};
use crate::routes::numbered_page::NumberedPage;

/// The memories of a list, and the hits of a question, where nothing is said.
const LISTED: usize = 100;
const HITS: u32 = 20;

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
    let size = params.top_k.or(params.limit).unwrap_or(LISTED);
    let page = NumberedPage::new(1, size, app.limits.page, "limit")?;
    let (_, results) = listed(app, &caller, params.owner(), page).await?;
    Ok(Json(Items { results }))
}

/// Lists the memories of an owner, page by page.
pub(super) async fn page(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Read>,
    Query(params): Query<PageParams>,
    Json(body): Json<ListBody>,
) -> Result<Json<ItemPage>, Problem> {
    let size = params.page_size.unwrap_or(LISTED);
    let page = NumberedPage::new(params.page.unwrap_or(1), size, app.limits.page, "page_size")?;
    let owner = body.owner.within(body.filters)?;
    let (count, results) = listed(app, &caller, owner, page).await?;
    let address = |number: usize| format!("/v3/memories/?page={number}&page_size={size}");
    let is_last = u64::try_from(page.end()).is_ok_and(|end| end >= count);
    let next = (!is_last).then(|| address(page.number + 1));
    let previous = (page.number > 1).then(|| address(page.number - 1));
    Ok(Json(ItemPage {
        count,
        next,
        previous,
        results,
    }))
}

/// A page of the memories of an owner, and how many there are on all pages.
async fn listed(
    app: Arc<App>,
    caller: &Caller,
    owner: Owner,
    page: NumberedPage,
) -> Result<(u64, Vec<Item>), Problem> {
    let place = Place::of(owner, caller)?;
    let space = app.memory.namespace(&place.namespace)?;
    let filter = place.filter()?;
    let listed = app.run(move || {
        let query = ListQuery {
            filter,
            limit: page.end(),
            newest_first: true,
            ..ListQuery::default()
        };
        let listed = space.list(&query)?;
        let items = listed
            .memories
            .into_iter()
            .skip(page.before)
            .map(|memory| item(space.name(), memory, None));
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
    let most = u32::try_from(app.limits.page).unwrap_or(u32::MAX);
    if wanted == 0 || wanted > most {
        return Err(Problem::new(
            Kind::BadValue,
            format!("an answer has 1 to {most} memories"),
        )
        .at("/top_k"));
    }
    let place = Place::of(body.owner.within(body.filters)?, &caller)?;
    let asked = Asked {
        filter: place.filter()?,
        ..Asked::new(body.query).top_k(wanted)
    };
    asked.check()?;
    let least = body.threshold.unwrap_or(0.0);
    let space = app.memory.namespace(&place.namespace)?;
    let found = app.run(move || {
        let hits = space
            .recall(asked)?
            .into_iter()
            .filter(|hit| hit.score >= least);
        Ok(hits
            .map(|hit| item(space.name(), hit.memory, Some(hit.score)))
            .collect())
    });
    Ok(Json(Items {
        results: found.await?,
    }))
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
                event: if old_memory.is_some() {
                    "UPDATE"
                } else {
                    "ADD"
                },
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
