//! A conversation with the language model of the server: with the memory, or without a trace in it.

use annals::blocking::Namespace;
use annals::llm::provider::{Message, Provider, Request};
use annals::{Cancel, ContextRequest, Filter, Layer, ListQuery, MemoryId, NewTurn, Role};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::{Limited, Read, Space, Write};
use crate::dto::{IdText, MemoryView};
use crate::extract::Json;
use crate::problem::{Kind, Problem};

/// The new memories of a round that are told at most.
const TOLD: usize = 20;

/// A message to the model.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatBody {
    /// The conversation.
    #[schema(min_length = 1)]
    session: String,
    /// What is said.
    #[schema(min_length = 1)]
    message: String,
    /// What was said before, the oldest first.
    #[serde(default)]
    earlier: Vec<ChatMessage>,
    /// Whether nothing is kept of it, and no memory is used.
    #[serde(default)]
    temporary: bool,
}

/// A message of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatMessage {
    /// Who said it.
    by: ChatRole,
    /// What was said.
    text: String,
}

/// Who says something to whom.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChatRole {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// What the model answered.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChatReply {
    /// The answer.
    reply: String,
    /// The memories that it may rest on, where the profile shows them.
    used: Vec<UsedMemory>,
    /// What was learnt from the round.
    remembered: Vec<MemoryView>,
}

/// A memory that an answer may rest on.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UsedMemory {
    /// The memory.
    #[schema(value_type = IdText)]
    id: MemoryId,
    /// Its text.
    text: String,
}

/// Says something to the model. Both messages are kept and looked through, unless the conversation
/// is temporary.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/chat", tag = "conversations",
    security(("token" = ["read", "write"]), ("session" = ["read", "write"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ChatBody, responses((status = 200, body = ChatReply))
)]
pub(crate) async fn chat(
    // The model answers out of the memory.
    _access: Limited<Read>,
    space: Space<Write>,
    Json(body): Json<ChatBody>,
) -> Result<Json<ChatReply>, Problem> {
    let Some(model) = space.app.memory.model() else {
        return Err(Problem::of(Kind::NoModel));
    };
    let answered = space.run(move |space| {
        if body.temporary {
            // The memory is not even asked.
            let reply = ask(&*model, messages(None, &body))?;
            return Ok(ChatReply {
                reply,
                used: Vec::new(),
                remembered: Vec::new(),
            });
        }
        remembering(space, &*model, &body)
    });
    Ok(Json(answered.await?))
}

fn remembering(
    space: &Namespace,
    model: &dyn Provider,
    body: &ChatBody,
) -> Result<ChatReply, Problem> {
    let mut request = ContextRequest::new(body.message.as_str())
        .session(body.session.as_str())
        .agent("chat");
    request.earlier = body.earlier.iter().map(|said| said.text.clone()).collect();
    let context = space.context(request)?;
    let reply = ask(
        model,
        messages(Some(context.text).filter(|text| !text.is_empty()), body),
    )?;
    let said = NewTurn::builder(body.session.as_str(), body.message.as_str()).build()?;
    let answered = NewTurn::builder(body.session.as_str(), reply.as_str())
        .role(Role::Assistant)
        .build()?;
    let told = space.sessions().append(vec![said, answered])?;
    space.queue().work_off()?;
    let mut used = Vec::with_capacity(context.memory_refs.len());
    for id in context.memory_refs {
        if let Some(memory) = space.get(id)? {
            used.push(UsedMemory {
                id,
                text: memory.body.text,
            });
        }
    }
    Ok(ChatReply {
        reply,
        used,
        remembered: learnt(space, told.first().copied())?,
    })
}

/// The memories that are newer than a turn.
fn learnt(space: &Namespace, turn: Option<MemoryId>) -> Result<Vec<MemoryView>, Problem> {
    let filter = Filter {
        layers: vec![Layer::Semantic, Layer::Core],
        ..Filter::default()
    };
    let newest = space.list(&ListQuery {
        filter,
        limit: TOLD,
        newest_first: true,
        ..ListQuery::default()
    })?;
    let new = newest
        .memories
        .into_iter()
        .filter(|memory| turn.is_some_and(|turn| memory.id > turn));
    Ok(new.map(MemoryView::from).collect())
}

fn messages(context: Option<String>, body: &ChatBody) -> Vec<Message> {
    let mut all: Vec<Message> = context.map(Message::system).into_iter().collect();
    for said in &body.earlier {
        all.push(match said.by {
            ChatRole::User => Message::user(said.text.as_str()),
            ChatRole::Assistant => Message::assistant(said.text.as_str(), Vec::new()),
        });
    }
    all.push(Message::user(body.message.as_str()));
    all
}

fn ask(model: &dyn Provider, messages: Vec<Message>) -> Result<String, Problem> {
    let request = Request {
        max_tokens: model.answer_tokens().first,
        ..Request::new("chat", messages)
    };
    let reply = model.chat(&request, &Cancel::new()).map_err(|error| {
        // Its address and what it says are for whoever runs the server.
        tracing::error!(%error, "the language model does not answer");
        Problem::of(Kind::Model)
    })?;
    if reply.text.trim().is_empty() {
        Err(Problem::of(Kind::Model))
    } else {
        Ok(reply.text)
    }
}
