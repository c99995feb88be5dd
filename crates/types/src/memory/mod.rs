//! Memories: what they say, and how they are stored.

mod join;
mod new;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use self::new::{NewMemory, NewMemoryBuilder, Said};
use crate::{
    Importance, Interval, InvalidValue, Kind, Label, Layer, MemoryId, Metadata, Status, Timestamp,
    Turn, UnitScore,
};

/// The longest text of a memory: 1 MiB of UTF-8.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// The prefix of group tags.
const GROUP: &str = "group:";

/// The tag of the memories of a group.
///
/// # Errors
/// [`InvalidValue`] for a name that is empty, too long, or holds what no tag may.
pub fn group_tag(name: &str) -> Result<Label, InvalidValue> {
    if name.trim().is_empty() {
        return Err(InvalidValue::Empty { field: "group" });
    }
    Label::new("group", format!("{GROUP}{}", name.trim()))
}

fn is_group(tag: &Label) -> bool {
    tag.as_str().starts_with(GROUP)
}

/// The content of a memory, apart from its identity and its life. Immutable once stored: an update
/// stores a new body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its role in storage.
    pub layer: Layer,
    /// Its kind, out of the profile's list.
    pub kind: Kind,
    /// The text, 1 byte to [`MAX_TEXT_BYTES`], not only white space.
    pub text: String,
    /// How much it matters.
    #[serde(default = "default_importance")]
    pub importance: Importance,
    /// How sure it is.
    #[serde(default = "default_confidence")]
    pub confidence: UnitScore,
    /// Whether a person confirmed it.
    #[serde(default)]
    pub verified: bool,
    /// The source that stored it: `user`, `import`, an extractor's name ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Label>,
    /// The memories it was derived from, down to turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provenance: Vec<MemoryId>,
    /// Sorted, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Label>,
    /// Free fields.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// When what it tells happened, or when a turn was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<Timestamp>,
    /// From when on it is true; without it, always was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// Until when it is true (the moment itself excluded); without it, still is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// When it stops being shown; without it, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Present when it is a turn of a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

impl Body {
    /// Its text, and behind it what was answered, where that belongs to it.
    #[must_use]
    pub fn exchange(&self) -> Cow<'_, str> {
        match self.turn.as_ref().and_then(|turn| turn.reply.as_deref()) {
            Some(reply) => Cow::Owned(format!("{} → {reply}", self.text)),
            None => Cow::Borrowed(&self.text),
        }
    }
}

const fn default_importance() -> Importance {
    Importance::DEFAULT
}

const fn default_confidence() -> UnitScore {
    UnitScore::ONE
}

impl Body {
    pub(crate) const fn new(layer: Layer, kind: Kind, text: String) -> Self {
        Self {
            layer,
            kind,
            text,
            importance: Importance::DEFAULT,
            confidence: UnitScore::ONE,
            verified: false,
            source: None,
            provenance: Vec::new(),
            tags: Vec::new(),
            metadata: Metadata::new(),
            event_time: None,
            valid_from: None,
            valid_until: None,
            expires_at: None,
            turn: None,
        }
    }

    /// The group that it belongs to, if any: the first one of several.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.tags
            .iter()
            .find_map(|tag| tag.as_str().strip_prefix(GROUP))
    }

    /// Puts it into a group, and out of every other one; into none when the name is empty.
    ///
    /// # Errors
    /// As [`group_tag`].
    pub fn set_group(&mut self, name: &str) -> Result<(), InvalidValue> {
        let tag = if name.trim().is_empty() {
            None
        } else {
            Some(group_tag(name)?)
        };
        self.tags.retain(|tag| !is_group(tag));
        self.tags.extend(tag);
        self.tags.sort();
        Ok(())
    }

    /// Whether it is true at `moment`: `valid_from <= moment < valid_until`, open ends included.
    #[must_use]
    pub fn valid_at(&self, moment: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= moment)
            && self.valid_until.is_none_or(|until| moment < until)
    }
}

pub(crate) fn check_text(field: &'static str, text: &str) -> Result<(), InvalidValue> {
    if text.trim().is_empty() {
        return Err(InvalidValue::Empty { field });
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(InvalidValue::TooLong {
            field,
            bytes: text.len(),
            limit: MAX_TEXT_BYTES,
        });
    }
    Ok(())
}

/// A stored memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// Its public id.
    pub id: MemoryId,
    /// Its content.
    #[serde(flatten)]
    pub body: Body,
    /// Where it is in its life.
    pub status: Status,
    /// When this revision was stored.
    pub stored_at: Timestamp,
    /// The times that its text names, as they were meant when it was told: "yesterday", 2023年3月.
    /// The caller does not give them; they are found when it is stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named_times: Vec<Interval>,
    /// The memory it replaced, when that one had another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<MemoryId>,
    /// The memory that replaced it, when that one has another id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryId>,
    /// The number of this revision, counted from 1 for the first text stored under the id.
    pub revision: u32,
}

/// One step in the history of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// The memory as that revision said it.
    pub memory: Memory,
    /// When the next revision replaced it; `None` for the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at: Option<Timestamp>,
}
