//! What a prompt gets.

use annals::{ContextRequest, MemoryId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::{Read, Space};
use crate::dto::IdText;
use crate::extract::Json;
use crate::problem::Problem;

/// For which message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextBody {
    /// The message that is to be answered.
    #[schema(min_length = 1)]
    message: String,
    /// Recent messages before it, oldest first.
    #[serde(default)]
    earlier: Vec<String>,
    /// The conversation, whose messages given here are not recalled as well.
    session: Option<String>,
}

/// What is put into a prompt.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Context)]
pub(crate) struct ContextView {
    /// All of it.
    text: String,
    /// Its parts, as the profile orders them.
    parts: Vec<ContextPartView>,
    /// How many tokens it has.
    tokens: usize,
    /// How many memories found no room.
    left_out: usize,
    /// Why it was made by words only, when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_vectors: Option<String>,
}

/// A part of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContextPart)]
pub(crate) struct ContextPartView {
    /// The name in the profile.
    name: String,
    /// Its text.
    text: String,
    /// The memories that it holds.
    #[schema(value_type = Vec<IdText>)]
    ids: Vec<MemoryId>,
}

/// What a prompt gets for a message. Nothing counts as used by it.
#[utoipa::path(
    post, path = "/v1/namespaces/{ns}/context", tag = "memories",
    security(("token" = ["read"]), ("session" = ["read"])),
    params(("ns" = String, Path, description = "The name of the namespace")),
    request_body = ContextBody, responses((status = 200, body = ContextView))
)]
pub(crate) async fn context(space: Space<Read>, Json(body): Json<ContextBody>) -> Result<Json<ContextView>, Problem> {
    let mut request = ContextRequest::new(body.message);
    request.earlier = body.earlier;
    request.session = body.session;
    request.peek = true;
    let made = space.run(move |space| Ok(space.context(request)?)).await?;
    let part = |part: annals::ContextPart| ContextPartView { name: part.name, text: part.text, ids: part.ids };
    Ok(Json(ContextView {
        text: made.text,
        parts: made.parts.into_iter().map(part).collect(),
        tokens: made.tokens,
        left_out: made.left_out,
        without_vectors: made.without_vectors,
    }))
}
