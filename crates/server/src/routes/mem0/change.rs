//! What is said, corrected and deleted.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{Admission, Mode, NewMemory, NewTurn, Role, StoredMemory, Timestamp, Value};
use axum::extract::State;

use super::locate;
use super::owner::{ACTOR, Place, ROLE, item};
use crate::app::App;
use crate::auth::{Delete, Id, Limited, Write};
use crate::dto::mem0::{Change, Done, Item, ListParams, Message, NewMemories, Outcome, Outcomes, Said};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};
use crate::routes::sessions::extracted;

/// The conversation of what is said without a run.
const CONVERSATION: &str = "mem0";

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Keeps what is said: what a model finds in it, or each message as it is: without `infer`, without a model, and under
/// a profile that asks none.
pub(super) async fn add(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Write>,
    Json(body): Json<NewMemories>,
) -> Result<Json<Outcomes>, Problem> {
    let run = body.owner.run_id.clone();
    let place = Place::of(body.owner, &caller)?;
    let messages = match body.messages {
        Said::Text(content) => vec![Message { role: "user".to_owned(), content, name: None }],
        Said::Messages(messages) => messages,
    };
    let expires_at = body.expiration_date.as_deref().map(end_of_day).transpose()?;
    // What the system says to a model is nobody's memory.
    let messages: Vec<Message> = messages.into_iter().filter(|message| message.role != "system").collect();
    let space = app.memory.namespace(&place.namespace)?;
    let wants_model = body.infer.unwrap_or(true) && app.memory.model().is_some();
    let metadata = body.metadata.unwrap_or_default();
    let results = app.run(move || {
        if wants_model && listens(&space)? {
            return inferred(&space, &place, run.as_deref().unwrap_or(CONVERSATION), messages);
        }
        let mut news = Vec::with_capacity(messages.len());
        for message in messages {
            let mut memory = NewMemory::builder(message.content).metadata(ROLE, Value::Text(message.role));
            memory = metadata.iter().fold(memory, |memory, (key, value)| memory.metadata(key, value.clone()));
            memory = place.tags.iter().fold(memory, |memory, tag| memory.tag(tag.as_str()));
            if let Some(name) = message.name {
                memory = memory.metadata(ACTOR, Value::Text(name));
            }
            if let Some(expires_at) = expires_at {
                memory = memory.expires_at(expires_at);
            }
            // All of them are good before the first is stored.
            news.push(memory.build()?.by_hand());
        }
        news.into_iter().map(|memory| kept(&space, memory)).collect()
    });
    Ok(Json(Outcomes { results: results.await? }))
}

/// Whether the profile of a namespace has a model look through what is said.
fn listens(space: &Namespace) -> Result<bool, Problem> {
    let settings = space.admin().settings()?;
    let extract = &settings.extract;
    Ok(settings.surface.enabled && extract.triggers.iter().any(|trigger| extract.begins_at(*trigger)))
}

fn kept(space: &Namespace, memory: NewMemory) -> Result<Outcome, Problem> {
    let admitted = space.admit(memory)?;
    let event = match admitted.admission {
        Admission::New => "ADD",
        Admission::Replaced => "UPDATE",
        Admission::Known => "NONE",
    };
    let memory = space.get(admitted.id)?.map(|memory| memory.body.text).unwrap_or_default();
    Ok(Outcome { id: admitted.id, memory, event })
}

/// What a model finds in messages, marked as what belongs to the agent or the run.
fn inferred(space: &Namespace, place: &Place, run: &str, messages: Vec<Message>) -> Result<Vec<Outcome>, Problem> {
    let turn = |message: Message| {
        let role = if message.role == "assistant" { Role::Assistant } else { Role::User };
        NewTurn::builder(run, message.content).role(role).build().map_err(Problem::from)
    };
    let turns = messages.into_iter().map(turn).collect::<Result<_, _>>()?;
    let made = extracted(space, run, turns)?;
    let mut outcomes = Vec::with_capacity(made.len());
    for memory in made {
        let event = if memory.revision == 1 { "ADD" } else { "UPDATE" };
        let id = if place.tags.is_empty() { memory.id } else { marked(space, memory.clone(), &place.tags)? };
        outcomes.push(Outcome { id, memory: memory.body.text, event });
    }
    Ok(outcomes)
}

/// Gives a memory tags beside its own.
fn marked(space: &Namespace, memory: StoredMemory, tags: &[String]) -> Result<annals::MemoryId, Problem> {
    let mut body = memory.body;
    for tag in tags {
        let tag = annals::Label::new("tag", tag.as_str())?;
        if !body.tags.contains(&tag) {
            body.tags.push(tag);
        }
    }
    Ok(space.update(memory.id, NewMemory::from_body(body)?.with_status(memory.status))?)
}

/// Corrects the text or the metadata of a memory.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Write>,
    Id(id): Id,
    Json(change): Json<Change>,
) -> Result<Json<Item>, Problem> {
    let shared = Arc::clone(&app);
    let changed = app.run(move || {
        let _alone = shared.edits.lock(id);
        let (space, before) = locate(&shared, &caller, id)?;
        let mut body = before.body;
        if let Some(text) = change.text {
            body.text = text;
        }
        if let Some(metadata) = change.metadata {
            let own = [ROLE, ACTOR].into_iter().filter_map(|key| Some((key.to_owned(), body.metadata.remove(key)?)));
            let own: Vec<_> = own.collect();
            body.metadata = metadata.into_iter().chain(own).collect();
        }
        // What else is known of it stays, and so does an importance that has decayed.
        let said = annals::Said { importance: false, ..annals::Said::ALL };
        let id = space.update(id, NewMemory::from_body(body)?.saying(said).with_status(before.status))?;
        let memory = space.get(id)?.ok_or_else(|| Problem::of(Kind::NoMemory))?;
        Ok(item(space.name(), memory, None))
    });
    Ok(Json(changed.await?))
}

/// Deletes a memory for good.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Delete>,
    Id(id): Id,
) -> Result<Json<Done>, Problem> {
    let shared = Arc::clone(&app);
    let deleted = app.run(move || {
        let (space, _) = locate(&shared, &caller, id)?;
        Ok(space.delete(id, Mode::Commit).map(drop)?)
    });
    deleted.await?;
    Ok(Json(Done { message: "Memory deleted successfully" }))
}

/// Deletes all memories of an owner for good.
pub(super) async fn delete_all(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Delete>,
    Query(params): Query<ListParams>,
) -> Result<Json<Done>, Problem> {
    let place = Place::of(params.owner(), &caller)?;
    let space = app.memory.namespace(&place.namespace)?;
    let filter = place.filter()?;
    app.run(move || Ok(space.bulk().delete_where(&filter, Mode::Commit).map(drop)?)).await?;
    Ok(Json(Done { message: "All relevant memories deleted" }))
}

/// The end of a day, or the moment that is given.
fn end_of_day(text: &str) -> Result<Timestamp, Problem> {
    let moment = text
        .parse::<Timestamp>()
        .map_err(|error| Problem::new(Kind::BadValue, error.to_string()).at("/expiration_date"))?;
    let is_day = text.trim().len() == "2026-01-31".len();
    Ok(if is_day { moment.plus_millis(DAY_MILLIS) } else { moment })
}
