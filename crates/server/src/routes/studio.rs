//! The routes of the studio design: the memories of one user, under `/api/memories`.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{
    Event, Filter, Kind as MemoryKind, ListQuery, MemoryId, Mode, NewMemory, NewTurn,
    Query as Question, Status, TimeRange, UnitScore,
};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::memories::found;
use super::numbered_page::NumberedPage;
use super::sessions::extracted;
use crate::app::App;
use crate::auth::{Admin, Delete, Limited, Read, User, Write};
use crate::dto::{
    ConfirmParams, Conversation, ExtractedIds, Hidden, NewUserMemory, State, Undone, UserHit,
    UserHits, UserListParams, UserMemories, UserMemoryView, UserSearch, UserStats,
};
use crate::events::{follow, last_seen};
use crate::extract::{Json, Query, path_value};
use crate::problem::{Kind, Problem};

/// The memories of a page where nothing is said.
const PAGE: usize = 20;

/// The memory that the path names: by its number or by its id in the engine.
pub(crate) struct UserMemoryId(String);

impl FromRequestParts<Arc<App>> for UserMemoryId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        path_value(parts, app, "id").await.map(Self)
    }
}

impl UserMemoryId {
    /// The id of a memory of this user; that of another user is as good as none.
    fn find(&self, space: &Namespace) -> Result<MemoryId, Problem> {
        let none = || Problem::new(Kind::NoMemory, "there is no memory of this user by that id");
        let Ok(number) = self.0.parse::<u64>() else {
            let id = self.0.parse::<MemoryId>().map_err(|_| none())?;
            return Ok(found(space, id)?.id);
        };
        let mut query = ListQuery {
            past: true,
            limit: 500,
            ..ListQuery::default()
        };
        query.filter.statuses = Status::ALL.to_vec();
        loop {
            let page = space.list(&query)?;
            if let Some(memory) = page
                .memories
                .iter()
                .find(|memory| memory.id.number() == number)
            {
                return Ok(memory.id);
            }
            query.after = Some(page.next.ok_or_else(none)?);
        }
    }
}

fn views(space: &Namespace, ids: &[MemoryId]) -> Result<Vec<UserMemoryView>, Problem> {
    let known = space.designs().studio().memories(ids)?;
    let mut views = Vec::with_capacity(ids.len());
    for (id, known) in ids.iter().zip(known) {
        if let (Some(known), Some(memory)) = (known, space.get(*id)?) {
            views.push(UserMemoryView::new(known, memory.body.text));
        }
    }
    Ok(views)
}

fn view(space: &Namespace, id: MemoryId) -> Result<UserMemoryView, Problem> {
    views(space, &[id])?
        .pop()
        .ok_or_else(|| Problem::of(Kind::NoMemory))
}

fn kinds(words: Vec<String>) -> Result<Vec<MemoryKind>, Problem> {
    Ok(words
        .into_iter()
        .map(MemoryKind::new)
        .collect::<Result<_, _>>()?)
}

/// The memories of the user, page by page.
#[utoipa::path(
    get, path = "/api/memories", tag = "studio", security(("token" = ["read"]), ("session" = ["read"])),
    params(
        UserListParams,
        ("X-User-Id" = Option<u64>, Header, description = "The user, for a token that reaches several"),
    ),
    responses((status = 200, body = UserMemories))
)]
pub(crate) async fn list(
    User(space): User<Read>,
    Query(params): Query<UserListParams>,
) -> Result<Json<UserMemories>, Problem> {
    let size = params.page_size.unwrap_or(PAGE);
    let page = NumberedPage::new(
        params.page.unwrap_or(1),
        size,
        space.app.limits.page,
        "pageSize",
    )?;
    let statuses = match params.state.unwrap_or(State::Active) {
        State::Active => vec![Status::Active],
        State::Forgotten => vec![Status::Forgotten],
        State::All => vec![Status::Active, Status::Forgotten],
    };
    let time = TimeRange::new(params.from, params.to)?;
    let filter = Filter {
        kinds: kinds(params.kind)?,
        statuses,
        time,
        ..Filter::default()
    };
    let found = space.run(move |space| {
        let query = ListQuery {
            filter,
            limit: page.end(),
            ..ListQuery::default()
        };
        let listed = space.list(&query)?;
        let ids: Vec<MemoryId> = listed
            .memories
            .iter()
            .skip(page.before)
            .map(|memory| memory.id)
            .collect();
        let memories = views(space, &ids)?;
        Ok(UserMemories {
            memories,
            total: listed.total,
            page: page.number,
            page_size: page.size,
        })
    });
    Ok(Json(found.await?))
}

/// The memories of the user that answer a question.
#[utoipa::path(
    post, path = "/api/memories/search", tag = "studio", security(("token" = ["read"]), ("session" = ["read"])),
    request_body = UserSearch, responses((status = 200, body = UserHits))
)]
pub(crate) async fn search(
    User(space): User<Read>,
    Json(body): Json<UserSearch>,
) -> Result<Json<UserHits>, Problem> {
    let most = u32::try_from(space.app.limits.page).unwrap_or(u32::MAX);
    if body.top_k.is_some_and(|top_k| top_k == 0 || top_k > most) {
        return Err(
            Problem::new(Kind::BadValue, format!("an answer has 1 to {most} hits")).at("/topK"),
        );
    }
    let min_score = body
        .threshold
        .map(|value| UnitScore::new("threshold", value))
        .transpose()?;
    let kinds = kinds(body.types)?;
    let found = space.run(move |space| {
        let now = (!body.include_expired).then(|| annals::Clock::now(&annals::SystemClock));
        let filter = Filter {
            kinds,
            valid_at: now,
            ..Filter::default()
        };
        let question = Question {
            filter,
            top_k: body.top_k,
            min_score,
            ..Question::new(body.query)
        };
        question.check()?;
        let hits = space.recall(question)?;
        let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
        let views: BTreeMap<u64, UserMemoryView> = views(space, &ids)?
            .into_iter()
            .map(|view| (view.id, view))
            .collect();
        Ok((hits, views))
    });
    let (hits, mut views) = found.await?;
    let hit = |hit: annals::Hit| {
        Some(UserHit {
            score: hit.score,
            memory: views.remove(&hit.id.number())?,
        })
    };
    Ok(Json(UserHits {
        results: hits.into_iter().filter_map(hit).collect(),
    }))
}

/// Stores a memory by hand.
#[utoipa::path(
    post, path = "/api/memories", tag = "studio", security(("token" = ["write"]), ("session" = ["write"])),
    request_body = NewUserMemory, responses((status = 201, body = UserMemoryView))
)]
pub(crate) async fn add(
    User(space): User<Write>,
    Json(new): Json<NewUserMemory>,
) -> Result<Response, Problem> {
    let mut memory = NewMemory::builder(new.content);
    if let Some(kind) = new.kind {
        memory = memory.kind(kind);
    }
    if let Some(importance) = new.importance {
        memory = memory.importance(importance);
    }
    for (key, value) in new.metadata {
        memory = memory.metadata(key, value);
    }
    let sources = [
        ("source_conversation", new.source_conversation_id),
        ("source_message", new.source_message_id),
    ];
    for (key, number) in sources {
        if let Some(number) = number {
            memory = memory.metadata(key, number);
        }
    }
    let memory = memory.build()?.by_hand();
    let caller = Arc::clone(&space.caller);
    let added = space
        .run(move |space| view(space, space.remember(memory)?))
        .await?;
    Ok((StatusCode::CREATED, Json(caller.shown(added))).into_response())
}

/// Hides a memory of the user; one that is hidden stays so.
#[utoipa::path(
    delete, path = "/api/memories/{id}", tag = "studio", security(("token" = ["write"]), ("session" = ["write"])),
    params(("id" = String, Path, description = "The number of the memory, or its id in the engine")),
    responses((status = 200, body = UserMemoryView))
)]
pub(crate) async fn remove(
    User(space): User<Write>,
    id: UserMemoryId,
) -> Result<Json<UserMemoryView>, Problem> {
    set(space, id, Status::Forgotten).await
}

/// Brings a hidden memory of the user back.
#[utoipa::path(
    post, path = "/api/memories/{id}/restore", tag = "studio", security(("token" = ["write"]), ("session" = ["write"])),
    params(("id" = String, Path, description = "The number of the memory, or its id in the engine")),
    responses((status = 200, body = UserMemoryView))
)]
pub(crate) async fn restore(
    User(space): User<Write>,
    id: UserMemoryId,
) -> Result<Json<UserMemoryView>, Problem> {
    set(space, id, Status::Active).await
}

async fn set(
    space: crate::auth::Space<Write>,
    id: UserMemoryId,
    status: Status,
) -> Result<Json<UserMemoryView>, Problem> {
    let caller = Arc::clone(&space.caller);
    let changed = space.run(move |space| {
        let id = id.find(space)?;
        // What has that status already is not changed, and no event tells of it.
        match found(space, id)?.status {
            now if now == status => {}
            _ if status == Status::Active => space.restore(id)?,
            _ => space.forget(id)?,
        }
        view(space, id)
    });
    Ok(Json(caller.shown(changed.await?)))
}

/// Hides all memories of the user, once `confirm` says so.
#[utoipa::path(
    delete, path = "/api/memories", tag = "studio", security(("token" = ["write"]), ("session" = ["write"])),
    params(ConfirmParams), responses((status = 200, body = Hidden))
)]
pub(crate) async fn remove_all(
    User(space): User<Write>,
    Query(params): Query<ConfirmParams>,
) -> Result<Json<Hidden>, Problem> {
    if !params.confirm {
        return Err(
            Problem::new(Kind::BadQuery, "all memories are hidden with confirm=true").at("confirm"),
        );
    }
    let filter = Filter {
        statuses: vec![Status::Active, Status::Archived],
        ..Filter::default()
    };
    let receipt = space
        .run(move |space| Ok(space.bulk().forget_where(&filter, Mode::Commit)?))
        .await?;
    Ok(Json(Hidden {
        forgotten: receipt.memories.len(),
    }))
}

/// Takes the last change of a memory back: one that was stored less than ten minutes ago is deleted
/// for good, and what it took the place of is true again.
#[utoipa::path(
    post, path = "/api/memories/{id}/undo", tag = "studio",
    security(("token" = ["write", "delete"]), ("session" = ["write", "delete"])),
    params(("id" = String, Path, description = "The number of the memory, or its id in the engine")),
    responses((status = 200, body = Undone))
)]
pub(crate) async fn undo(
    // What was just stored is deleted for good.
    _access: Limited<Delete>,
    User(space): User<Write>,
    id: UserMemoryId,
) -> Result<Json<Undone>, Problem> {
    let caller = Arc::clone(&space.caller);
    let undone = space
        .run(move |space| Ok(space.undo(id.find(space)?)?))
        .await?;
    Ok(Json(caller.shown(undone.into())))
}

/// How many active memories the user has, by kind.
#[utoipa::path(
    get, path = "/api/memories/stats", tag = "studio", security(("token" = ["read"]), ("session" = ["read"])),
    responses((status = 200, body = UserStats))
)]
pub(crate) async fn stats(User(space): User<Read>) -> Result<Json<UserStats>, Problem> {
    let counted = space.run(|space| {
        let mut by_type = BTreeMap::new();
        for kind in space.admin().settings()?.taxonomy.kinds {
            let filter = Filter {
                kinds: vec![MemoryKind::new(kind.id.as_str())?],
                ..Filter::default()
            };
            let page = space.list(&ListQuery {
                filter,
                limit: 1,
                ..ListQuery::default()
            })?;
            by_type.insert(kind.id, page.total);
        }
        let filter = Filter {
            layers: vec![annals::Layer::Semantic],
            ..Filter::default()
        };
        let total = space
            .list(&ListQuery {
                filter,
                limit: 1,
                ..ListQuery::default()
            })?
            .total;
        Ok(UserStats { total, by_type })
    });
    Ok(Json(counted.await?))
}

/// Looks through a conversation for what is worth keeping. For the program that serves users: it
/// needs a token with the right `admin`.
#[utoipa::path(
    post, path = "/api/memories/extract", tag = "studio", security(("token" = ["admin"]), ("session" = ["admin"])),
    request_body = Conversation, responses((status = 200, body = ExtractedIds))
)]
pub(crate) async fn extract(
    User(space): User<Admin>,
    Json(conversation): Json<Conversation>,
) -> Result<Json<ExtractedIds>, Problem> {
    let session = conversation
        .conversation_id
        .map_or_else(|| "conversation".to_owned(), |id| id.to_string());
    let turn = |message: crate::dto::Message| {
        NewTurn::builder(session.as_str(), message.content)
            .role(message.role)
            .build()
            .map_err(Problem::from)
    };
    let turns: Vec<NewTurn> = conversation
        .messages
        .into_iter()
        .map(turn)
        .collect::<Result<_, _>>()?;
    let made = space.run(move |space| {
        let made = extracted(space, &session, turns)?;
        Ok(made.into_iter().map(|made| made.memory.id).collect())
    });
    Ok(Json(ExtractedIds { ids: made.await? }))
}

/// Follows what happens to the memories of the user: server-sent events whose data are the number
/// of the memory, its id in the engine, and the memory.
#[utoipa::path(
    get, path = "/api/events", tag = "studio", security(("token" = ["read"]), ("session" = ["read"])),
    params(("Last-Event-ID" = Option<u64>, Header, description = "The event that was seen last")),
    responses((status = 200, body = UserMemoryView, content_type = "text/event-stream"))
)]
pub(crate) async fn events(
    User(space): User<Read>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let seen = last_seen(&headers)?;
    follow(space.app, space.caller, space.space, seen, render).await
}

fn render(space: &Namespace, event: &Event) -> Result<String, Problem> {
    #[derive(serde::Serialize)]
    struct Data {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        count: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        memory: Option<UserMemoryView>,
    }
    let memory = match event.id {
        Some(id) => views(space, &[id])?.pop(),
        None => None,
    };
    let data = Data {
        id: event.id.map(|id| id.number()),
        count: event.count,
        memory,
    };
    serde_json::to_string(&data).map_err(|_| Problem::of(Kind::Internal))
}
