//! Memories: listed, added, read, edited, deleted.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{ListQuery, MemoryId, Mode, NewMemory, StoredMemory, Wording};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_128;

use crate::app::Turn;
use crate::auth::{Caller, Delete, Digest, Id, Read, Space, Write};
use crate::dto::ListParams;
use crate::dto::{
    Added, DeleteParams, EditMemory, Memories, MemoryView, NewMemoryBody, Receipt, RevisionView,
    Revisions,
};
use crate::extract::{Json, Query, Sent};
use crate::problem::{Kind, Problem};
use crate::requests::Once;

/// Memories in the order of their storing, page by page, with the count of all pages.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/memories", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace"), ListParams),
    responses((status = 200, body = Memories))
)]
pub(crate) async fn list(
    space: Space<Read>,
    Query(params): Query<ListParams>,
) -> Result<Json<Memories>, Problem> {
    let most = space.app.limits.page;
    if params.limit.is_some_and(|limit| limit == 0 || limit > most) {
        return Err(
            Problem::new(Kind::BadQuery, format!("a page has 1 to {most} memories")).at("limit"),
        );
    }
    let query = ListQuery::try_from(params)
        .map_err(|error| Problem::new(Kind::BadQuery, error.to_string()).worded(error.wording()))?;
    let page = space.run(move |space| Ok(space.list(&query)?)).await?;
    let memories = page.memories.into_iter().map(MemoryView::from).collect();
    Ok(Json(Memories {
        memories,
        next: page.next,
        total: page.total,
    }))
}

/// Stores a memory. When this answers it is on disk. One that says the same as a known one is not
/// stored again: the answer is the known one then, with status 200.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same for a request that is sent again"),
    ),
    request_body = NewMemoryBody,
    responses((status = 201, body = Added), (status = 200, body = Added, description = "It was known"))
)]
pub(crate) async fn add(
    space: Space<Write>,
    once: Once,
    Sent { value, digest }: Sent<NewMemoryBody>,
) -> Result<Response, Problem> {
    let memory = NewMemory::try_from(value)?.by_hand();
    let caller = Arc::clone(&space.caller);
    let added = space.write(&once, &digest, move |space, _| {
        let (admitted, masked) = annals::masked_during(|| space.admit(memory));
        let admitted = admitted?;
        Ok(Added {
            admission: admitted.admission,
            memory: found(space, admitted.id)?.into(),
            masked,
        })
    });
    let added = added.await?;
    let status = if added.admission == annals::Admission::New {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(caller.shown(added))).into_response())
}

/// One memory. The answer has an `ETag` for an edit.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/memories/{id}", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = MemoryView, headers(("ETag" = String, description = "The state of the memory"))))
)]
pub(crate) async fn show(space: Space<Read>, Id(id): Id) -> Result<Response, Problem> {
    let caller = Arc::clone(&space.caller);
    tagged(space.run(move |space| found(space, id)).await?, &caller)
}

/// Every text that a memory had, the oldest first.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/memories/{id}/history", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
    ),
    responses((status = 200, body = Revisions))
)]
pub(crate) async fn history(space: Space<Read>, Id(id): Id) -> Result<Json<Revisions>, Problem> {
    let revisions = space.run(move |space| Ok(space.history(id)?)).await?;
    if revisions.is_empty() {
        return Err(Problem::of(Kind::NoMemory));
    }
    Ok(Json(Revisions {
        revisions: revisions.into_iter().map(RevisionView::from).collect(),
    }))
}

/// Changes a memory; the text before stays in its history. With `If-Match` only as long as nobody
/// else changed it.
#[utoipa::path(
    patch, path = "/v1/namespaces/{ns}/memories/{id}", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
        ("If-Match" = Option<String>, Header, description = "The ETag of the memory as it was read"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same for a request that is sent again"),
    ),
    request_body = EditMemory,
    responses((status = 200, body = MemoryView, headers(("ETag" = String, description = "The state of the memory"))))
)]
pub(crate) async fn edit(
    space: Space<Write>,
    Id(id): Id,
    once: Once,
    headers: HeaderMap,
    Sent { value, digest }: Sent<EditMemory>,
) -> Result<Response, Problem> {
    let (app, caller) = (Arc::clone(&space.app), Arc::clone(&space.caller));
    let wanted = headers.get(header::IF_MATCH).cloned();
    let edited = space.write(&once, &digest, move |space, turn| {
        let _alone = app.edits.lock(id);
        let before = found(space, id)?;
        if turn == Turn::Again {
            return Ok(before);
        }
        if let Some(wanted) = &wanted {
            match_tag(wanted, &before)?;
        }
        match value.applied_to(&before)? {
            Some(memory) => found(space, space.update(id, memory)?),
            None => Ok(before),
        }
    });
    tagged(edited.await?, &caller)
}

/// Deletes a memory for good, with its history and what was derived from it alone, or tells what
/// would go.
#[utoipa::path(
    delete, path = "/v1/namespaces/{ns}/memories/{id}", tag = "memories",
    security(("token" = ["delete"]), ("session" = ["delete"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("id" = String, Path, description = "The id of the memory"),
        DeleteParams,
        ("Idempotency-Key" = Option<String>, Header, description = "The same for a request that is sent again"),
    ),
    responses((status = 200, body = Receipt))
)]
pub(crate) async fn delete(
    space: Space<Delete>,
    Id(id): Id,
    Query(params): Query<DeleteParams>,
    once: Once,
) -> Result<Json<Receipt>, Problem> {
    let mode = if params.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let caller = Arc::clone(&space.caller);
    let receipt = space
        .write(&once, &Digest::of(""), move |space, _| {
            Ok(space.delete(id, mode)?)
        })
        .await?;
    Ok(Json(caller.shown(receipt.into())))
}

/// The memory of an id.
pub(crate) fn found(space: &Namespace, id: MemoryId) -> Result<StoredMemory, Problem> {
    space.get(id)?.ok_or_else(|| no_memory(id))
}

/// That there is no memory of an id.
pub(crate) fn no_memory(id: MemoryId) -> Problem {
    Problem::new(Kind::NoMemory, format!("there is no memory {id}"))
        .worded(Wording::new("record-not-found", &[("id", &id)]))
}

/// A memory as the caller may see it, with the tag of its state.
pub(crate) fn tagged(memory: StoredMemory, caller: &Caller) -> Result<Response, Problem> {
    let tag = tag(&memory)?;
    let view = caller.shown(MemoryView::from(memory));
    Ok(([(header::ETAG, tag)], Json(view)).into_response())
}

/// The tag of a state: the hash of everything that is shown.
fn tag(memory: &StoredMemory) -> Result<String, Problem> {
    let text = serde_json::to_vec(memory).map_err(|_| Problem::of(Kind::Internal))?;
    Ok(format!("\"{:032x}\"", xxh3_128(&text)))
}

/// Fails where none of the wanted tags is that of the memory.
fn match_tag(wanted: &HeaderValue, memory: &StoredMemory) -> Result<(), Problem> {
    let text = wanted
        .to_str()
        .map_err(|_| Problem::new(Kind::BadHeader, "If-Match is no plain text"))?;
    let now = tag(memory)?;
    // Behind a compressing proxy a tag may come back as a weak one.
    let given = text
        .split(',')
        .map(|tag| tag.trim().trim_start_matches("W/"));
    let matches = given.into_iter().any(|tag| tag == "*" || tag == now);
    if matches {
        Ok(())
    } else {
        Err(Problem::of(Kind::Changed))
    }
}
