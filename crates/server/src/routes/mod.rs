//! The routes. [`all`] mounts each of them and documents it, by one declaration.

mod bulk;
mod entry;
mod events;
mod graph;
mod health;
mod knowledge;
mod mcp;
mod mem0;
mod memories;
mod namespaces;
mod numbered_page;
mod review;
mod search;
mod sessions;
mod settings;
mod space;
mod status;
mod studio;
mod tokens;
mod transfer;
mod work;

use std::sync::Arc;

use axum::http::Method;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::page;
use crate::problem::{Kind, Problem};

/// All routes: each line mounts what its functions describe.
pub(crate) fn all() -> OpenApiRouter<Arc<App>> {
    OpenApiRouter::new()
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::openapi))
        .routes(routes!(entry::login))
        .routes(routes!(entry::logout))
        .routes(routes!(entry::whoami))
        .routes(routes!(namespaces::stats))
        .routes(routes!(namespaces::list))
        .routes(routes!(
            namespaces::show,
            namespaces::create,
            namespaces::delete
        ))
        .routes(routes!(memories::list, memories::add))
        .routes(routes!(memories::show, memories::edit, memories::delete))
        .routes(routes!(memories::history))
        .routes(routes!(search::search))
        .routes(routes!(status::forget))
        .routes(routes!(status::archive))
        .routes(routes!(status::restore))
        .routes(routes!(status::undo))
        .routes(routes!(knowledge::add))
        .routes(routes!(knowledge::search))
        .routes(routes!(knowledge::delete))
        .routes(routes!(knowledge::update_text))
        .routes(routes!(knowledge::update_importance))
        .routes(routes!(knowledge::get_all))
        .routes(routes!(health::metrics))
        .routes(routes!(sessions::used))
        .routes(routes!(sessions::context))
        .routes(routes!(sessions::append))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::turns))
        .routes(routes!(sessions::extract))
        .routes(routes!(bulk::forget))
        .routes(routes!(bulk::delete))
        .routes(routes!(bulk::delete_later))
        .routes(routes!(work::queue))
        .routes(routes!(work::retry))
        .routes(routes!(work::retry_all))
        .routes(routes!(work::drop_task))
        .routes(routes!(work::jobs))
        .routes(routes!(work::run_jobs))
        .routes(routes!(work::costs))
        .routes(routes!(review::reviews))
        .routes(routes!(review::decide))
        .routes(routes!(review::accept))
        .routes(routes!(review::reject))
        .routes(routes!(review::settle))
        .routes(routes!(review::decisions))
        .routes(routes!(review::undo))
        .routes(routes!(settings::profile, settings::set_profile))
        .routes(routes!(settings::language, settings::set_language))
        .routes(routes!(graph::entities))
        .routes(routes!(graph::neighbours))
        .routes(routes!(transfer::export))
        .routes(routes!(transfer::import))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(events::events))
        .routes(routes!(studio::list, studio::add, studio::remove_all))
        .routes(routes!(studio::search))
        .routes(routes!(studio::stats))
        .routes(routes!(studio::extract))
        .routes(routes!(studio::remove))
        .routes(routes!(studio::restore))
        .routes(routes!(studio::undo))
        .routes(routes!(studio::events))
        .merge(space::all())
        // A protocol of its own, which describes itself: it stands in no document of routes.
        .route("/mcp", axum::routing::post(mcp::answer))
        .route("/", axum::routing::get(page::index))
        .route("/settings/memories", axum::routing::get(page::index))
        .route("/page/{*name}", axum::routing::get(page::part))
}

/// The routes of mem0's server.
pub(crate) fn like_mem0() -> axum::Router<Arc<App>> {
    mem0::all()
}

/// The answer where nothing is.
pub(crate) async fn nothing() -> Problem {
    Problem::of(Kind::NoRoute)
}

/// The answer to a method that a path does not take.
pub(crate) async fn no_method(method: Method) -> Problem {
    Problem::new(Kind::BadMethod, format!("{method} is not among them"))
}
