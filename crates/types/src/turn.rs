use serde::{Deserialize, Serialize};

use crate::label::check_label;
use crate::memory::{Body, NewMemory, check_text};
use crate::{InvalidValue, Kind, Label, Layer, Role, Timestamp};

/// The longest list of tool calls or attachments of one turn.
const MAX_ITEMS: usize = 1024;
const MAX_MEDIA_TYPE_BYTES: usize = 128;
const MAX_URI_BYTES: usize = 4096;

/// A call of a tool during a turn, verbatim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool.
    pub name: Label,
    /// Its arguments as the model wrote them, usually JSON.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arguments: String,
    /// Its result, if it returned one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// A file that belongs to a turn, by reference: annals stores where it is, never its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Where the file is: a path or a URI. Never opened by annals.
    pub uri: String,
    /// Its media type, such as `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// A description that is searched with the turn's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// The fields that make a memory a turn of a conversation. The turn's text is the memory's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The conversation.
    pub session: Label,
    /// The place in the session, counted from 0. Assigned when the turn is stored; before that it
    /// is 0.
    #[serde(default)]
    pub position: u32,
    /// The name of the speaker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<Label>,
    /// In what role.
    pub role: Role,
    /// The answer, when question and answer are kept as one turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// Tools called while answering.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Files that came with the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
}

impl Turn {
    pub(crate) fn check(&self) -> Result<(), InvalidValue> {
        if let Some(reply) = &self.reply {
            check_text("reply", reply)?;
        }
        for (field, count) in [
            ("tool calls", self.tool_calls.len()),
            ("attachments", self.attachments.len()),
        ] {
            if count > MAX_ITEMS {
                return Err(InvalidValue::TooMany {
                    field,
                    count,
                    limit: MAX_ITEMS,
                });
            }
        }
        for call in &self.tool_calls {
            for (field, text) in [
                ("tool arguments", Some(&call.arguments)),
                ("tool result", call.result.as_ref()),
            ] {
                if let Some(text) = text.filter(|t| !t.is_empty()) {
                    check_text(field, text)?;
                }
            }
        }
        for attachment in &self.attachments {
            check_label("attachment uri", &attachment.uri, MAX_URI_BYTES)?;
            if let Some(media_type) = &attachment.media_type {
                check_label("attachment media type", media_type, MAX_MEDIA_TYPE_BYTES)?;
            }
            if let Some(caption) = &attachment.caption {
                check_text("attachment caption", caption)?;
            }
        }
        Ok(())
    }
}

/// A turn about to be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "NewMemory")]
pub struct NewTurn(NewMemory);

impl TryFrom<NewMemory> for NewTurn {
    type Error = InvalidValue;

    /// # Errors
    /// [`InvalidValue::Empty`] for a memory that is no turn.
    fn try_from(memory: NewMemory) -> Result<Self, InvalidValue> {
        match memory.body().turn {
            Some(_) => Ok(Self(memory)),
            None => Err(InvalidValue::Empty { field: "turn" }),
        }
    }
}

impl NewTurn {
    /// Starts a turn of `session`. The role is `user` unless said otherwise; the time is that of
    /// storing.
    pub fn builder(session: impl Into<String>, text: impl Into<String>) -> NewTurnBuilder {
        NewTurnBuilder {
            session: session.into(),
            text: text.into(),
            speaker: None,
            role: Role::User,
            time: None,
            reply: None,
            tool_calls: Vec::new(),
            attachments: Vec::new(),
            tags: Vec::new(),
            expires_at: None,
        }
    }
}

impl From<NewTurn> for NewMemory {
    fn from(turn: NewTurn) -> Self {
        turn.0
    }
}

/// Collects the parts of a [`NewTurn`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until build()"]
pub struct NewTurnBuilder {
    session: String,
    text: String,
    speaker: Option<String>,
    role: Role,
    time: Option<Timestamp>,
    reply: Option<String>,
    tool_calls: Vec<ToolCall>,
    attachments: Vec<Attachment>,
    tags: Vec<String>,
    expires_at: Option<Timestamp>,
}

impl NewTurnBuilder {
    /// Sets the speaker.
    pub fn speaker(mut self, name: impl Into<String>) -> Self {
        self.speaker = Some(name.into());
        self
    }

    /// In what role; `user` by default.
    pub const fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// When it was said; the moment of storing by default.
    pub const fn time(mut self, time: Timestamp) -> Self {
        self.time = Some(time);
        self
    }

    /// Sets the answer.
    pub fn reply(mut self, reply: impl Into<String>) -> Self {
        self.reply = Some(reply.into());
        self
    }

    /// Adds a tool call.
    pub fn tool_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }

    /// Adds a file by reference.
    pub fn attachment(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }

    /// Adds a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// When it stops being shown, with its attachments; never by default.
    pub const fn expires_at(mut self, moment: Timestamp) -> Self {
        self.expires_at = Some(moment);
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    /// [`InvalidValue`], naming the first part that is not allowed.
    pub fn build(self) -> Result<NewTurn, InvalidValue> {
        let mut body = Body::new(Layer::Turn, Kind::new("turn")?, self.text);
        body.event_time = self.time;
        body.expires_at = self.expires_at;
        body.tags = self
            .tags
            .into_iter()
            .map(|t| Label::new("tag", t))
            .collect::<Result<_, _>>()?;
        body.turn = Some(Turn {
            session: Label::new("session", self.session)?,
            position: 0,
            speaker: self.speaker.map(|s| Label::new("speaker", s)).transpose()?,
            role: self.role,
            reply: self.reply.filter(|r| !r.trim().is_empty()),
            tool_calls: self.tool_calls,
            attachments: self.attachments,
        });
        NewMemory::from_body(body).map(NewTurn)
    }
}
