//! What is in a namespace beside its memories: its profile and language, conversations, facts, what waits for a
//! person or for the worker, and what prompts get.

mod bulk;
mod chat;
mod context;
mod export;
mod facts;
mod fading;
mod graph;
mod import;
mod life;
mod profile;
mod review;
mod sessions;
mod tokens;
mod work;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::problem::{Kind, Problem};

/// The routes of this folder.
pub(super) fn all() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(profile::show, profile::set))
        .routes(routes!(profile::list))
        .routes(routes!(profile::language, profile::set_language))
        .routes(routes!(sessions::list))
        .routes(routes!(life::standings))
        .routes(routes!(life::used))
        .routes(routes!(life::derivations))
        .routes(routes!(life::links))
        .routes(routes!(facts::list))
        .routes(routes!(facts::show))
        .routes(routes!(graph::entities))
        .routes(routes!(graph::neighbours))
        .routes(routes!(review::proposals))
        .routes(routes!(review::accept))
        .routes(routes!(review::reject))
        .routes(routes!(review::reviews))
        .routes(routes!(review::decide))
        .routes(routes!(review::suspicions))
        .routes(routes!(review::settle))
        .routes(routes!(review::doubtful))
        .routes(routes!(review::decisions))
        .routes(routes!(review::undo_decision))
        .routes(routes!(context::context))
        .routes(routes!(export::export))
        .routes(routes!(import::import))
        .routes(routes!(fading::fading))
        .routes(routes!(work::queue))
        .routes(routes!(work::retry_all))
        .routes(routes!(work::retry))
        .routes(routes!(work::drop_task))
        .routes(routes!(work::jobs))
        .routes(routes!(work::maintain))
        .routes(routes!(work::usage))
        .routes(routes!(chat::chat))
        .routes(routes!(bulk::bulk))
        .routes(routes!(bulk::delete_listed))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
}

/// The things of a page where nothing is said.
const PAGE: usize = 50;

/// The size of a page, within the limits of the server.
fn page_size(app: &App, limit: Option<usize>) -> Result<usize, Problem> {
    let most = app.limits.page;
    match limit {
        None => Ok(PAGE),
        Some(limit) if limit > 0 && limit <= most => Ok(limit),
        Some(_) => Err(Problem::new(Kind::BadQuery, format!("a page has 1 to {most} entries")).at("limit")),
    }
}

/// A page of a list that is whole in memory; pages are named by how many entries are before them.
struct Sliced<T> {
    items: Vec<T>,
    next: Option<String>,
    total: usize,
}

fn slice<T>(all: Vec<T>, after: Option<&str>, limit: usize) -> Result<Sliced<T>, Problem> {
    let before = match after {
        None => 0,
        Some(text) => text.parse().map_err(|_| Problem::new(Kind::BadQuery, "no page begins there").at("after"))?,
    };
    let total = all.len();
    let items: Vec<T> = all.into_iter().skip(before).take(limit).collect();
    let end = before.saturating_add(items.len());
    Ok(Sliced { items, next: (end < total).then(|| end.to_string()), total })
}

/// More than waits anywhere: lists that the engine cuts are counted up to here.
const ALL: usize = 10_000;
