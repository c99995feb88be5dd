use std::borrow::Cow;

use annals_types::{Attachment, Label, Role, ToolCall};

use super::{ATTACHMENTS, REPLY, SPEAKER, TOOL_CALLS};
use crate::LabelId;
use crate::wire::{Broken, Put, Take};

/// The turn part of a [`RowRecord`](super::RowRecord).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnRecord<'a> {
    /// The conversation.
    pub session: LabelId,
    /// The place in it.
    pub position: u32,
    /// The speaker.
    pub speaker: Option<LabelId>,
    /// In what role.
    pub role: Role,
    /// The answer.
    pub reply: Option<Cow<'a, str>>,
    /// Tools called.
    pub tool_calls: Cow<'a, [ToolCall]>,
    /// Files by reference.
    pub attachments: Cow<'a, [Attachment]>,
}

impl<'a> TurnRecord<'a> {
    pub(super) fn encode(&self, put: &mut Put) {
        put.varint(u64::from(self.session.0));
        put.varint(u64::from(self.position));
        put.byte(self.role.to_byte());
        if let Some(speaker) = self.speaker {
            put.varint(u64::from(speaker.0));
        }
        if let Some(reply) = &self.reply {
            put.text(reply);
        }
        if !self.tool_calls.is_empty() {
            put.length(self.tool_calls.len());
            for call in self.tool_calls.iter() {
                put.text(call.name.as_str());
                put.text(&call.arguments);
                optional(put, call.result.as_deref());
            }
        }
        if !self.attachments.is_empty() {
            put.length(self.attachments.len());
            for attachment in self.attachments.iter() {
                put.text(&attachment.uri);
                optional(put, attachment.media_type.as_deref());
                optional(put, attachment.caption.as_deref());
            }
        }
    }

    pub(super) fn decode(flags: u64, take: &mut Take<'a>) -> Result<Self, Broken> {
        let has = |bit: u64| flags & bit != 0;
        let mut turn = Self {
            session: LabelId(take.varint32()?),
            position: take.varint32()?,
            role: Role::from_byte(take.byte()?).ok_or(Broken("a role is unknown"))?,
            speaker: if has(SPEAKER) {
                Some(LabelId(take.varint32()?))
            } else {
                None
            },
            reply: if has(REPLY) {
                Some(Cow::Borrowed(take.text()?))
            } else {
                None
            },
            tool_calls: Cow::default(),
            attachments: Cow::default(),
        };
        if has(TOOL_CALLS) {
            let mut calls = Vec::new();
            for _ in 0..take.count(3)? {
                let name = Label::new("tool", take.text()?)
                    .map_err(|_| Broken("a tool name is no label"))?;
                calls.push(ToolCall {
                    name,
                    arguments: take.text()?.to_owned(),
                    result: optional_text(take)?,
                });
            }
            turn.tool_calls = Cow::Owned(calls);
        }
        if has(ATTACHMENTS) {
            let mut attachments = Vec::new();
            for _ in 0..take.count(3)? {
                attachments.push(Attachment {
                    uri: take.text()?.to_owned(),
                    media_type: optional_text(take)?,
                    caption: optional_text(take)?,
                });
            }
            turn.attachments = Cow::Owned(attachments);
        }
        Ok(turn)
    }
}

fn optional(put: &mut Put, text: Option<&str>) {
    put.byte(u8::from(text.is_some()));
    if let Some(text) = text {
        put.text(text);
    }
}

fn optional_text(take: &mut Take<'_>) -> Result<Option<String>, Broken> {
    match take.byte()? {
        0 => Ok(None),
        1 => Ok(Some(take.text()?.to_owned())),
        _ => Err(Broken("an optional text has an unknown mark")),
    }
}
