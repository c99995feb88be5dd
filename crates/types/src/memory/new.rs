//! Memories about to be stored.

use super::{Body, GROUP, check_text};
use crate::metadata::check_metadata;
use crate::{
    Importance, InvalidValue, Kind, Label, Layer, MemoryId, Metadata, Status, Timestamp, UnitScore,
    Value,
};
use serde::{Deserialize, Serialize};

pub(super) const MAX_TAGS: usize = 64;
pub(super) const MAX_PROVENANCE: usize = 4096;

/// A memory about to be stored. Holds only valid values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct NewMemory {
    body: Body,
    status: Status,
    said: Said,
    by_hand: bool,
}

/// The fields of a memory that the caller set and did not leave to the defaults; a profile fills
/// in the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "four independent answers")]
pub struct Said {
    /// Its kind.
    pub kind: bool,
    /// How much it matters.
    pub importance: bool,
    /// How sure it is.
    pub confidence: bool,
    /// Whether a person confirmed it.
    pub verified: bool,
}

/// A memory as another process sends it.
#[derive(Deserialize)]
struct Unchecked {
    body: Body,
    status: Status,
    said: Said,
    by_hand: bool,
}

impl TryFrom<Unchecked> for NewMemory {
    type Error = InvalidValue;

    fn try_from(sent: Unchecked) -> Result<Self, InvalidValue> {
        let Unchecked {
            body,
            status,
            said,
            by_hand,
        } = sent;
        Ok(Self {
            status,
            said,
            by_hand,
            ..Self::from_body(body)?
        })
    }
}

impl Said {
    /// Everything.
    pub const ALL: Self = Self {
        kind: true,
        importance: true,
        confidence: true,
        verified: true,
    };
}

impl NewMemory {
    /// Starts a memory with its text; a semantic `fact` unless said otherwise.
    pub fn builder(text: impl Into<String>) -> NewMemoryBuilder {
        NewMemoryBuilder {
            text: text.into(),
            layer: Layer::Semantic,
            kind: None,
            importance: None,
            confidence: None,
            verified: None,
            source: None,
            provenance: Vec::new(),
            tags: Vec::new(),
            metadata: Metadata::new(),
            event_time: None,
            valid: (None, None),
            expires_at: None,
            status: Status::Active,
        }
    }

    /// Checks a body that came from outside, such as an import file; tags are sorted and made
    /// unique. All of it counts as said.
    ///
    /// # Errors
    /// [`InvalidValue`], naming the first field that is not allowed.
    pub fn from_body(mut body: Body) -> Result<Self, InvalidValue> {
        check_text("text", &body.text)?;
        body.tags.sort();
        body.tags.dedup();
        for (field, count, limit) in [
            ("tags", body.tags.len(), MAX_TAGS),
            ("provenance", body.provenance.len(), MAX_PROVENANCE),
        ] {
            if count > limit {
                return Err(InvalidValue::TooMany {
                    field,
                    count,
                    limit,
                });
            }
        }
        check_metadata(&body.metadata)?;
        if let (Some(start), Some(end)) = (body.valid_from, body.valid_until)
            && end < start
        {
            return Err(InvalidValue::Backwards {
                field: "validity",
                start,
                end,
            });
        }
        if let Some(turn) = &body.turn {
            turn.check()?;
        }
        Ok(Self {
            body,
            status: Status::Active,
            said: Said::ALL,
            by_hand: false,
        })
    }

    /// The same memory, to be stored with another status.
    #[must_use]
    pub const fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// The same memory, stored by a person's own hand: a profile that lets memories expire keeps
    /// it unless its kind or the person says when it ends (`taxonomy.hand_duration`).
    #[must_use]
    pub const fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }

    /// Whether a person stores it by hand.
    #[must_use]
    pub const fn is_by_hand(&self) -> bool {
        self.by_hand
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.body.text
    }

    /// All of it.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// The status it will be stored with; active by default.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The fields that the caller set.
    #[must_use]
    pub const fn said(&self) -> Said {
        self.said
    }

    /// The same memory, of which only this counts as said.
    #[must_use]
    pub const fn saying(mut self, said: Said) -> Self {
        self.said = said;
        self
    }

    /// The kind, if one was said.
    #[must_use]
    pub fn said_kind(&self) -> Option<&Kind> {
        self.said.kind.then_some(&self.body.kind)
    }

    /// The importance, if one was said.
    #[must_use]
    pub fn said_importance(&self) -> Option<Importance> {
        self.said.importance.then_some(self.body.importance)
    }

    /// The same memory with another kind, importance and expiry, as a profile places it.
    #[must_use]
    pub fn placed(
        mut self,
        kind: Kind,
        importance: Importance,
        expires_at: Option<Timestamp>,
    ) -> Self {
        (self.body.kind, self.body.importance, self.body.expires_at) =
            (kind, importance, expires_at);
        self
    }

    /// The same memory with other words, as [`Body::rewrite`] gives them.
    ///
    /// # Errors
    /// [`InvalidValue`] when a text becomes one that is not allowed.
    pub fn rewritten(
        mut self,
        rewrite: &mut dyn FnMut(&str) -> Option<String>,
    ) -> Result<Self, InvalidValue> {
        self.body.rewrite(rewrite);
        let Self {
            body,
            status,
            said,
            by_hand,
        } = self;
        Ok(Self {
            status,
            said,
            by_hand,
            ..Self::from_body(body)?
        })
    }

    /// The same memory as it comes from a source that is as sure as this, and whose memories a
    /// person confirmed or not, unless either was said of the memory itself.
    #[must_use]
    pub fn sourced(mut self, source: Label, confidence: UnitScore, verified: bool) -> Self {
        self.body.source = Some(source);
        if !self.said.confidence {
            self.body.confidence = confidence;
        }
        if !self.said.verified {
            self.body.verified = verified;
        }
        self
    }

    /// Takes it apart.
    #[must_use]
    pub fn into_body(self) -> Body {
        self.body
    }
}

impl TryFrom<&str> for NewMemory {
    type Error = InvalidValue;

    fn try_from(text: &str) -> Result<Self, InvalidValue> {
        Self::builder(text).build()
    }
}

impl TryFrom<String> for NewMemory {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        Self::builder(text).build()
    }
}

/// Collects the parts of a [`NewMemory`]; everything is checked by [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until build()"]
pub struct NewMemoryBuilder {
    text: String,
    layer: Layer,
    kind: Option<String>,
    importance: Option<f32>,
    confidence: Option<f32>,
    verified: Option<bool>,
    source: Option<String>,
    provenance: Vec<MemoryId>,
    tags: Vec<String>,
    metadata: Metadata,
    event_time: Option<Timestamp>,
    valid: (Option<Timestamp>, Option<Timestamp>),
    expires_at: Option<Timestamp>,
    status: Status,
}

impl NewMemoryBuilder {
    /// Its role in storage; semantic by default.
    pub const fn layer(mut self, layer: Layer) -> Self {
        self.layer = layer;
        self
    }

    /// Its kind; by default `fact`, or the layer's own word for layers other than semantic.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// How much it matters, 0 to 1000; 0.5 by default.
    pub const fn importance(mut self, importance: f32) -> Self {
        self.importance = Some(importance);
        self
    }

    /// How sure it is, 0 to 1; 1 by default.
    pub const fn confidence(mut self, confidence: f32) -> Self {
        self.confidence = Some(confidence);
        self
    }

    /// Whether a person confirmed it; false by default.
    pub const fn verified(mut self, verified: bool) -> Self {
        self.verified = Some(verified);
        self
    }

    /// The source that stores it.
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds a memory that this one is derived from.
    pub fn derived_from(mut self, id: MemoryId) -> Self {
        self.provenance.push(id);
        self
    }

    /// Adds a tag.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Puts it into a group, such as `work`, and out of every other one; into none when the name
    /// is empty. It is a tag of its own form, which [`Filter::group`](crate::Filter::group) asks
    /// for.
    pub fn group(mut self, name: impl AsRef<str>) -> Self {
        self.tags.retain(|tag| !tag.starts_with(GROUP));
        let name = name.as_ref().trim();
        if name.is_empty() {
            self
        } else {
            self.tag(format!("{GROUP}{name}"))
        }
    }

    /// Sets a free field.
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// When what it tells happened.
    pub const fn event_time(mut self, moment: Timestamp) -> Self {
        self.event_time = Some(moment);
        self
    }

    /// From when on it is true.
    pub const fn valid_from(mut self, moment: Timestamp) -> Self {
        self.valid.0 = Some(moment);
        self
    }

    /// Until when it is true, the moment itself excluded.
    pub const fn valid_until(mut self, moment: Timestamp) -> Self {
        self.valid.1 = Some(moment);
        self
    }

    /// When it stops being shown.
    pub const fn expires_at(mut self, moment: Timestamp) -> Self {
        self.expires_at = Some(moment);
        self
    }

    /// The status it is stored with; active by default.
    pub const fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    /// [`InvalidValue`], naming the first part that is not allowed.
    pub fn build(self) -> Result<NewMemory, InvalidValue> {
        let said = Said {
            kind: self.kind.is_some(),
            importance: self.importance.is_some(),
            confidence: self.confidence.is_some(),
            verified: self.verified.is_some(),
        };
        let word = if self.layer == Layer::Semantic {
            "fact"
        } else {
            self.layer.as_str()
        };
        let kind = Kind::new(self.kind.unwrap_or_else(|| word.to_owned()))?;
        let mut body = Body::new(self.layer, kind, self.text);
        if let Some(value) = self.importance {
            body.importance = Importance::new("importance", value)?;
        }
        if let Some(value) = self.confidence {
            body.confidence = UnitScore::new("confidence", value)?;
        }
        body.verified = self.verified.unwrap_or_default();
        body.source = self.source.map(|s| Label::new("source", s)).transpose()?;
        body.provenance = self.provenance;
        body.tags = self
            .tags
            .into_iter()
            .map(|t| Label::new("tag", t))
            .collect::<Result<_, _>>()?;
        body.metadata = self.metadata;
        body.event_time = self.event_time;
        (body.valid_from, body.valid_until) = self.valid;
        body.expires_at = self.expires_at;
        NewMemory::from_body(body).map(|memory| NewMemory {
            status: self.status,
            said,
            ..memory
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_TEXT_BYTES;
    use proptest::prelude::*;

    #[test]
    fn refuses_empty_and_oversized_texts() {
        assert!(matches!(
            NewMemory::try_from("  \n"),
            Err(InvalidValue::Empty { field: "text" })
        ));
        assert!(NewMemory::try_from("x".repeat(MAX_TEXT_BYTES)).is_ok());
        assert!(matches!(
            NewMemory::try_from("x".repeat(MAX_TEXT_BYTES + 1)),
            Err(InvalidValue::TooLong { .. })
        ));
    }

    #[test]
    fn refuses_an_interval_that_ends_before_it_begins() {
        let at = Timestamp::from_millis;
        let built = NewMemory::builder("x")
            .valid_from(at(5))
            .valid_until(at(4))
            .build();
        assert!(matches!(built, Err(InvalidValue::Backwards { .. })));
        let open = NewMemory::builder("x").valid_from(at(5)).build().unwrap();
        assert!(open.body().valid_at(at(5)) && !open.body().valid_at(at(4)));
    }

    #[test]
    fn tags_are_sorted_and_unique() {
        let memory = NewMemory::builder("x")
            .tag("b")
            .tag("a")
            .tag("b")
            .build()
            .unwrap();
        let tags: Vec<_> = memory.body().tags.iter().map(Label::as_str).collect();
        assert_eq!(tags, ["a", "b"]);
    }

    proptest! {
        #[test]
        fn any_text_is_refused_or_survives_json(text in ".*") {
            if let Ok(memory) = NewMemory::try_from(text.as_str()) {
                let json = serde_json::to_string(memory.body()).unwrap();
                let back: Body = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&back, memory.body());
            } else {
                prop_assert!(text.trim().is_empty());
            }
        }
    }
}
