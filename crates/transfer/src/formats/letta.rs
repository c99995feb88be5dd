//! Agent files of Letta (`.af`): messages, and the blocks of core memory; also the form before
//! them, and one that is written as a text of JSON.

use std::collections::HashMap;

use annals_engine::Error;
use annals_types::Role;
use serde_json::Value;

use super::outline::Outline;
use super::reading::{
    Fact, INSTRUCTIONS, PROGRAM, Reading, Said, THOUGHTS, TOOLS, UNKNOWN, call, first_text, id,
    list, text,
};

pub(super) fn tells(outline: &Outline) -> bool {
    let Outline::Json(values) = outline else {
        return false;
    };
    values.first().is_some_and(|first| match first {
        Value::String(inner) => {
            inner.trim_start().starts_with('{')
                && ["\"agent_type\"", "\"agents\"", "\"core_memory\""]
                    .iter()
                    .any(|name| inner.contains(name))
        }
        _ => is_new(first) || is_old(first),
    })
}

fn is_new(file: &Value) -> bool {
    file.get("agents").is_some_and(Value::is_array)
        && file.get("blocks").is_some_and(Value::is_array)
}

fn is_old(file: &Value) -> bool {
    file.get("agent_type").is_some() && file.get("core_memory").is_some_and(Value::is_array)
}

pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), Error> {
    let mut owners: HashMap<String, String> = HashMap::new();
    let entered: &[&str] = if reading.first().is_some_and(is_new) {
        &["agents[]", "blocks[]"]
    } else {
        &[]
    };
    reading.each(entered, &mut |reading, path, value| match path {
        "agents[]" => {
            let name = first_text(&value, &["name", "id"])
                .unwrap_or("agent")
                .to_owned();
            for block in list(&value, "block_ids").iter().filter_map(Value::as_str) {
                owners
                    .entry(block.to_owned())
                    .or_insert_with(|| name.clone());
            }
            agent(reading, &value)
        }
        "blocks[]" => {
            let owner = id(&value, "id").and_then(|block| owners.get(&block).cloned());
            block(reading, &value, owner.as_deref())
        }
        "" => document(reading, value),
        _ => Ok(()),
    })
}

/// A file that is read whole.
fn document(reading: &mut Reading<'_>, value: Value) -> Result<(), Error> {
    let value = match &value {
        Value::String(inner) => super::repair::parse(inner.as_bytes()).unwrap_or_default(),
        _ => value,
    };
    let owner = first_text(&value, &["name"]).map(str::to_owned);
    for one in list(&value, "core_memory")
        .iter()
        .chain(list(&value, "blocks"))
    {
        block(reading, one, owner.as_deref())?;
    }
    for one in list(&value, "agents") {
        agent(reading, one)?;
    }
    if value.get("messages").is_some() {
        agent(reading, &value)
    } else {
        Ok(())
    }
}

fn block(reading: &mut Reading<'_>, value: &Value, owner: Option<&str>) -> Result<(), Error> {
    let kind = text(value, "label").unwrap_or("block");
    let stem = reading.file.stem();
    let owner = owner.unwrap_or(&stem);
    let mut fact = Fact::new(text(value, "value").unwrap_or_default());
    fact.id = Some(format!("{owner}/{kind}"));
    fact.is_core = true;
    fact.time = reading.time(value, &["created_at"]);
    fact.tags.push(kind.to_owned());
    fact.field("agent", Some(owner));
    fact.field("description", text(value, "description"));
    reading.memory(fact)
}

fn agent(reading: &mut Reading<'_>, agent: &Value) -> Result<(), Error> {
    let session =
        first_text(agent, &["name", "id"]).map_or_else(|| reading.session_name(), str::to_owned);
    let mut calls = Vec::new();
    for message in list(agent, "messages") {
        let role = match text(message, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => {
                reading.leave(INSTRUCTIONS);
                continue;
            }
            Some("tool" | "approval") => {
                reading.leave(TOOLS);
                continue;
            }
            _ => {
                reading.leave(UNKNOWN);
                continue;
            }
        };
        let words = spoken(reading, message);
        let words = if role == Role::User {
            typed(&words)
        } else {
            Some(words)
        };
        let Some(mut words) = words else {
            reading.leave(PROGRAM);
            continue;
        };
        let had_calls = calls.len();
        for one in list(message, "tool_calls") {
            let Some(function) = one.get("function") else {
                continue;
            };
            let (name, arguments) = (
                text(function, "name").unwrap_or_default(),
                text(function, "arguments").unwrap_or_default(),
            );
            match sent(name, arguments) {
                Some(sent) => {
                    words = [words.as_str(), &sent]
                        .into_iter()
                        .filter(|part| !part.trim().is_empty())
                        .collect::<Vec<_>>()
                        .join("\n")
                }
                None => calls.extend(call(name, arguments, None)),
            }
        }
        if words.trim().is_empty() && calls.len() > had_calls {
            continue;
        }
        let mut said = Said::by(&session, role, words);
        said.id = id(message, "id").filter(|id| !is_numbered(id));
        said.time = reading.time(message, &["created_at"]);
        said.speaker = text(message, "name").map(str::to_owned);
        if role == Role::Assistant {
            said.tool_calls = std::mem::take(&mut calls);
        }
        reading.turn(said);
    }
    reading.leave_many(TOOLS, calls.len());
    reading.end_session()
}

/// Ids such as `message-12` count within a file alone.
fn is_numbered(id: &str) -> bool {
    id.strip_prefix("message-")
        .is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}

fn spoken(reading: &mut Reading<'_>, message: &Value) -> String {
    if let Some(words) = message
        .get("content")
        .and_then(Value::as_str)
        .or_else(|| text(message, "text"))
    {
        return words.to_owned();
    }
    let mut words = Vec::new();
    for part in list(message, "content") {
        match text(part, "type") {
            Some("reasoning" | "redacted_reasoning" | "omitted_reasoning") => {
                reading.leave(THOUGHTS)
            }
            Some("text") | None => words.extend(text(part, "text")),
            Some(_) => reading.leave(UNKNOWN),
        }
    }
    words.join("\n")
}

/// What the user typed: the program wraps it, and writes in his name as well.
fn typed(words: &str) -> Option<String> {
    if words.trim_start().starts_with('{')
        && let Ok(wrapped) = serde_json::from_str::<Value>(words)
        && let Some(kind) = text(&wrapped, "type")
    {
        return (kind == "user_message")
            .then(|| text(&wrapped, "message").unwrap_or_default().to_owned());
    }
    Some(crate::transcripts::own_words(words).to_owned())
}

/// The words that an assistant sends with a call.
fn sent(name: &str, arguments: &str) -> Option<String> {
    if name != "send_message" {
        return None;
    }
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    text(&arguments, "message").map(str::to_owned)
}
