//! What people look at in a namespace: kinds, worth, facts, neighbours, what waits for them, page
//! by page; files, and a conversation with the model.

mod bulk;
mod changes;
mod chat;
mod export;
mod facts;
mod fading;
mod graph;
mod growth;
mod import;
mod imports;
mod injections;
mod life;
mod profile;
mod review;
mod work;

use std::sync::Arc;

use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::problem::{Kind, Problem};

/// The routes of this folder.
pub(super) fn all() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(profile::kinds))
        .routes(routes!(profile::list))
        .routes(routes!(life::standings))
        .routes(routes!(life::derivations))
        .routes(routes!(life::links))
        .routes(routes!(facts::list))
        .routes(routes!(changes::list))
        .routes(routes!(facts::show))
        .routes(routes!(graph::things))
        .routes(routes!(graph::neighbours))
        .routes(routes!(review::proposals))
        .routes(routes!(review::pending))
        .routes(routes!(review::suspicions))
        .routes(routes!(review::doubtful))
        .routes(routes!(export::text))
        .routes(routes!(import::import))
        .routes(routes!(imports::list))
        .routes(routes!(imports::undo))
        .routes(routes!(injections::list))
        .routes(routes!(growth::growth))
        .routes(routes!(fading::fading))
        .routes(routes!(work::maintain))
        .routes(routes!(chat::chat))
        .routes(routes!(bulk::bulk))
        .routes(routes!(bulk::delete_listed))
}

/// The things of a page where nothing is said.
const PAGE: usize = 50;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PageParams {
    /// The most entries of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    after: Option<String>,
}

/// The size of a page, within the limits of the server.
fn page_size(app: &App, limit: Option<usize>) -> Result<usize, Problem> {
    let most = app.limits.page;
    match limit {
        None => Ok(PAGE),
        Some(limit) if limit > 0 && limit <= most => Ok(limit),
        Some(_) => {
            Err(Problem::new(Kind::BadQuery, format!("a page has 1 to {most} entries")).at("limit"))
        }
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
        Some(text) => text
            .parse()
            .map_err(|_| Problem::new(Kind::BadQuery, "no page begins there").at("after"))?,
    };
    let total = all.len();
    let items: Vec<T> = all.into_iter().skip(before).take(limit).collect();
    let end = before.saturating_add(items.len());
    Ok(Sliced {
        items,
        next: (end < total).then(|| end.to_string()),
        total,
    })
}

/// More than waits anywhere: lists that the engine cuts are counted up to here.
const ALL: usize = 10_000;
