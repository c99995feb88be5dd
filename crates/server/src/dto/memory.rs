//! Memories: as they are stored, added and edited.

use std::collections::BTreeSet;

use annals::{
    Admission, Body, Importance, InvalidValue, Kind, Label, Layer, MemoryId, NewMemory, Revision,
    Role, Said, Status, StoredMemory, Timestamp, Turn, UnitScore,
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{AdmissionWord, HoldsTexts, IdText, LayerWord, MetadataValue, RoleWord, StatusWord};

/// A memory with everything that is known of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Memory)]
pub(crate) struct MemoryView {
    /// Its id.
    #[schema(value_type = IdText)]
    pub(crate) id: MemoryId,
    /// What it says.
    text: String,
    /// Its kind, a word of the profile.
    kind: String,
    /// The layer that it belongs to.
    #[schema(value_type = LayerWord)]
    layer: Layer,
    /// Whether it takes part in answers.
    #[schema(value_type = StatusWord)]
    pub(crate) status: Status,
    /// How much it matters, as it was said when it was stored.
    #[schema(minimum = 0)]
    importance: f32,
    /// How sure it is, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f32,
    /// Whether a person confirmed it.
    verified: bool,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Its tags.
    tags: Vec<String>,
    /// Its free fields.
    #[schema(value_type = BTreeMap<String, MetadataValue>)]
    metadata: annals::Metadata,
    /// The memories that it was derived from.
    #[schema(value_type = Vec<IdText>)]
    provenance: Vec<MemoryId>,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// From when on it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Timestamp>,
    /// Until when it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
    /// When it goes by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// When this text was stored.
    #[schema(value_type = String, format = DateTime)]
    stored_at: Timestamp,
    /// The times that its text names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named_times: Vec<IntervalView>,
    /// The memory that it took the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    supersedes: Option<MemoryId>,
    /// The memory that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<IdText>)]
    superseded_by: Option<MemoryId>,
    /// The number of this text, counted from 1.
    revision: u32,
    /// For a turn of a conversation: where it was said, and by whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<TurnView>,
}

/// A stretch of time, its end excluded.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Interval)]
pub(crate) struct IntervalView {
    /// The first moment inside.
    #[schema(value_type = String, format = DateTime)]
    start: Timestamp,
    /// The first moment after.
    #[schema(value_type = String, format = DateTime)]
    end: Timestamp,
}

impl From<annals::Interval> for IntervalView {
    fn from(interval: annals::Interval) -> Self {
        Self {
            start: interval.start,
            end: interval.end,
        }
    }
}

/// A turn of a conversation.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Turn)]
pub(crate) struct TurnView {
    /// The conversation.
    session: String,
    /// The place in it, from 0 on.
    position: u32,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    speaker: Option<String>,
    /// The part that they have in it.
    #[schema(value_type = RoleWord)]
    role: Role,
    /// What the assistant answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCallView>,
    /// Attached files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<AttachmentView>,
}

/// A call of a tool.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ToolCall)]
pub(crate) struct ToolCallView {
    /// The tool.
    name: String,
    /// Its arguments as they were written.
    #[serde(skip_serializing_if = "String::is_empty")]
    arguments: String,
    /// What it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

/// An attached file.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Attachment)]
pub(crate) struct AttachmentView {
    /// Where it is.
    uri: String,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// What it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<String>,
}

impl From<Turn> for TurnView {
    fn from(turn: Turn) -> Self {
        let call = |call: annals::ToolCall| ToolCallView {
            name: call.name.as_str().to_owned(),
            arguments: call.arguments,
            result: call.result,
        };
        let attachment = |file: annals::Attachment| AttachmentView {
            uri: file.uri,
            media_type: file.media_type,
            caption: file.caption,
        };
        Self {
            session: turn.session.as_str().to_owned(),
            position: turn.position,
            speaker: turn.speaker.map(|speaker| speaker.as_str().to_owned()),
            role: turn.role,
            reply: turn.reply,
            tool_calls: turn.tool_calls.into_iter().map(call).collect(),
            attachments: turn.attachments.into_iter().map(attachment).collect(),
        }
    }
}

impl From<StoredMemory> for MemoryView {
    fn from(memory: StoredMemory) -> Self {
        let StoredMemory {
            id,
            body,
            status,
            stored_at,
            named_times,
            supersedes,
            superseded_by,
            revision,
        } = memory;
        Self {
            id,
            text: body.text,
            kind: body.kind.as_str().to_owned(),
            layer: body.layer,
            status,
            importance: body.importance.get(),
            confidence: body.confidence.get(),
            verified: body.verified,
            source: body.source.map(|source| source.as_str().to_owned()),
            tags: body
                .tags
                .iter()
                .map(|tag| tag.as_str().to_owned())
                .collect(),
            metadata: body.metadata,
            provenance: body.provenance,
            event_time: body.event_time,
            valid_from: body.valid_from,
            valid_until: body.valid_until,
            expires_at: body.expires_at,
            stored_at,
            named_times: named_times.into_iter().map(IntervalView::from).collect(),
            supersedes,
            superseded_by,
            revision,
            turn: body.turn.map(TurnView::from),
        }
    }
}

impl HoldsTexts for MemoryView {
    fn without_texts(self) -> Self {
        Self {
            text: String::new(),
            source: None,
            tags: Vec::new(),
            metadata: annals::Metadata::default(),
            named_times: Vec::new(),
            turn: None,
            ..self
        }
    }
}

/// A page of memories.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Memories {
    /// The memories of this page.
    pub(crate) memories: Vec<MemoryView>,
    /// Where the next page begins: the parameter `after`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
    /// How many memories pass the filter, on all pages.
    pub(crate) total: u64,
}

/// A text that a memory had.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Revision)]
pub(crate) struct RevisionView {
    /// The memory with that text.
    pub(crate) memory: MemoryView,
    /// When another text took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) replaced_at: Option<Timestamp>,
}

impl From<Revision> for RevisionView {
    fn from(revision: Revision) -> Self {
        Self {
            memory: revision.memory.into(),
            replaced_at: revision.replaced_at,
        }
    }
}

/// Every text that a memory had.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Revisions {
    /// The oldest first.
    pub(crate) revisions: Vec<RevisionView>,
}

/// A memory to be stored.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = NewMemory)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMemoryBody {
    /// What it says.
    #[schema(
        min_length = 1,
        max_length = 1_048_576,
        example = "Ada's birthday is May 3rd"
    )]
    text: String,
    /// Its kind; by its layer without one.
    kind: Option<String>,
    /// The layer; `semantic` without one.
    #[schema(value_type = Option<LayerWord>)]
    layer: Option<Layer>,
    /// How much it matters; as the profile says without it.
    #[schema(minimum = 0)]
    importance: Option<f32>,
    /// How sure it is, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f32>,
    /// Whether a person confirmed it.
    verified: Option<bool>,
    /// Where it comes from.
    source: Option<String>,
    /// Its tags.
    #[serde(default)]
    tags: Vec<String>,
    /// Its free fields.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, MetadataValue>)]
    metadata: annals::Metadata,
    /// The memories that it was derived from.
    #[serde(default)]
    #[schema(value_type = Vec<IdText>)]
    provenance: Vec<MemoryId>,
    /// When it happened.
    #[schema(value_type = Option<String>, format = DateTime)]
    event_time: Option<Timestamp>,
    /// From when on it is true.
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Timestamp>,
    /// Until when it is true.
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Timestamp>,
    /// When it goes by itself.
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

impl TryFrom<NewMemoryBody> for NewMemory {
    type Error = InvalidValue;

    fn try_from(new: NewMemoryBody) -> Result<Self, InvalidValue> {
        let mut memory = Self::builder(new.text);
        if let Some(layer) = new.layer {
            memory = memory.layer(layer);
        }
        if let Some(kind) = new.kind {
            memory = memory.kind(kind);
        }
        if let Some(importance) = new.importance {
            memory = memory.importance(importance);
        }
        if let Some(confidence) = new.confidence {
            memory = memory.confidence(confidence);
        }
        if let Some(verified) = new.verified {
            memory = memory.verified(verified);
        }
        if let Some(source) = new.source {
            memory = memory.source(source);
        }
        memory = new
            .tags
            .into_iter()
            .fold(memory, annals::NewMemoryBuilder::tag);
        memory = new
            .provenance
            .into_iter()
            .fold(memory, annals::NewMemoryBuilder::derived_from);
        for (key, value) in new.metadata {
            memory = memory.metadata(key, value);
        }
        for (moment, set) in [
            (
                new.event_time,
                annals::NewMemoryBuilder::event_time as fn(_, Timestamp) -> _,
            ),
            (new.valid_from, annals::NewMemoryBuilder::valid_from),
            (new.valid_until, annals::NewMemoryBuilder::valid_until),
            (new.expires_at, annals::NewMemoryBuilder::expires_at),
        ] {
            if let Some(moment) = moment {
                memory = set(memory, moment);
            }
        }
        memory.build()
    }
}

/// How a memory was received.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Added {
    /// `new`; `known` where one said the same already, whose id this is; `replaced` where a known
    /// one says this now.
    #[schema(value_type = AdmissionWord)]
    pub(crate) admission: Admission,
    /// The memory as it is stored.
    pub(crate) memory: MemoryView,
    /// The kinds of secrets that were masked before it was stored.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) masked: BTreeSet<String>,
}

impl HoldsTexts for Added {
    fn without_texts(self) -> Self {
        Self {
            memory: self.memory.without_texts(),
            ..self
        }
    }
}

/// A change of a memory: what is absent stays, what is `null` is taken away.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditMemory {
    /// What it says from now on; the text before stays in its history.
    #[schema(min_length = 1, max_length = 1_048_576)]
    text: Option<String>,
    /// Its kind.
    kind: Option<String>,
    /// How much it matters.
    #[schema(minimum = 0)]
    importance: Option<f32>,
    /// How sure it is, 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f32>,
    /// Whether a person confirmed it.
    verified: Option<bool>,
    /// Where it comes from; a new text without one has none.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    source: Option<Option<String>>,
    /// Its tags, all of them.
    tags: Option<Vec<String>>,
    /// Its free fields, all of them.
    #[schema(value_type = Option<BTreeMap<String, MetadataValue>>)]
    metadata: Option<annals::Metadata>,
    /// When it happened.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    event_time: Option<Option<Timestamp>>,
    /// From when on it is true.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_from: Option<Option<Timestamp>>,
    /// Until when it is true.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    valid_until: Option<Option<Timestamp>>,
    /// When it goes by itself.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Option<Timestamp>>,
}

/// Tells `null` from a field that is absent.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl EditMemory {
    /// The memory as it is to be from now on; none where nothing changes.
    pub(crate) fn applied_to(
        self,
        before: &StoredMemory,
    ) -> Result<Option<NewMemory>, InvalidValue> {
        let mut body = before.body.clone();
        let has_source = self.source.is_some();
        self.apply(&mut body)?;
        if body.text != before.body.text && !has_source {
            // The new text is not from that source.
            body.source = None;
        }
        if body == before.body {
            return Ok(None);
        }
        // Traits that were not edited stay, an importance that has decayed among them.
        let said = Said {
            importance: body.importance != before.body.importance,
            ..Said::ALL
        };
        Ok(Some(
            NewMemory::from_body(body)?
                .saying(said)
                .with_status(before.status),
        ))
    }

    fn apply(self, body: &mut Body) -> Result<(), InvalidValue> {
        if let Some(text) = self.text {
            body.text = text;
        }
        if let Some(kind) = self.kind {
            body.kind = Kind::new(kind)?;
        }
        if let Some(importance) = self.importance {
            body.importance = Importance::new("importance", importance)?;
        }
        if let Some(confidence) = self.confidence {
            body.confidence = UnitScore::new("confidence", confidence)?;
        }
        if let Some(verified) = self.verified {
            body.verified = verified;
        }
        if let Some(source) = self.source {
            body.source = source
                .map(|source| Label::new("source", source))
                .transpose()?;
        }
        if let Some(tags) = self.tags {
            body.tags = tags
                .into_iter()
                .map(|tag| Label::new("tag", tag))
                .collect::<Result<_, _>>()?;
            body.tags.sort();
            body.tags.dedup();
        }
        if let Some(metadata) = self.metadata {
            body.metadata = metadata;
        }
        let moments = [
            (self.event_time, &mut body.event_time),
            (self.valid_from, &mut body.valid_from),
            (self.valid_until, &mut body.valid_until),
            (self.expires_at, &mut body.expires_at),
        ];
        for (new, moment) in moments {
            if let Some(new) = new {
                *moment = new;
            }
        }
        Ok(())
    }
}
