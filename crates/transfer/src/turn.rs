//! A turn as text has it: in a line of an import, in a document of conversations.

use std::collections::BTreeMap;

use annals_types::{
    Attachment, InvalidValue, Metadata, NewMemory, NewTurn, Role, Timestamp, ToolCall,
};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::written;

/// The metadata field that keeps the id which a turn had where it came from.
pub const TURN_ID: &str = "turn_id";

/// A turn of a conversation in the normal form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversationTurn {
    /// Its id where it comes from; a number counts as a text.
    #[serde(default, deserialize_with = "written::id")]
    pub id: Option<String>,
    /// The name of its session.
    pub session: String,
    /// The text that was said.
    pub text: String,
    /// The name of the speaker; spaces around it are dropped, a blank one counts as none.
    #[serde(default)]
    pub speaker: Option<String>,
    /// The part of the speaker; when absent the one that the speaker is called by (`assistant`), or
    /// else that of the user.
    #[serde(default)]
    pub role: Option<Role>,
    /// When it was said: RFC 3339, or seconds or milliseconds since 1970.
    #[serde(default, deserialize_with = "written::time")]
    pub time: Option<Timestamp>,
    /// The answer to it; a blank one counts as none.
    #[serde(default)]
    pub reply: Option<String>,
    /// Tools called while answering.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
    /// Files that were sent along, by reference.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Free fields.
    #[serde(default)]
    pub metadata: Metadata,
    #[serde(flatten)]
    unknown: BTreeMap<String, Unread>,
}

/// The value of a field that is not read; only its name counts.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Unread;

impl<'de> Deserialize<'de> for Unread {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl Serialize for Unread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl ConversationTurn {
    /// A turn that says no more than this.
    pub(super) fn said(session: &str, text: String) -> Self {
        Self {
            id: None,
            session: session.to_owned(),
            text,
            speaker: None,
            role: None,
            time: None,
            reply: None,
            tool_calls: Vec::new(),
            attachments: Vec::new(),
            tags: Vec::new(),
            metadata: Metadata::new(),
            unknown: BTreeMap::new(),
        }
    }

    /// Takes note of fields that the normal form does not have.
    pub(super) fn pass_over(&mut self, fields: BTreeMap<String, IgnoredAny>) {
        self.unknown = fields.into_keys().map(|name| (name, Unread)).collect();
    }

    /// The names of fields that the normal form does not have, in order.
    pub fn unknown_fields(&self) -> impl Iterator<Item = &str> {
        self.unknown.keys().map(String::as_str)
    }

    /// Whether it says nothing, such as a picture without a caption; no memory can be made of it.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(super) fn build(self) -> Result<NewMemory, InvalidValue> {
        let mut turn = NewTurn::builder(self.session, self.text);
        let speaker = self
            .speaker
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        if let Some(speaker) = speaker {
            turn = turn.speaker(speaker);
        }
        let called = || speaker.and_then(|speaker| speaker.to_ascii_lowercase().parse().ok());
        if let Some(role) = self.role.or_else(called) {
            turn = turn.role(role);
        }
        if let Some(time) = self.time {
            turn = turn.time(time);
        }
        if let Some(reply) = self.reply {
            turn = turn.reply(reply);
        }
        for call in self.tool_calls {
            turn = turn.tool_call(call);
        }
        for attachment in self.attachments {
            turn = turn.attachment(attachment);
        }
        for tag in self.tags {
            turn = turn.tag(tag);
        }
        let turn: NewMemory = turn.build()?.into();
        let mut body = turn.into_body();
        body.metadata = self.metadata;
        if let Some(id) = self.id {
            body.metadata.insert(TURN_ID.to_owned(), id.as_str().into());
        }
        NewMemory::from_body(body)
    }
}
