//! The routes. [`all`] mounts each of them and documents it, by one declaration.

mod entry;
mod events;
mod health;
mod memories;
mod namespaces;
mod search;
mod space;
mod status;
mod studio;

use std::sync::Arc;

use axum::http::Method;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::page;
use crate::problem::{Kind, Problem};

/// All routes.
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
        .routes(routes!(namespaces::show, namespaces::create, namespaces::delete))
        .routes(routes!(memories::list, memories::add))
        .routes(routes!(memories::show, memories::edit, memories::delete))
        .routes(routes!(memories::history))
        .routes(routes!(search::search))
        .routes(routes!(status::forget))
        .routes(routes!(status::archive))
        .routes(routes!(status::restore))
        .routes(routes!(status::undo))
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
        .route("/", axum::routing::get(page::index))
        .route("/settings/memories", axum::routing::get(page::index))
        .route("/page/{*name}", axum::routing::get(page::part))
}

/// The answer where nothing is.
pub(crate) async fn nothing() -> Problem {
    Problem::of(Kind::NoRoute)
}

/// The answer to a method that a path does not take.
pub(crate) async fn no_method(method: Method) -> Problem {
    Problem::new(Kind::BadMethod, format!("{method} is not among them"))
}
