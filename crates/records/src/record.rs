//! The stored form of a row, independent of the types that callers use.

use std::borrow::Cow;

use annals_types::{
    Attachment, Body, Commit, Importance, Label, Layer, MemoryId, Metadata, Role, Row, Status, Timestamp, ToolCall,
    UnitScore,
};

use crate::keyspaces::ROWS;
use crate::wire::{Broken, Put, Take};
use crate::{LabelId, RecordError};

/// The version written today.
pub(crate) const VERSION: u8 = 1;

const VERIFIED: u64 = 1;
const IMPORTANCE: u64 = 1 << 1;
const CONFIDENCE: u64 = 1 << 2;
const SOURCE: u64 = 1 << 3;
const PROVENANCE: u64 = 1 << 4;
const TAGS: u64 = 1 << 5;
const METADATA: u64 = 1 << 6;
const EVENT_TIME: u64 = 1 << 7;
const VALID_FROM: u64 = 1 << 8;
const VALID_UNTIL: u64 = 1 << 9;
const EXPIRES_AT: u64 = 1 << 10;
const TURN: u64 = 1 << 11;
const REPLACES: u64 = 1 << 12;
const SUPERSEDES: u64 = 1 << 13;
const REVISION: u64 = 1 << 14;
const SPEAKER: u64 = 1 << 15;
const REPLY: u64 = 1 << 16;
const TOOL_CALLS: u64 = 1 << 17;
const ATTACHMENTS: u64 = 1 << 18;
const KNOWN: u64 = (1 << 19) - 1;

/// The turn part of a [`RowRecord`].
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord<'a> {
    /// The conversation.
    pub session: LabelId,
    /// The place in it.
    pub position: u32,
    /// Who spoke.
    pub speaker: Option<LabelId>,
    /// In what role.
    pub role: Role,
    /// What was answered.
    pub reply: Option<Cow<'a, str>>,
    /// Tools called.
    pub tool_calls: Cow<'a, [ToolCall]>,
    /// Files by reference.
    pub attachments: Cow<'a, [Attachment]>,
}

/// A row as it is stored: labels are numbers, everything else is as in a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRecord<'a> {
    /// The public id.
    pub id: MemoryId,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// The commit that stored it.
    pub born: Commit,
    /// The status it was stored with.
    pub status: Status,
    /// Its role in storage.
    pub layer: Layer,
    /// Its kind.
    pub kind: LabelId,
    /// The text.
    pub text: Cow<'a, str>,
    /// How much it matters.
    pub importance: f32,
    /// How sure it is.
    pub confidence: f32,
    /// Whether a person confirmed it.
    pub verified: bool,
    /// Who or what stored it.
    pub source: Option<LabelId>,
    /// What it was derived from.
    pub provenance: Cow<'a, [MemoryId]>,
    /// Its tags, in the order of their names.
    pub tags: Vec<LabelId>,
    /// Free fields as a JSON object; `None` for none.
    pub metadata: Option<Cow<'a, str>>,
    /// When what it tells happened.
    pub event_time: Option<Timestamp>,
    /// From when on it is true.
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    pub valid_until: Option<Timestamp>,
    /// When it stops being shown.
    pub expires_at: Option<Timestamp>,
    /// Present for a turn.
    pub turn: Option<TurnRecord<'a>>,
    /// The row it replaced, unless that one was erased.
    pub replaces: Option<Row>,
    /// The id of what it replaced, when that is another one.
    pub supersedes: Option<MemoryId>,
    /// The number of this revision, from 1.
    pub revision: u32,
}

impl RowRecord<'_> {
    /// Bytes of text and reply.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        let reply = self.turn.as_ref().and_then(|turn| turn.reply.as_ref()).map_or(0, |reply| reply.len());
        (self.text.len() + reply) as u64
    }

    fn flags(&self) -> u64 {
        let turn = self.turn.as_ref();
        let bits = [
            (VERIFIED, self.verified),
            (IMPORTANCE, self.importance.to_bits() != Importance::DEFAULT.get().to_bits()),
            (CONFIDENCE, self.confidence.to_bits() != UnitScore::ONE.get().to_bits()),
            (SOURCE, self.source.is_some()),
            (PROVENANCE, !self.provenance.is_empty()),
            (TAGS, !self.tags.is_empty()),
            (METADATA, self.metadata.is_some()),
            (EVENT_TIME, self.event_time.is_some()),
            (VALID_FROM, self.valid_from.is_some()),
            (VALID_UNTIL, self.valid_until.is_some()),
            (EXPIRES_AT, self.expires_at.is_some()),
            (TURN, turn.is_some()),
            (REPLACES, self.replaces.is_some()),
            (SUPERSEDES, self.supersedes.is_some()),
            (REVISION, self.revision != 1),
            (SPEAKER, turn.is_some_and(|turn| turn.speaker.is_some())),
            (REPLY, turn.is_some_and(|turn| turn.reply.is_some())),
            (TOOL_CALLS, turn.is_some_and(|turn| !turn.tool_calls.is_empty())),
            (ATTACHMENTS, turn.is_some_and(|turn| !turn.attachments.is_empty())),
        ];
        bits.iter().filter(|(_, set)| *set).map(|(bit, _)| bit).sum()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(self.text.len() + 64);
        put.varint(self.flags());
        put.raw(self.id.as_bytes());
        // Ids carry their moment, so this is nearly always a zero.
        put.zigzag(self.stored_at.as_millis().wrapping_sub(self.id.timestamp().as_millis()));
        put.varint(self.born.0);
        put.byte(self.status.to_byte());
        put.byte(self.layer.to_byte());
        put.varint(u64::from(self.kind.0));
        put.text(&self.text);
        if self.importance.to_bits() != Importance::DEFAULT.get().to_bits() {
            put.raw(&self.importance.to_le_bytes());
        }
        if self.confidence.to_bits() != UnitScore::ONE.get().to_bits() {
            put.raw(&self.confidence.to_le_bytes());
        }
        self.encode_lists(&mut put);
        for moment in [self.event_time, self.valid_from, self.valid_until, self.expires_at].into_iter().flatten() {
            put.zigzag(moment.as_millis().wrapping_sub(self.stored_at.as_millis()));
        }
        if let Some(turn) = &self.turn {
            turn.encode(&mut put);
        }
        if let Some(row) = self.replaces {
            put.varint(u64::from(row.0));
        }
        if let Some(id) = self.supersedes {
            put.raw(id.as_bytes());
        }
        if self.revision != 1 {
            put.varint(u64::from(self.revision));
        }
        put.finish()
    }

    fn encode_lists(&self, put: &mut Put) {
        if let Some(source) = self.source {
            put.varint(u64::from(source.0));
        }
        if !self.provenance.is_empty() {
            put.length(self.provenance.len());
            self.provenance.iter().for_each(|id| put.raw(id.as_bytes()));
        }
        if !self.tags.is_empty() {
            put.length(self.tags.len());
            self.tags.iter().for_each(|tag| put.varint(u64::from(tag.0)));
        }
        if let Some(metadata) = &self.metadata {
            put.text(metadata);
        }
    }
}

impl<'a> RowRecord<'a> {
    /// A copy that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> RowRecord<'static> {
        fn own<T: ToOwned + ?Sized>(value: Cow<'_, T>) -> Cow<'static, T> {
            Cow::Owned(value.into_owned())
        }
        RowRecord {
            text: own(self.text),
            provenance: own(self.provenance),
            metadata: self.metadata.map(own),
            turn: self.turn.map(|turn| TurnRecord {
                reply: turn.reply.map(own),
                tool_calls: own(turn.tool_calls),
                attachments: own(turn.attachments),
                ..turn
            }),
            ..self
        }
    }

    pub(crate) fn decode(body: &'a [u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let flags = take.varint()?;
        if flags & !KNOWN != 0 {
            return Err(Broken("a row has parts that are unknown"));
        }
        let has = |bit: u64| flags & bit != 0;
        let id = MemoryId::from_bytes(take.array()?);
        let stored_at = Timestamp::from_millis(id.timestamp().as_millis().wrapping_add(take.zigzag()?));
        let mut row = Self {
            id,
            stored_at,
            born: Commit(take.varint()?),
            status: Status::from_byte(take.byte()?).ok_or(Broken("a status is unknown"))?,
            layer: Layer::from_byte(take.byte()?).ok_or(Broken("a layer is unknown"))?,
            kind: LabelId(take.varint32()?),
            text: Cow::Borrowed(take.text()?),
            importance: if has(IMPORTANCE) { f32::from_le_bytes(take.array()?) } else { Importance::DEFAULT.get() },
            confidence: if has(CONFIDENCE) { f32::from_le_bytes(take.array()?) } else { UnitScore::ONE.get() },
            verified: has(VERIFIED),
            source: if has(SOURCE) { Some(LabelId(take.varint32()?)) } else { None },
            provenance: if has(PROVENANCE) { Cow::Owned(ids(&mut take)?) } else { Cow::default() },
            tags: if has(TAGS) { numbers(&mut take)? } else { Vec::new() },
            metadata: if has(METADATA) { Some(Cow::Borrowed(take.text()?)) } else { None },
            event_time: None,
            valid_from: None,
            valid_until: None,
            expires_at: None,
            turn: None,
            replaces: None,
            supersedes: None,
            revision: 1,
        };
        let moments = [
            (EVENT_TIME, &mut row.event_time),
            (VALID_FROM, &mut row.valid_from),
            (VALID_UNTIL, &mut row.valid_until),
            (EXPIRES_AT, &mut row.expires_at),
        ];
        for (bit, place) in moments {
            if has(bit) {
                *place = Some(Timestamp::from_millis(stored_at.as_millis().wrapping_add(take.zigzag()?)));
            }
        }
        if has(TURN) {
            row.turn = Some(TurnRecord::decode(flags, &mut take)?);
        }
        if has(REPLACES) {
            row.replaces = Some(Row(take.varint32()?));
        }
        if has(SUPERSEDES) {
            row.supersedes = Some(MemoryId::from_bytes(take.array()?));
        }
        if has(REVISION) {
            row.revision = take.varint32()?;
        }
        take.end()?;
        Ok(row)
    }
}

impl<'a> TurnRecord<'a> {
    fn encode(&self, put: &mut Put) {
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

    fn decode(flags: u64, take: &mut Take<'a>) -> Result<Self, Broken> {
        let has = |bit: u64| flags & bit != 0;
        let mut turn = Self {
            session: LabelId(take.varint32()?),
            position: take.varint32()?,
            role: Role::from_byte(take.byte()?).ok_or(Broken("a role is unknown"))?,
            speaker: if has(SPEAKER) { Some(LabelId(take.varint32()?)) } else { None },
            reply: if has(REPLY) { Some(Cow::Borrowed(take.text()?)) } else { None },
            tool_calls: Cow::default(),
            attachments: Cow::default(),
        };
        if has(TOOL_CALLS) {
            let mut calls = Vec::new();
            for _ in 0..take.count(3)? {
                let name = Label::new("tool", take.text()?).map_err(|_| Broken("a tool name is no label"))?;
                calls.push(ToolCall { name, arguments: take.text()?.to_owned(), result: optional_text(take)? });
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

fn ids(take: &mut Take<'_>) -> Result<Vec<MemoryId>, Broken> {
    (0..take.count(16)?).map(|_| take.array().map(MemoryId::from_bytes)).collect()
}

fn numbers(take: &mut Take<'_>) -> Result<Vec<LabelId>, Broken> {
    (0..take.count(1)?).map(|_| take.varint32().map(LabelId)).collect()
}

/// A stored row, checked for its version.
pub(crate) fn open<'a>(key: &[u8], version: u8, body: &'a [u8]) -> Result<RowRecord<'a>, RecordError> {
    if version > VERSION {
        return Err(RecordError::too_new(ROWS, key, version, VERSION));
    }
    RowRecord::decode(body).map_err(|broken| RecordError::damaged(ROWS, key, broken))
}

/// The metadata of a body as JSON; `None` when there are none.
pub(crate) fn metadata_json(body: &Body) -> Option<String> {
    // Metadata have text keys and finite numbers, which JSON can always say.
    (!body.metadata.is_empty()).then(|| serde_json::to_string(&body.metadata).unwrap_or_default())
}

pub(crate) fn metadata_from(json: Option<&str>) -> Result<Metadata, Broken> {
    json.map_or(Ok(Metadata::new()), |json| serde_json::from_str(json).map_err(|_| Broken("the metadata are no JSON")))
}
