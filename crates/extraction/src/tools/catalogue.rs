use serde_json::{Value, json};

use crate::provider::Tool;

/// The tools of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Toolset {
    /// The memory graph: `create_memory`, `link_memories`, `search_memories`, `update_memory_importance`.
    Graph,
    /// The two levels of search: `search_memory`, `search_conversation_traces`.
    Agent,
    /// What is not in the prompt: `recall_memory`.
    Markdown,
}

impl Toolset {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Graph, Self::Agent, Self::Markdown];

    /// The tools of a built-in profile; `None` for one whose model calls none.
    #[must_use]
    pub fn of_profile(name: &str) -> Option<Self> {
        match name {
            "graph" => Some(Self::Graph),
            "agent" => Some(Self::Agent),
            "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Graph => include_str!("../../data/tools/graph.json"),
            Self::Agent => include_str!("../../data/tools/agent.json"),
            Self::Markdown => include_str!("../../data/tools/markdown.json"),
        }
    }

    fn list(self) -> Vec<Value> {
        // The files are part of the crate, and a test reads them.
        serde_json::from_str(self.text()).unwrap_or_default()
    }
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
    set.list().iter().map(tool).collect()
}

/// The tools of a set as JSON in the form that APIs with function calling take: `{"tools": [{"type": "function", "function": ...}]}`.
#[must_use]
pub fn schemas(set: Toolset) -> String {
    let tools: Vec<Value> = set.list().into_iter().map(|tool| json!({"type": "function", "function": tool})).collect();
    serde_json::to_string_pretty(&json!({ "tools": tools })).unwrap_or_default()
}
