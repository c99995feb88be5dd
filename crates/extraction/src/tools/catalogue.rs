use serde_json::{Value, json};

use crate::provider::Tool;
use annals_types::profile::Toolset;

const fn text(set: Toolset) -> &'static str {
    match set {
        Toolset::Graph => include_str!("../../data/tools/graph.json"),
        Toolset::Agent => include_str!("../../data/tools/agent.json"),
        Toolset::Markdown => include_str!("../../data/tools/markdown.json"),
    }
}

fn list(set: Toolset) -> Vec<Value> {
    // The files are part of the crate, and a test reads them.
    serde_json::from_str(text(set)).unwrap_or_default()
}

/// The tools of a set, for a [`Request`](crate::provider::Request).
#[must_use]
pub fn tools(set: Toolset) -> Vec<Tool> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let tool = |value: &Value| Tool {
        name: text(value, "name"),
        description: text(value, "description"),
        parameters: value.get("parameters").map(Value::to_string).unwrap_or_default(),
    };
    list(set).iter().map(tool).collect()
}

/// The tools of a set as JSON in the form that APIs with function calling take: `{"tools":
/// [{"type": "function", "function": ...}]}`.
#[must_use]
pub fn schemas(set: Toolset) -> String {
    let tools: Vec<Value> = list(set).into_iter().map(|tool| json!({"type": "function", "function": tool})).collect();
    serde_json::to_string_pretty(&json!({ "tools": tools })).unwrap_or_default()
}
