use serde_json::{Map, Value, json};

use super::OmittedParts;
use super::form::form;
use crate::provider::{Message, Reply, Request, Speaker, Stop, ToolUse, Usage};

/// The body of a request.
pub(super) fn body(model: &str, request: &Request, spared: OmittedParts) -> String {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert(
        "messages".to_owned(),
        request.messages.iter().map(message).collect(),
    );
    let limit = if spared.has(OmittedParts::MAX_TOKENS) {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    body.insert(limit.to_owned(), request.max_tokens.into());
    if !spared.has(OmittedParts::TEMPERATURE) {
        body.insert(
            "temperature".to_owned(),
            rounded(request.temperature).into(),
        );
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let parameters = schema(&tool.parameters);
            let function = json!({"name": tool.name, "description": tool.description, "parameters": parameters});
            json!({"type": "function", "function": function})
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    if let Some((name, schema)) = form(request, spared) {
        let form = json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema}});
        body.insert("response_format".to_owned(), form);
    }
    Value::Object(body).to_string()
}

/// The names in a list of models; `None` for what is no such list. Anthropic's has the same form.
pub(super) fn models(bytes: &[u8]) -> Option<Vec<String>> {
    let list: Value = serde_json::from_slice(bytes).ok()?;
    let name = |model: &Value| model.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(
        list.get("data")?
            .as_array()?
            .iter()
            .filter_map(name)
            .collect(),
    )
}

/// 0.1 in single precision is 0.10000000149 in double: what is sent is what was meant.
pub(super) fn rounded(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(0.0)
}

pub(super) fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({"type": "object"}))
}

fn message(message: &Message) -> Value {
    let role = match message.speaker {
        Speaker::System => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Tool => "tool",
    };
    let mut said = json!({"role": role, "content": message.text});
    let Value::Object(fields) = &mut said else {
        return said;
    };
    if !message.calls.is_empty() {
        let calls = message.calls.iter().map(|call| {
            json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
        });
        fields.insert("tool_calls".to_owned(), calls.collect());
    }
    if let Some(call) = &message.answers {
        fields.insert("tool_call_id".to_owned(), call.as_str().into());
    }
    said
}

/// The reply in an answer; `None` when it is none.
pub(super) fn read(bytes: &[u8]) -> Option<Reply> {
    let answer: Value = serde_json::from_slice(bytes).ok()?;
    let choice = answer.get("choices")?.get(0)?;
    let message = choice.get("message")?;
    let calls: Vec<ToolUse> = message
        .get("tool_calls")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(call)
        .collect();
    let stop = match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => Stop::Length,
        Some("content_filter") => Stop::Refused,
        Some("tool_calls" | "function_call") => Stop::Tools,
        _ if !calls.is_empty() => Stop::Tools,
        _ => Stop::End,
    };
    let text = text(message.get("content"));
    let refused = text.is_empty() && message.get("refusal").is_some_and(Value::is_string);
    let tokens = |name: &str| {
        answer
            .get("usage")
            .and_then(|usage| usage.get(name))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    };
    let usage = Usage {
        input: tokens("prompt_tokens"),
        output: tokens("completion_tokens"),
        estimated: false,
    };
    Some(Reply {
        text,
        calls,
        usage,
        stop: if refused { Stop::Refused } else { stop },
    })
}

/// A text, or the texts among parts.
pub(super) fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        _ => String::new(),
    }
}

fn call((at, call): (usize, &Value)) -> Option<ToolUse> {
    let function = call.get("function")?;
    let name = function.get("name")?.as_str()?.to_owned();
    // Some servers give the arguments as an object and no id.
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(value) if !value.is_null() => value.to_string(),
        _ => "{}".to_owned(),
    };
    let id = call
        .get("id")
        .and_then(Value::as_str)
        .map_or_else(|| format!("call_{at}"), str::to_owned);
    Some(ToolUse {
        id,
        name,
        arguments,
    })
}
