//! Events of a namespace.

use annals::blocking::Namespace;
use annals::{Event, MemoryId, Timestamp};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::{Read, Space};
use crate::dto::{IdText, MemoryView};
use crate::events::{follow, last_seen};
use crate::problem::{Kind, Problem};

/// The data of an event.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView {
    /// Its number, counted from 0 without gaps; the `id` of the event.
    seq: u64,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    time: Timestamp,
    /// How many memories it was about.
    count: u32,
    /// The memory, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    id: Option<MemoryId>,
    /// The memory as it is now; absent where it was deleted for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryView>,
}

/// Follows what happens: server-sent events named `memory.created`, `memory.updated`,
/// `memory.deleted`, `memory.forgotten` (by a rule), `memory.archived` and `memory.restored`. With
/// `Last-Event-ID` those behind that one come first; `gap` says that some cannot be told any more.
/// A comment comes at least every 15 seconds.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/events", tag = "events",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The event that was seen last"),
    ),
    responses((status = 200, body = EventView, content_type = "text/event-stream"))
)]
pub(crate) async fn events(space: Space<Read>, headers: HeaderMap) -> Result<Response, Problem> {
    let seen = last_seen(&headers)?;
    follow(space.app, space.caller, space.space, seen, render).await
}

fn render(space: &Namespace, event: &Event) -> Result<String, Problem> {
    let memory = match event.id {
        Some(id) => space.get(id)?.map(MemoryView::from),
        None => None,
    };
    let view = EventView {
        seq: event.seq,
        time: event.time,
        count: event.count,
        id: event.id,
        memory,
    };
    serde_json::to_string(&view).map_err(|_| Problem::of(Kind::Internal))
}
