//! `remember`: one memory for later conversations.

use annals::blocking::Namespace;
use annals::{Admission, Admitted, Missing, NewMemory, Timestamp};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::arguments::Call;
use crate::reply::{Refusal, Reply};
use crate::shown;

/// The source of memories that came this way.
pub(super) const SOURCE: &str = "mcp";

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
    let mut memory = NewMemory::builder(arguments.text.as_str()).source(SOURCE);
    if let Some(kind) = arguments.kind.as_deref().filter(|kind| !kind.trim().is_empty()) {
        memory = memory.kind(kind);
    }
    if let Some(date) = arguments.date.as_deref().filter(|date| !date.trim().is_empty()) {
        memory = memory.event_time(date.parse::<Timestamp>()?);
    }
    for tag in &arguments.tags {
        memory = memory.tag(tag.as_str());
    }
    let memory = memory.build()?;
    let Admitted { id, admission, .. } = space.admit(memory).map_err(|error| kinds(call, &space, error))?;
    let stored = space.get(id)?.map(|memory| memory.body.text).unwrap_or_default();
    let known = admission == Admission::Known;
    let (shown_id, short) = (id.to_string(), shown::line(&stored, 280).0);
    let text = match known {
        true => call.text("mcp-known", &[("id", &shown_id), ("text", &short)]),
        false => call.text("mcp-remembered", &[("id", &shown_id)]),
    };
    let mut data = json!({ "id": id });
    if let Value::Object(data) = &mut data {
        if let Some(scope) = call.store.reach.scope_of(space.name()) {
            data.insert("scope".to_owned(), scope.into());
        }
        if known {
            data.insert("known_as".to_owned(), short.into());
        }
    }
    Ok(Reply::new(text, data))
}

/// The namespace of a scope.
fn space(call: &Call<'_>, scope: Option<&str>) -> Result<Namespace, Refusal> {
    let Some(scope) = scope.filter(|scope| !scope.trim().is_empty()) else { return Ok(call.store.first()?) };
    Ok(call.store.memory.namespace(call.namespace_of(scope.trim())?)?)
}

/// An error about a kind, with the kinds that there are.
fn kinds(call: &Call<'_>, space: &Namespace, error: annals::Error) -> Refusal {
    if error.missing() != Some(Missing::Kind) {
        return error.into();
    }
    let Ok(settings) = space.admin().settings() else { return error.into() };
    let known: Vec<String> = settings.taxonomy.kinds.iter().map(|kind| shown::line(&kind.id, 40).0).collect();
    call.bad(&format!("{error}. {}", call.text("mcp-kinds", &[("kinds", &known.join(", "))])))
}
