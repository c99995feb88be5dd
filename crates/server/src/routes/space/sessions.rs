//! Conversations.

use annals::{SessionInfo, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{page_size, slice};
use crate::auth::{Read, Space};
use crate::extract::{Json, Query};
use crate::problem::Problem;

/// Which page of a list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageParams {
    /// The most entries of a page; 50 without it.
    #[param(minimum = 1, maximum = 500)]
    pub(super) limit: Option<usize>,
    /// Go on where a page ended: its `next`.
    pub(super) after: Option<String>,
}

/// A page of conversations.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sessions)]
pub(crate) struct SessionsView {
    /// The latest first.
    sessions: Vec<SessionView>,
    /// Where the next page begins: the parameter `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// How many there are on all pages.
    total: usize,
}

/// A conversation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    /// Its name.
    session: String,
    /// How many turns it has.
    turns: u32,
    /// When its first turn was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    first: Option<Timestamp>,
    /// When its last turn was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    last: Option<Timestamp>,
    /// Whether nothing of it is kept now.
    temporary: bool,
}

/// The conversations of a namespace.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/sessions", tag = "conversations",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), PageParams),
    responses((status = 200, body = SessionsView))
)]
pub(crate) async fn list(space: Space<Read>, Query(params): Query<PageParams>) -> Result<Json<SessionsView>, Problem> {
    let limit = page_size(&space.app, params.limit)?;
    let found = space.run(move |space| {
        let sessions = space.sessions();
        let mut all = sessions.list()?;
        all.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.name.cmp(&other.name)));
        Ok((slice(all, params.after.as_deref(), limit)?, sessions.temporary()?))
    });
    let (page, temporary) = found.await?;
    let view = |info: SessionInfo| SessionView {
        temporary: temporary.contains(&info.name),
        session: info.name,
        turns: info.turns,
        first: info.first,
        last: info.last,
    };
    let sessions = page.items.into_iter().map(view).collect();
    Ok(Json(SessionsView { sessions, next: page.next, total: page.total }))
}
