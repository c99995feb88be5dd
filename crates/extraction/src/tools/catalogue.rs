use annals_messages::Messages;
use annals_types::profile::Toolset;
use serde_json::{Value, json};

use super::words;
use crate::provider::Tool;

const fn text(set: Toolset) -> &'static str {
    match set {
        Toolset::Graph => include_str!("../../data/tools/graph.json"),
        Toolset::Agent => include_str!("../../data/tools/agent.json"),
        Toolset::Markdown => include_str!("../../data/tools/markdown.json"),
    }
}

/// The tools of a set, described by messages. Words to choose from that are stored in Chinese are
/// offered in the language of the messages.
fn list(set: Toolset, messages: &Messages) -> Vec<Value> {
    // The files are part of the crate, and a test reads them.
    let mut tools: Vec<Value> = serde_json::from_str(text(set)).unwrap_or_default();
    for tool in &mut tools {
        let id = format!(
            "tool-{}",
            tool.get("name").and_then(Value::as_str).unwrap_or_default()
        );
        describe(tool, messages.text(&id, &[]));
        let properties = tool
            .pointer_mut("/parameters/properties")
            .and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            if let Some(told) = messages.part(&id, name, &[]) {
                describe(property, told);
            }
            for words in ["/enum", "/items/enum"] {
                if let Some(Value::Array(words)) = property.pointer_mut(words) {
                    words.iter_mut().for_each(|word| translate(word, messages));
                }
            }
            let inner = property
                .get_mut("properties")
                .and_then(Value::as_object_mut);
            for (inner, property) in inner.into_iter().flatten() {
                if let Some(told) = messages.part(&id, &format!("{name}-{inner}"), &[]) {
                    describe(property, told);
                }
            }
        }
    }
    tools
}

fn describe(value: &mut Value, description: String) {
    if let Value::Object(object) = value {
        object.insert("description".to_owned(), Value::String(description));
    }
}

fn translate(word: &mut Value, messages: &Messages) {
    let shown = word
        .as_str()
        .and_then(words::message)
        .and_then(|id| messages.try_text(id, &[]));
    if let Some(shown) = shown {
        *word = Value::String(shown);
    }
}

/// The tools of a set, for a [`Request`](crate::provider::Request).
#[must_use]
pub fn tools(set: Toolset, messages: &Messages) -> Vec<Tool> {
    let text = |value: &Value, name: &str| {
        value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let tool = |value: &Value| Tool {
        name: text(value, "name"),
        description: text(value, "description"),
        parameters: value
            .get("parameters")
            .map(Value::to_string)
            .unwrap_or_default(),
    };
    list(set, messages).iter().map(tool).collect()
}

/// The tools of a set as JSON in the form that APIs with function calling take: `{"tools":
/// [{"type": "function", "function": ...}]}`.
#[must_use]
pub fn schemas(set: Toolset, messages: &Messages) -> String {
    let function = |tool| json!({"type": "function", "function": tool});
    let tools: Vec<Value> = list(set, messages).into_iter().map(function).collect();
    serde_json::to_string_pretty(&json!({ "tools": tools })).unwrap_or_default()
}
