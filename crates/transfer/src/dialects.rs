//! The forms in which libraries write messages, as the one that is read: `role`, `content`,
//! `tool_calls`, `tool_call_id`.

use serde_json::{Map, Value, json};

/// Whether a document, or a line of one, holds messages.
pub(crate) fn is_of_messages(value: &Value) -> bool {
    match value {
        Value::Array(entries) => {
            entries.is_empty()
                || entries
                    .iter()
                    .take(3)
                    .any(|entry| is_of_messages(entry) || is_message(entry))
        }
        _ => is_message(value) || is_chat(value),
    }
}

/// Whether a message is that of a user.
pub(crate) fn is_of_user(value: &Value) -> bool {
    ["role", "type", "from"]
        .iter()
        .any(|field| matches!(text(value, field), Some("user" | "human")))
}

fn is_message(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    let kind = text(value, "type").unwrap_or_default();
    has("role")
        && ["content", "tool_calls", "blocks", "parts"]
            .iter()
            .any(|name| has(name))
        || speaker(kind).is_some()
            && (has("content")
                || value
                    .get("data")
                    .is_some_and(|data| data.get("content").is_some()))
        || text(value, "type") == Some("constructor")
            && value
                .get("kwargs")
                .is_some_and(|inner| inner.get("content").is_some())
        || ["function_call", "function_call_output"].contains(&kind) && has("call_id")
        || has("from") && has("value")
}

pub(crate) fn is_chat(value: &Value) -> bool {
    let first = |list: Option<&Value>| {
        list.and_then(Value::as_array)
            .map(|list| list.first().is_none_or(is_message))
    };
    value.get("messages").is_some_and(Value::is_array)
        || value
            .get("body")
            .is_some_and(|body| body.get("messages").is_some_and(Value::is_array))
        || first(value.get("conversations")) == Some(true)
        || text(value, "instruction").is_some() && value.get("output").is_some()
        || is_store(value)
}

fn is_store(value: &Value) -> bool {
    let lists = |store: &Map<String, Value>| store.values().all(Value::is_array);
    value
        .get("store")
        .and_then(Value::as_object)
        .is_some_and(lists)
}

/// What holds messages, as objects with `messages`; every other value stays as it is.
pub(crate) fn chat(mut value: Value) -> Value {
    if is_store(&value) {
        let store = value.get_mut("store").map(Value::take).unwrap_or_default();
        let Value::Object(store) = store else {
            return store;
        };
        return store
            .into_iter()
            .map(|(session, messages)| json!({ "session": session, "messages": messages }))
            .collect();
    }
    if let Some(messages) = value
        .get_mut("body")
        .and_then(|body| body.get_mut("messages"))
        .map(Value::take)
    {
        let id = value.get("custom_id").cloned().unwrap_or_default();
        return json!({ "id": id, "messages": messages });
    }
    if let Some(said) = value
        .get_mut("conversations")
        .filter(|said| said.is_array())
        .map(Value::take)
    {
        let id = value.get("id").cloned().unwrap_or_default();
        return json!({ "id": id, "messages": said });
    }
    if text(&value, "instruction").is_some() && value.get("output").is_some() {
        return instruction(&value);
    }
    value
}

/// An instruction and its answer, with those before it.
fn instruction(value: &Value) -> Value {
    let mut messages = Vec::new();
    for round in value
        .get("history")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        for (role, at) in [("user", 0), ("assistant", 1)] {
            messages.push(json!({ "role": role, "content": round.get(at) }));
        }
    }
    let asked = [text(value, "instruction"), text(value, "input")];
    let asked: Vec<&str> = asked
        .into_iter()
        .flatten()
        .filter(|text| !text.trim().is_empty())
        .collect();
    messages.push(json!({ "role": "user", "content": asked.join("\n") }));
    messages.push(json!({ "role": "assistant", "content": value.get("output") }));
    json!({ "id": value.get("id"), "messages": messages })
}

/// A message as one or several of the common form.
pub(crate) fn messages(value: Value) -> Vec<Value> {
    match text(&value, "type") {
        Some("constructor") => {
            let class = value
                .get("id")
                .and_then(Value::as_array)
                .and_then(|path| path.last()?.as_str());
            let class = class
                .unwrap_or_default()
                .trim_end_matches("Chunk")
                .trim_end_matches("Message");
            let class = class.to_ascii_lowercase();
            return library(&class, value.get("kwargs").unwrap_or(&Value::Null))
                .map_or_else(|| vec![value.clone()], |one| vec![one]);
        }
        Some("function_call") if value.get("role").is_none() => {
            let function =
                json!({ "name": value.get("name"), "arguments": value.get("arguments") });
            let call = json!({ "id": value.get("call_id"), "function": function });
            return vec![json!({ "role": "assistant", "tool_calls": [call] })];
        }
        Some("function_call_output") => {
            let (id, output) = (value.get("call_id"), value.get("output"));
            return vec![json!({ "role": "tool", "tool_call_id": id, "content": output })];
        }
        Some(kind) if value.get("role").is_none() && speaker(kind).is_some() => {
            let inner = value.get("data").unwrap_or(&value);
            return library(kind, inner).map_or_else(|| vec![value.clone()], |one| vec![one]);
        }
        _ => {}
    }
    if let (Some(from), true) = (
        text(&value, "from"),
        value.get("role").is_none() && value.get("value").is_some(),
    ) {
        return vec![shared(from, &value)];
    }
    if value.get("role").is_some() && value.get("blocks").is_some_and(Value::is_array) {
        return vec![blocks(&value)];
    }
    parted(value)
}

/// The role of a name of the libraries.
fn speaker(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "human" | "HumanMessageChunk" => "user",
        "ai" | "AIMessageChunk" => "assistant",
        "system" => "system",
        "tool" | "function" => "tool",
        "chat" => "user",
        _ => return None,
    })
}

/// A message of LangChain.
fn library(kind: &str, inner: &Value) -> Option<Value> {
    let role = text(inner, "role").or_else(|| speaker(kind))?;
    let mut message = Map::new();
    message.insert("role".to_owned(), role.into());
    for name in ["content", "name", "id", "tool_call_id"] {
        if let Some(value) = inner.get(name).filter(|value| !value.is_null()) {
            message.insert(name.to_owned(), value.clone());
        }
    }
    let calls = inner
        .get("tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|call| {
            let function = json!({ "name": call.get("name"), "arguments": call.get("args") });
            json!({ "id": call.get("id"), "function": function })
        });
    let calls: Vec<Value> = calls.collect();
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    parted(Value::Object(message)).into_iter().next()
}

/// A message of ShareGPT.
fn shared(from: &str, value: &Value) -> Value {
    let said = value.get("value").cloned().unwrap_or_default();
    match from {
        "function_call" => {
            let call: Option<Value> = said
                .as_str()
                .and_then(|said| serde_json::from_str(said).ok());
            let name = call
                .as_ref()
                .and_then(|call| text(call, "name"))
                .unwrap_or("function")
                .to_owned();
            let arguments = call
                .as_ref()
                .and_then(|call| call.get("arguments"))
                .unwrap_or(&said)
                .clone();
            json!({ "role": "assistant", "tool_calls": [{ "function": { "name": name, "arguments": arguments } }] })
        }
        "human" | "user" => json!({ "role": "user", "content": said }),
        "gpt" | "assistant" | "chatgpt" | "model" | "bot" | "bard" => {
            json!({ "role": "assistant", "content": said })
        }
        "observation" | "tool" | "function_response" => json!({ "role": "tool", "content": said }),
        "system" => json!({ "role": "system", "content": said }),
        other => json!({ "role": other, "content": said }),
    }
}

/// A message of LlamaIndex.
fn blocks(value: &Value) -> Value {
    let blocks = value
        .get("blocks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let parts =
        blocks.map(|block| json!({ "type": text(block, "block_type"), "text": block.get("text") }));
    let extra = value.get("additional_kwargs");
    let calls = extra
        .and_then(|extra| extra.get("tool_calls"))
        .filter(|calls| calls.is_array());
    let of = extra.and_then(|extra| extra.get("tool_call_id"));
    let parts: Vec<Value> = parts.collect();
    json!({ "role": value.get("role"), "content": parts, "tool_calls": calls, "tool_call_id": of })
}

/// A message of Anthropic: calls of tools and their results stand among the parts of its content.
fn parted(mut value: Value) -> Vec<Value> {
    let is =
        |part: &Value, kinds: &[&str]| text(part, "type").is_some_and(|kind| kinds.contains(&kind));
    let (used, brought) = (
        ["tool_use", "server_tool_use"],
        ["tool_result", "web_search_tool_result"],
    );
    let Some(parts) = value.get_mut("content").and_then(Value::as_array_mut) else {
        return vec![value];
    };
    if !parts
        .iter()
        .any(|part| is(part, &used) || is(part, &brought))
    {
        return vec![value];
    }
    let (mut calls, mut results, mut said) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts.drain(..) {
        if is(&part, &used) {
            let function = json!({ "name": part.get("name"), "arguments": part.get("input") });
            calls.push(json!({ "id": part.get("id"), "function": function }));
        } else if is(&part, &brought) {
            let (id, content) = (part.get("tool_use_id"), part.get("content"));
            results.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
        } else {
            said.push(part);
        }
    }
    let only_results = said.is_empty() && calls.is_empty();
    if let Some(message) = value.as_object_mut() {
        message.insert("content".to_owned(), said.into());
        if !calls.is_empty() {
            let known = message
                .get_mut("tool_calls")
                .and_then(Value::as_array_mut)
                .map(std::mem::take);
            // Both forms may tell the same call.
            message.insert(
                "tool_calls".to_owned(),
                known
                    .filter(|known| !known.is_empty())
                    .unwrap_or(calls)
                    .into(),
            );
        }
    }
    results.extend((!only_results).then_some(value));
    results
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field)?.as_str()
}
