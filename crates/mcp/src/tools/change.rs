//! `update`, `forget` and `link`: changes of memories that are there.

use annals::{Label, MemoryId, NewMemory, Said, Status};
use rmcp::model::JsonObject;
use serde_json::json;

use super::arguments::{Call, Found, listed};
use super::remember::source_in;
use crate::reply::{Refusal, Reply};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    id: String,
    text: String,
    tags: Option<Vec<String>>,
}

pub(super) fn update(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Update = call.read(arguments)?;
    let id = call.id(&arguments.id)?;
    let Found { space, memory } = call.find_one(id)?;
    if let Some(by) = memory.superseded_by {
        return Err(call.refusal(
            "mcp-superseded",
            &[("id", &id.to_string()), ("by", &by.to_string())],
        ));
    }
    if memory.status == Status::Forgotten {
        return Err(call.refusal("mcp-is-forgotten", &[("id", &id.to_string())]));
    }
    let mut body = memory.body;
    body.text = arguments.text;
    if let Some(source) = source_in(&space)? {
        body.source = Some(source);
    }
    if let Some(tags) = arguments.tags {
        body.tags = tags
            .into_iter()
            .map(|tag| Label::new("tag", tag))
            .collect::<Result<_, _>>()?;
    }
    // Traits that were not changed stay as they are, an importance that has decayed among them.
    let said = Said {
        importance: false,
        ..Said::ALL
    };
    let new = NewMemory::from_body(body)?
        .saying(said)
        .with_status(memory.status);
    let id = space.update(id, new)?;
    Ok(Reply::new(
        call.text("mcp-updated", &[("id", &id.to_string())]),
        json!({ "id": id }),
    ))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Forget {
    ids: Vec<String>,
    #[serde(default)]
    restore: bool,
}

pub(super) fn forget(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let arguments: Forget = call.read(arguments)?;
    let ids = call.ids(&arguments.ids)?;
    // All of them are there before the first is changed; each namespace is one transaction.
    let found = call.find_all(&ids)?;
    for space in call.store.spaces()? {
        let here: Vec<MemoryId> = found
            .iter()
            .filter(|found| found.space.name() == space.name())
            .map(|found| found.memory.id)
            .collect();
        match here.is_empty() {
            true => {}
            false if arguments.restore => space.bulk().restore(&here)?,
            false => space.bulk().forget(&here)?,
        }
    }
    let (message, done) = if arguments.restore {
        ("mcp-restored", "restored")
    } else {
        ("mcp-forgotten", "forgotten")
    };
    Ok(Reply::new(
        call.text(message, &[("ids", &listed(&ids))]),
        json!({ done: ids }),
    ))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    from: String,
    relation: String,
    to: String,
    #[serde(default)]
    remove: bool,
}

pub(super) fn link(call: &Call<'_>, arguments: JsonObject) -> Result<Reply, Refusal> {
    let Link {
        from,
        relation,
        to,
        remove,
    } = call.read(arguments)?;
    let (from, to) = (call.id(&from)?, call.id(&to)?);
    let (first, second) = (call.find_one(from)?, call.find_one(to)?);
    if first.space.name() != second.space.name() {
        return Err(call.refusal("mcp-two-scopes", &[]));
    }
    let graph = first.space.graph();
    if remove {
        let removed = graph.unlink(from, &relation, to)?;
        let message = if removed {
            "mcp-unlinked"
        } else {
            "mcp-unlinked-none"
        };
        return Ok(Reply::new(
            call.text(message, &[]),
            json!({ "removed": removed }),
        ));
    }
    graph.link(from, &relation, to)?;
    let shown = crate::shown::line(&relation, 80).0;
    let ends = [
        ("from", from.to_string()),
        ("to", to.to_string()),
        ("relation", shown.clone()),
    ];
    let ends: Vec<(&str, &str)> = ends
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let data = json!({ "from": from, "relation": shown, "to": to });
    Ok(Reply::new(call.text("mcp-linked", &ends), data))
}
