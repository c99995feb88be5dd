//! Conversations, and what of the memory belongs in a prompt.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{ContextRequest, MemoryId, NewTurn, QueuedTask, StoredMemory};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::auth::{Read, Space, Write};
use crate::dto::{
    Begun, ContextBody, ContextView, Ids, Memories, MemoryView, NewTurns, Sessions, TurnParams,
    Uses,
};
use crate::events::end_of;
use crate::extract::{Json, Query, Sent, path_value};
use crate::problem::{Kind, Problem};
use crate::requests::Once;

/// The turns of an answer where nothing is said.
const PAGE: usize = 50;

/// The session that the path names.
pub(crate) struct SessionName(String);

impl FromRequestParts<Arc<App>> for SessionName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        path_value(parts, app, "session").await.map(Self)
    }
}

/// Appends turns to their conversations, in one transaction.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/turns", tag = "sessions",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = NewTurns, responses((status = 200, body = Ids))
)]
pub(crate) async fn append(
    space: Space<Write>,
    once: Once,
    Sent { value, digest }: Sent<NewTurns>,
) -> Result<Json<Ids>, Problem> {
    let turns: Vec<NewTurn> = value
        .turns
        .into_iter()
        .map(NewTurn::try_from)
        .collect::<Result<_, _>>()?;
    let ids = space
        .write(&once, &digest, move |space, _| {
            Ok(space.sessions().append(turns)?)
        })
        .await?;
    Ok(Json(Ids { ids }))
}

/// The conversations.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/sessions", tag = "sessions",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    responses((status = 200, body = Sessions))
)]
pub(crate) async fn list(space: Space<Read>) -> Result<Json<Sessions>, Problem> {
    let sessions = space.run(|space| Ok(space.sessions().list()?)).await?;
    Ok(Json(Sessions {
        sessions: sessions.into_iter().map(Into::into).collect(),
    }))
}

/// The turns of a conversation, in their order.
#[utoipa::path(
    get, path = "/v1/namespaces/{ns}/sessions/{session}/turns", tag = "sessions",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("session" = String, Path, description = "The name of the conversation"),
        TurnParams,
    ),
    responses((status = 200, body = Memories))
)]
pub(crate) async fn turns(
    space: Space<Read>,
    SessionName(name): SessionName,
    Query(params): Query<TurnParams>,
) -> Result<Json<Memories>, Problem> {
    let (limit, most) = (params.limit.unwrap_or(PAGE), space.app.limits.page);
    if limit == 0 || limit > most {
        return Err(
            Problem::new(Kind::BadQuery, format!("a page has 1 to {most} turns")).at("limit"),
        );
    }
    let found = space.run(move |space| {
        let session = space.session(name.as_str());
        let turns = session.memories(params.from, limit)?;
        let total = space
            .sessions()
            .list()?
            .into_iter()
            .find(|one| one.name == name)
            .map_or(0, |one| one.turns);
        Ok((turns, total))
    });
    let (turns, total) = found.await?;
    Ok(Json(Memories {
        memories: turns.into_iter().map(MemoryView::from).collect(),
        next: None,
        total: total.into(),
    }))
}

/// Queues the turns of a conversation that were not looked through yet.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/sessions/{session}/extract", tag = "sessions",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(
        ("ns" = String, Path, description = "The name of the namespace"),
        ("session" = String, Path, description = "The name of the conversation"),
    ),
    responses((status = 200, body = Begun))
)]
pub(crate) async fn extract(
    space: Space<Write>,
    SessionName(name): SessionName,
) -> Result<Json<Begun>, Problem> {
    let begun = space
        .run(move |space| Ok(space.session(name).extract()?))
        .await?;
    Ok(Json(Begun { begun }))
}

/// What of the memory belongs in a prompt, in the parts and the form of the profile.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/context", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ContextBody, responses((status = 200, body = ContextView))
)]
pub(crate) async fn context(
    space: Space<Read>,
    Json(body): Json<ContextBody>,
) -> Result<Json<ContextView>, Problem> {
    let request = ContextRequest {
        peek: body.peek || !space.caller.grant.allows(crate::Right::Write),
        message: body.message,
        earlier: body.earlier,
        session: body.session,
        at: body.at,
        max_tokens: body.max_tokens,
        agent: body.agent,
        ..ContextRequest::default()
    };
    let context = space.run(move |space| Ok(space.context(request)?)).await?;
    Ok(Json(context.into()))
}

/// Reports that memories were of use, for instance in an answer: that is what keeps them.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/memories/used", tag = "memories",
    security(("token" = ["write"]), ("session" = ["write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = Ids, responses((status = 200, body = Uses))
)]
pub(crate) async fn used(
    space: Space<Write>,
    Json(body): Json<Ids>,
) -> Result<Json<Uses>, Problem> {
    let used = space.run(move |space| Ok(space.touch(&body.ids)?)).await?;
    Ok(Json(Uses {
        used: used.into_iter().map(Into::into).collect(),
    }))
}

/// The events of an extraction that are looked at.
const MOST_EXTRACTED: usize = 1000;

/// The word by which background work counts conversations that a model failed about.
const EXTRACTION_FAILED: &str = "failed";

/// A memory that was made of turns.
pub(crate) struct ExtractedMemory {
    pub(crate) memory: StoredMemory,
    /// Whether it was not there before.
    pub(crate) is_new: bool,
}

/// Keeps turns, has them looked through at once, and answers what was made of them.
pub(crate) fn extracted(
    space: &Namespace,
    session: &str,
    turns: Vec<NewTurn>,
) -> Result<Vec<ExtractedMemory>, Problem> {
    let told = space.sessions().append(turns)?;
    let from = end_of(space)?;
    space.session(session).extract()?;
    let counts = space.queue().work_off()?;
    if counts.contains_key(EXTRACTION_FAILED) && still_waits(space, &told)? {
        // An answer without memories would say that there is nothing in what was said.
        return Err(Problem::of(Kind::NotExtracted));
    }
    let mut made: Vec<ExtractedMemory> = Vec::new();
    for event in space.admin().events(from, MOST_EXTRACTED)? {
        let Some(id) = event.id else { continue };
        let is_new = event.name() == "memory.created";
        if let Some(known) = made.iter_mut().find(|known| known.memory.id == id) {
            known.is_new |= is_new;
            continue;
        }
        let Some(memory) = space.get(id)? else {
            continue;
        };
        // Others may store something meanwhile: what was made of a conversation names its turns.
        let of_these = memory
            .body
            .provenance
            .iter()
            .any(|source| told.contains(source));
        if of_these && memory.superseded_by.is_none() {
            made.push(ExtractedMemory { memory, is_new });
        }
    }
    Ok(made)
}

/// Whether some of these turns wait to be looked through: where the model failed about one
/// conversation, those behind it are not begun.
fn still_waits(space: &Namespace, turns: &[MemoryId]) -> Result<bool, Problem> {
    let waits = |task: &QueuedTask| {
        task.kind == "extract" && task.memory.is_some_and(|turn| turns.contains(&turn))
    };
    Ok(space.queue().list(usize::MAX)?.iter().any(waits))
}
