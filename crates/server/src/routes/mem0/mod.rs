//! The routes of mem0's own server, and those that its Python client calls. They are mem0's
//! protocol: the document of routes does not have them.

mod change;
mod owner;
mod read;

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{MemoryId, StoredMemory};
use axum::Router;
use axum::routing::{get, post};

use self::owner::{is_listed, is_of_owner};
use crate::app::App;
use crate::auth::Caller;
use crate::dto::mem0::Pong;
use crate::extract::Json;
use crate::problem::{Kind, Problem};
use crate::routes::memories::no_memory;

/// All of them.
pub(super) fn all() -> Router<Arc<App>> {
    Router::new()
        .route(
            "/memories",
            post(change::add).get(read::list).delete(change::delete_all),
        )
        .route(
            "/memories/{id}",
            get(read::show).put(change::update).delete(change::delete),
        )
        .route("/memories/{id}/history", get(read::history))
        .route("/search", post(read::search))
        .route("/v1/ping/", get(ping))
        .route("/v3/memories/add/", post(change::add))
        .route("/v3/memories/", post(read::page))
        .route("/v3/memories/search/", post(read::search))
        .route("/v1/memories/", axum::routing::delete(change::delete_all))
        .route(
            "/v1/memories/{id}/",
            get(read::show).put(change::update).delete(change::delete),
        )
        .route("/v1/memories/{id}/history/", get(read::history))
}

/// The client asks whether its key is good. It goes on only where it is told an organisation and a
/// project.
async fn ping() -> Json<Pong> {
    Json(Pong {
        status: "ok",
        user_email: None,
        org_id: "annals",
        project_id: "annals",
    })
}

/// The memory of an id among those of the owners that a caller reaches, and where it is. Ids come
/// without an owner, and a copied namespace has the ids of the first one: then none is chosen. That
/// holds for copies that lists do not show as well: were they passed over, a change that is meant
/// for the one owner would reach the other as soon as the first memory is hidden or replaced.
fn locate(app: &App, caller: &Caller, id: MemoryId) -> Result<(Namespace, StoredMemory), Problem> {
    let names = match caller.grant.only_namespace() {
        Some(name) => vec![name],
        None => app
            .memory
            .namespaces()?
            .into_iter()
            .map(|stats| stats.name)
            .collect(),
    };
    let mut found = None;
    for name in names
        .iter()
        .filter(|name| is_of_owner(name) && caller.grant.reaches(name))
    {
        let space = app.memory.namespace(name)?;
        let Some(memory) = space.get(id)? else {
            continue;
        };
        if found.is_some() {
            let why =
                format!("several owners have a memory {id}: use a token that reaches one of them");
            return Err(Problem::new(Kind::Conflict, why).at("id"));
        }
        found = Some((space, memory));
    }
    found
        .filter(|(_, memory)| is_listed(memory))
        .ok_or_else(|| no_memory(id))
}
