use serde_json::{Map, Value, json};

use super::OmittedParts;
use super::form::form;
use super::openai::{rounded, schema};
use crate::provider::{Message, Reply, Request, Speaker, Stop, ToolUse, Usage};

/// The body of a request. A form of the answer becomes a tool that has to be called.
pub(super) fn body(model: &str, request: &Request, spared: OmittedParts) -> String {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("max_tokens".to_owned(), request.max_tokens.into());
    if !spared.has(OmittedParts::TEMPERATURE) {
        body.insert(
            "temperature".to_owned(),
            rounded(request.temperature.min(1.0)).into(),
        );
    }
    let system: Vec<&str> = request
        .messages
        .iter()
        .filter(|m| m.speaker == Speaker::System)
        .map(|m| &*m.text)
        .collect();
    if !system.is_empty() {
        body.insert("system".to_owned(), system.join("\n\n").into());
    }
    body.insert("messages".to_owned(), messages(&request.messages));
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            let parameters = schema(&tool.parameters);
            json!({"name": tool.name, "description": tool.description, "input_schema": parameters})
        })
        .collect();
    if let Some((name, schema)) = form(request, spared) {
        tools.push(
            json!({"name": name, "description": "Gives the answer.", "input_schema": schema}),
        );
        body.insert(
            "tool_choice".to_owned(),
            json!({"type": "tool", "name": name}),
        );
    }
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.into());
    }
    Value::Object(body).to_string()
}

/// Messages as blocks; neighbours of one role are one message, as the protocol wants it.
fn messages(messages: &[Message]) -> Value {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages
        .iter()
        .filter(|message| message.speaker != Speaker::System)
    {
        let role = if message.speaker == Speaker::Assistant {
            "assistant"
        } else {
            "user"
        };
        let blocks = blocks(message);
        match out.last_mut() {
            Some((last, known)) if *last == role => known.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    out.into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    if let Some(call) = &message.answers {
        return vec![json!({"type": "tool_result", "tool_use_id": call, "content": message.text})];
    }
    let mut blocks = Vec::new();
    if !message.text.is_empty() {
        blocks.push(json!({"type": "text", "text": message.text}));
    }
    blocks.extend(
        message.calls.iter().map(
            |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": schema(&call.arguments)}),
        ),
    );
    blocks
}

/// The reply in an answer; `None` when it is none.
pub(super) fn read(bytes: &[u8], request: &Request) -> Option<Reply> {
    let answer: Value = serde_json::from_slice(bytes).ok()?;
    let blocks = answer.get("content")?.as_array()?;
    let (mut text, mut calls) = (String::new(), Vec::new());
    for block in blocks {
        let field = |name: &str| block.get(name).and_then(Value::as_str);
        match field("type") {
            Some("text") => text.push_str(field("text").unwrap_or_default()),
            Some("tool_use") => {
                let name = field("name")?.to_owned();
                let arguments = block
                    .get("input")
                    .map_or_else(|| "{}".to_owned(), Value::to_string);
                if request
                    .schema
                    .as_ref()
                    .is_some_and(|form| form.name == name)
                {
                    text = arguments;
                } else {
                    calls.push(ToolUse {
                        id: field("id").unwrap_or_default().to_owned(),
                        name,
                        arguments,
                    });
                }
            }
            _ => {}
        }
    }
    let stop = match answer.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens") => Stop::Length,
        Some("refusal") => Stop::Refused,
        _ if !calls.is_empty() => Stop::Tools,
        _ => Stop::End,
    };
    let tokens = |name: &str| {
        answer
            .get("usage")
            .and_then(|usage| usage.get(name))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    let usage = Usage {
        input: tokens("input_tokens"),
        output: tokens("output_tokens"),
        estimated: false,
    };
    Some(Reply {
        text,
        calls,
        usage,
        stop,
    })
}
