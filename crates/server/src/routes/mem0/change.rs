//! What is said, corrected and deleted.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::{
    Admission, Body, Label, MemoryId, Metadata, Mode, NewMemory, NewTurn, Role, StoredMemory,
    Timestamp, Value,
};
use axum::extract::State;

use super::locate;
use super::owner::{ACTOR, Place, ROLE, item};
use crate::app::App;
use crate::auth::{Caller, Delete, Id, Limited, Write};
use crate::dto::mem0::{
    Change, DeleteAllParams, Done, Item, Message, NewMemories, Outcome, Outcomes, Said,
};
use crate::extract::{Json, Query};
use crate::problem::{Kind, Problem};
use crate::routes::memories::found;
use crate::routes::sessions::{ExtractedMemory, extracted};

/// The conversation of what is said without a run.
const CONVERSATION: &str = "mem0";

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Keeps what is said: what a model finds in it, or each message as it is: without `infer`, without
/// a model, and under a profile that asks none.
pub(super) async fn add(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Write>,
    Json(body): Json<NewMemories>,
) -> Result<Json<Outcomes>, Problem> {
    let infer = body.infer.unwrap_or(true) && app.memory.model().is_some();
    let addition = Addition::read(body, &caller)?;
    let space = app.memory.namespace(&addition.place.namespace)?;
    let shared = Arc::clone(&app);
    let results = app.run(move || {
        if infer && listens(&space)? {
            return addition.infer(&shared, &space);
        }
        addition.store(&space)
    });
    Ok(Json(Outcomes {
        results: caller.shown(results.await?),
    }))
}

/// Whether the profile of a namespace has a model look through what is said.
fn listens(space: &Namespace) -> Result<bool, Problem> {
    let settings = space.admin().settings()?;
    let extract = &settings.extract;
    Ok(settings.surface.enabled
        && extract
            .triggers
            .iter()
            .any(|trigger| extract.begins_at(*trigger)))
}

/// What a request says, and what it says of all of that.
struct Addition {
    place: Place,
    /// The conversation.
    session: String,
    messages: Vec<Message>,
    metadata: Metadata,
    expires_at: Option<Timestamp>,
}

impl Addition {
    fn read(body: NewMemories, caller: &Caller) -> Result<Self, Problem> {
        let session = body
            .owner
            .run_id
            .as_deref()
            .map_or(CONVERSATION, str::trim)
            .to_owned();
        let place = Place::of(body.owner, caller)?;
        let messages = match body.messages {
            Said::Text(content) => vec![Message {
                role: "user".to_owned(),
                content,
                name: None,
            }],
            Said::Messages(messages) => messages,
        };
        // What the system says to a model is nobody's memory.
        let messages = messages
            .into_iter()
            .filter(|message| message.role != "system")
            .collect();
        let expires_at = body
            .expiration_date
            .as_deref()
            .map(end_of_day)
            .transpose()?;
        Ok(Self {
            place,
            session,
            messages,
            metadata: body.metadata.unwrap_or_default(),
            expires_at,
        })
    }

    /// Stores each message as it is.
    fn store(self, space: &Namespace) -> Result<Vec<Outcome>, Problem> {
        let Self {
            place,
            messages,
            metadata,
            expires_at,
            ..
        } = self;
        let mut news = Vec::with_capacity(messages.len());
        for message in messages {
            let mut memory =
                NewMemory::builder(message.content).metadata(ROLE, Value::Text(message.role));
            memory = metadata.iter().fold(memory, |memory, (key, value)| {
                memory.metadata(key, value.clone())
            });
            memory = place
                .tags
                .iter()
                .fold(memory, |memory, tag| memory.tag(tag.as_str()));
            if let Some(name) = message.name {
                memory = memory.metadata(ACTOR, Value::Text(name));
            }
            if let Some(expires_at) = expires_at {
                memory = memory.expires_at(expires_at);
            }
            // All of them are good before the first is stored.
            news.push(memory.build()?.by_hand());
        }
        news.into_iter().map(|memory| kept(space, memory)).collect()
    }

    /// Stores what a model finds in the messages.
    fn infer(mut self, app: &App, space: &Namespace) -> Result<Vec<Outcome>, Problem> {
        let messages = std::mem::take(&mut self.messages);
        let turns = messages
            .into_iter()
            .map(|message| self.turn(message))
            .collect::<Result<_, _>>()?;
        let made = extracted(space, &self.session, turns)?;
        let mut outcomes = Vec::with_capacity(made.len());
        for ExtractedMemory { memory, is_new } in made {
            let memory = edited(app, space, memory.id, |body| self.mark(body, is_new))?;
            let event = if is_new { "ADD" } else { "UPDATE" };
            outcomes.push(Outcome {
                id: memory.id,
                memory: memory.body.text,
                event,
            });
        }
        Ok(outcomes)
    }

    /// A message as a turn. It has the tags and the end of what is made of it, so that it goes when
    /// that goes.
    fn turn(&self, message: Message) -> Result<NewTurn, Problem> {
        let role = role_of(&message.role);
        let mut turn = NewTurn::builder(self.session.as_str(), message.content).role(role);
        turn = self
            .place
            .tags
            .iter()
            .fold(turn, |turn, tag| turn.tag(tag.as_str()));
        let name = message
            .name
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        if let Some(name) = name {
            turn = turn.speaker(name);
        }
        if let Some(expires_at) = self.expires_at {
            turn = turn.expires_at(expires_at);
        }
        Ok(turn.build()?)
    }

    /// Gives a memory that a model found what the request says of all of them.
    fn mark(&self, body: &mut Body, is_new: bool) -> Result<(), Problem> {
        for tag in &self.place.tags {
            let tag = Label::new("tag", tag.as_str())?;
            if !body.tags.contains(&tag) {
                body.tags.push(tag);
            }
        }
        body.metadata.extend(self.metadata.clone());
        // One that was there rests on more than these messages, and does not end with them.
        if is_new && self.expires_at.is_some() {
            body.expires_at = self.expires_at;
        }
        Ok(())
    }
}

fn kept(space: &Namespace, memory: NewMemory) -> Result<Outcome, Problem> {
    let admitted = space.admit(memory)?;
    let event = match admitted.admission {
        Admission::New => "ADD",
        Admission::Replaced => "UPDATE",
        Admission::Known => "NONE",
    };
    let memory = space
        .get(admitted.id)?
        .map(|memory| memory.body.text)
        .unwrap_or_default();
    Ok(Outcome {
        id: admitted.id,
        memory,
        event,
    })
}

/// The role of a turn, by the word of a message. `function` is what tools were called before.
fn role_of(word: &str) -> Role {
    match word {
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    }
}

/// Edits a memory while nobody else does; one that the edit leaves as it is gets no new revision.
fn edited(
    app: &App,
    space: &Namespace,
    id: MemoryId,
    edit: impl FnOnce(&mut Body) -> Result<(), Problem>,
) -> Result<StoredMemory, Problem> {
    let _alone = app.edits.lock(id);
    let before = found(space, id)?;
    let mut body = before.body.clone();
    edit(&mut body)?;
    if body == before.body {
        return Ok(before);
    }
    // What else is known of it stays, and so does an importance that has decayed.
    let said = annals::Said {
        importance: false,
        ..annals::Said::ALL
    };
    let memory = NewMemory::from_body(body)?
        .saying(said)
        .with_status(before.status);
    found(space, space.update(id, memory)?)
}

/// Corrects the text or the metadata of a memory.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Write>,
    Id(id): Id,
    Json(change): Json<Change>,
) -> Result<Json<Item>, Problem> {
    let (shared, whose) = (Arc::clone(&app), Arc::clone(&caller));
    let changed = app.run(move || {
        let (space, _) = locate(&shared, &whose, id)?;
        let memory = edited(&shared, &space, id, |body| {
            change.apply(body);
            Ok(())
        })?;
        Ok(item(space.name(), memory, None))
    });
    Ok(Json(caller.shown(changed.await?)))
}

impl Change {
    fn apply(self, body: &mut Body) {
        if let Some(text) = self.text {
            body.text = text;
        }
        if let Some(metadata) = self.metadata {
            let before = std::mem::replace(&mut body.metadata, metadata);
            // Who said it is no part of the metadata that clients see.
            let own = before
                .into_iter()
                .filter(|(key, _)| key == ROLE || key == ACTOR);
            body.metadata.extend(own);
        }
    }
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
    Ok(Json(Done {
        message: "Memory deleted successfully",
    }))
}

/// Deletes all memories of an owner for good, and what was said to make them.
pub(super) async fn delete_all(
    State(app): State<Arc<App>>,
    Limited { caller, .. }: Limited<Delete>,
    Query(params): Query<DeleteAllParams>,
) -> Result<Json<Done>, Problem> {
    let place = Place::of(params.into_owner(), &caller)?;
    let space = app.memory.namespace(&place.namespace)?;
    let filter = place.filter_with_turns()?;
    app.run(move || Ok(space.bulk().delete_where(&filter, Mode::Commit).map(drop)?))
        .await?;
    Ok(Json(Done {
        message: "All relevant memories deleted",
    }))
}

/// The end of a day, or the moment that is given.
fn end_of_day(text: &str) -> Result<Timestamp, Problem> {
    let moment = text
        .parse::<Timestamp>()
        .map_err(|error| Problem::new(Kind::BadValue, error.to_string()).at("/expiration_date"))?;
    let is_day = text.trim().len() == "2026-01-31".len();
    Ok(if is_day {
        moment.plus_millis(DAY_MILLIS)
    } else {
        moment
    })
}
