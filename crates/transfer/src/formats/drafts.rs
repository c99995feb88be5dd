//! Turns and memories as a file tells them, before they are checked.

use annals_engine::Error;
use annals_types::{
    Attachment, Layer, Metadata, NewMemory, NewMemoryBuilder, Role, Statement, Timestamp, ToolCall,
};

use super::values::label;
use crate::turn::ConversationTurn;

/// Something said, as a file tells it.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) session: String,
    pub(super) id: Option<String>,
    pub(super) role: Option<Role>,
    pub(super) speaker: Option<String>,
    pub(super) time: Option<Timestamp>,
    pub(super) text: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) attachments: Vec<Attachment>,
    pub(super) tags: Vec<String>,
    pub(super) metadata: Metadata,
}

impl Said {
    pub(super) fn by(session: &str, role: Role, text: impl Into<String>) -> Self {
        Self {
            session: session.to_owned(),
            role: Some(role),
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets a free field, where there is something to say.
    pub(super) fn field(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            self.metadata.insert(name.to_owned(), value.into());
        }
    }

    pub(super) fn into_turn(self, format: &'static str) -> ConversationTurn {
        let mut turn = ConversationTurn::said(&label(&self.session), self.text);
        turn.id = self.id;
        turn.role = self.role;
        turn.speaker = self
            .speaker
            .map(|name| label(&name))
            .filter(|name| !name.is_empty());
        turn.time = self.time;
        turn.tool_calls = self.tool_calls;
        turn.attachments = self.attachments;
        turn.tags = tags(self.tags);
        turn.metadata = self.metadata;
        turn.metadata.insert("origin".to_owned(), format.into());
        turn
    }
}

/// A memory, as a file tells it.
#[derive(Debug, Clone, Default)]
pub(super) struct Fact {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) kind: Option<String>,
    /// Whether it is always worth knowing.
    pub(super) is_core: bool,
    /// When it was noted.
    pub(super) time: Option<Timestamp>,
    pub(super) valid_from: Option<Timestamp>,
    pub(super) valid_until: Option<Timestamp>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) tags: Vec<String>,
    pub(super) metadata: Metadata,
    pub(super) said: Vec<Statement>,
}

impl Fact {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets a free field, where there is something to say.
    pub(super) fn field(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            self.metadata.insert(name.to_owned(), value.into());
        }
    }

    pub(super) fn build(&self, format: &'static str, text: &str) -> Result<NewMemory, Error> {
        let mut memory: NewMemoryBuilder = NewMemory::builder(text);
        if self.is_core {
            memory = memory.layer(Layer::Core);
        }
        if let Some(kind) = &self.kind {
            memory = memory.kind(label(kind));
        }
        if let Some(time) = self.time {
            memory = memory.event_time(time);
        }
        if let Some(time) = self.valid_from {
            memory = memory.valid_from(time);
        }
        // An end before the beginning is a mistake of the source.
        if let Some(time) = self
            .valid_until
            .filter(|until| self.valid_from.is_none_or(|from| from <= *until))
        {
            memory = memory.valid_until(time);
        }
        if let Some(time) = self.expires_at {
            memory = memory.expires_at(time);
        }
        for tag in tags(self.tags.clone()) {
            memory = memory.tag(tag);
        }
        for (name, value) in &self.metadata {
            memory = memory.metadata(name.clone(), value.clone());
        }
        if let Some(id) = &self.id {
            memory = memory.metadata("source_id", id.as_str());
        }
        Ok(memory.metadata("origin", format).build()?)
    }
}

/// The names of tags, as many as a memory has.
fn tags(tags: Vec<String>) -> Vec<String> {
    let named = tags
        .into_iter()
        .map(|tag| label(tag.trim_start_matches('#')))
        .filter(|tag| !tag.is_empty());
    let mut named: Vec<String> = named.collect();
    named.sort();
    named.dedup();
    named.truncate(32);
    named
}
