use serde::{Deserialize, Serialize};

use crate::{Label, Layer, Memory, MemoryId, Metadata, Timestamp, Value};

/// The names under which a memory of the episodic layer keeps the parts of an [`Episode`].
const GOAL: &str = "goal";
const OUTCOME: &str = "outcome";
const ENTITIES: &str = "entities";
const TOOLS: &str = "tools_used";
const STARTED: &str = "started_at";
const SESSION: &str = "session";

/// A summarizer's account of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EpisodeDraft {
    /// The events.
    pub summary: String,
    /// The goal.
    pub goal: String,
    /// The outcome.
    pub outcome: String,
    /// People, things and places that it was about.
    pub entities: Vec<String>,
}

/// A session in short: the memory of the episodic layer that its end leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Episode {
    /// The memory.
    pub id: MemoryId,
    /// The session.
    pub session_id: Label,
    /// The events.
    pub summary: String,
    /// The goal; empty when it is not known.
    pub goal: String,
    /// The outcome; empty when it is not known.
    pub outcome: String,
    /// People, things and places that it was about.
    pub entities: Vec<String>,
    /// Tools that were called, as the turns say, each once, in the order of their first calls.
    pub tools_used: Vec<String>,
    /// When the first of its turns was said.
    pub started_at: Timestamp,
    /// When the last of its turns was said.
    pub ended_at: Timestamp,
}

impl EpisodeDraft {
    /// The fields of the memory that it becomes, from the turns it was made of: session, goal,
    /// outcome, entities, tools, beginning.
    #[must_use]
    pub fn metadata(&self, session: &Label, turns: &[Memory]) -> Metadata {
        let list = |items: Vec<String>| Value::List(items.into_iter().map(Value::Text).collect());
        let started = turns.first().map(time).unwrap_or_default();
        [
            (SESSION, Value::Text(session.as_str().to_owned())),
            (GOAL, Value::Text(self.goal.clone())),
            (OUTCOME, Value::Text(self.outcome.clone())),
            (
                ENTITIES,
                list(distinct(
                    self.entities.iter().map(|name| name.trim().to_owned()),
                )),
            ),
            (TOOLS, list(tools(turns))),
            (STARTED, Value::Text(started.to_string())),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
    }
}

impl Episode {
    /// The episode that a memory holds; `None` for a memory that is none.
    #[must_use]
    pub fn of(memory: &Memory) -> Option<Self> {
        let body = &memory.body;
        if body.layer != Layer::Episodic {
            return None;
        }
        let text = |key: &str| match body.metadata.get(key) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let list = |key: &str| match body.metadata.get(key) {
            Some(Value::List(items)) => items.iter().filter_map(as_text).collect(),
            _ => Vec::new(),
        };
        let ended_at = body.event_time.unwrap_or(memory.stored_at);
        Some(Self {
            id: memory.id,
            session_id: Label::new("session", text(SESSION)).ok()?,
            summary: body.text.clone(),
            goal: text(GOAL),
            outcome: text(OUTCOME),
            entities: list(ENTITIES),
            tools_used: list(TOOLS),
            started_at: text(STARTED).parse().unwrap_or(ended_at),
            ended_at,
        })
    }

    /// The episode as Markdown under some titles.
    #[must_use]
    pub fn to_markdown(&self, titles: &EpisodeTitles) -> String {
        let mut lines = vec![
            format!(
                "### {} ({} - {})",
                titles.episode, self.started_at, self.ended_at
            ),
            String::new(),
        ];
        let joined = |items: &[String]| items.join(", ");
        for (label, value) in [
            (&titles.summary, self.summary.clone()),
            (&titles.goal, self.goal.clone()),
            (&titles.outcome, self.outcome.clone()),
            (&titles.tools, joined(&self.tools_used)),
            (&titles.entities, joined(&self.entities)),
        ] {
            if !value.trim().is_empty() {
                lines.push(format!(
                    "- {label}: {}",
                    value.split_whitespace().collect::<Vec<_>>().join(" ")
                ));
            }
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

/// The titles in which an episode is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpisodeTitles {
    /// Above the whole.
    pub episode: String,
    /// Before the summary.
    pub summary: String,
    /// Before the goal.
    pub goal: String,
    /// Before the outcome.
    pub outcome: String,
    /// Before the tools.
    pub tools: String,
    /// Before the entities.
    pub entities: String,
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

fn time(memory: &Memory) -> Timestamp {
    memory.body.event_time.unwrap_or(memory.stored_at)
}

/// The tools that turns called, each once.
fn tools(turns: &[Memory]) -> Vec<String> {
    let calls = turns
        .iter()
        .filter_map(|memory| memory.body.turn.as_ref())
        .flat_map(|turn| &turn.tool_calls);
    distinct(calls.map(|call| call.name.as_str().to_owned()))
}

fn distinct(items: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items.filter(|item| !item.is_empty()) {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
