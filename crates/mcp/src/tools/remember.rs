//! `remember`: one memory for later conversations.

use annals::blocking::Namespace;
use annals::messages::cause;
use annals::{Admission, Admitted, Label, Missing, NewMemory, Timestamp};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::{Call, given};
use crate::reply::{Refusal, Reply};
use crate::shown;

/// The source of memories that came this way.
const SOURCE: &str = "mcp";

/// The source that a memory of a namespace gets here; none where its profile lists sources and this
/// is not among them.
pub(super) fn source_in(space: &Namespace) -> Result<Option<Label>, Refusal> {
    let sources = space.admin().settings()?.taxonomy.sources;
    let is_allowed = sources.is_empty() || sources.iter().any(|source| source.id == SOURCE);
    if is_allowed {
        Ok(Some(Label::new("source", SOURCE)?))
    } else {
        Ok(None)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    date: Option<String>,
    scope: Option<String>,
}

pub(super) fn run(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Arguments = call.read(arguments)?;
    let space = space(call, arguments.scope.as_deref())?;
    let mut memory = NewMemory::builder(arguments.text.as_str());
    if let Some(source) = source_in(&space)? {
        memory = memory.source(source.as_str());
    }
    if let Some(kind) = given(arguments.kind.as_deref()) {
        memory = memory.kind(kind);
    }
    if let Some(date) = given(arguments.date.as_deref()) {
        memory = memory.event_time(date.parse::<Timestamp>()?);
    }
    for tag in &arguments.tags {
        memory = memory.tag(tag.as_str());
    }
    let memory = memory.build()?;
    let Admitted { id, admission, .. } = space
        .admit(memory)
        .map_err(|error| kinds(call, &space, error))?;
    let known_as = match admission {
        Admission::Known => space
            .get(id)?
            .map(|memory| shown::line(&memory.body.text, 280).0),
        Admission::New | Admission::Replaced => None,
    };
    let shown_id = id.to_string();
    let text = match &known_as {
        Some(known) => call.text("mcp-known", &[("id", &shown_id), ("text", known)]),
        None => call.text("mcp-remembered", &[("id", &shown_id)]),
    };
    let mut data = json!({ "id": id });
    if let Value::Object(data) = &mut data {
        if let Some(scope) = call.store.reach.scope_of(space.name()) {
            data.insert("scope".to_owned(), scope.into());
        }
        if let Some(known) = known_as {
            data.insert("known_as".to_owned(), known.into());
        }
    }
    Ok(Reply::new(text, data))
}

/// The namespace of a scope.
fn space(call: &Call<'_>, scope: Option<&str>) -> Result<Namespace, Refusal> {
    match given(scope) {
        Some(scope) => Ok(call.store.memory.namespace(call.namespace_of(scope)?)?),
        None => Ok(call.store.first()?),
    }
}

/// An error about a kind, with the kinds that there are.
fn kinds(call: &Call<'_>, space: &Namespace, error: annals::Error) -> Refusal {
    if error.missing() != Some(Missing::Kind) {
        return error.into();
    }
    let Ok(settings) = space.admin().settings() else {
        return error.into();
    };
    let known: Vec<String> = settings
        .taxonomy
        .kinds
        .iter()
        .map(|kind| shown::line(&kind.id, 40).0)
        .collect();
    let said = error
        .wording()
        .and_then(|wording| cause(call.messages.language(), &wording));
    let reason = said.map_or_else(|| format!("{error}. "), |said| said + "。");
    call.bad(&format!(
        "{reason}{}",
        call.text("mcp-kinds", &[("kinds", &known.join(", "))])
    ))
}
