use annals_types::{Importance, InvalidValue, Metadata, Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

use crate::label::LabelClass;
use crate::record::EvidenceRecord;
use crate::{GraphError, Term, metadata};

/// The role of an edge within the memory that says it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[non_exhaustive]
pub enum EdgeRole {
    /// A statement for itself.
    #[default]
    #[serde(rename = "statement")]
    Statement,
    /// From the subject to the topic, named by the type of the memory.
    #[serde(rename = "记忆类型")]
    MemoryType,
    /// From the topic to the object.
    #[serde(rename = "核心关系")]
    Core,
    /// From a node to the value of one of its attributes.
    #[serde(rename = "属性关系")]
    Attribute,
}

impl EdgeRole {
    pub(crate) const fn to_byte(self) -> u8 {
        match self {
            Self::Statement => 0,
            Self::MemoryType => 1,
            Self::Core => 2,
            Self::Attribute => 3,
        }
    }

    pub(crate) const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Statement),
            1 => Some(Self::MemoryType),
            2 => Some(Self::Core),
            3 => Some(Self::Attribute),
            _ => None,
        }
    }

    /// The word used in exports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::MemoryType => "记忆类型",
            Self::Core => "核心关系",
            Self::Attribute => "属性关系",
        }
    }
}

/// Properties of a memory's claim beyond the triple itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// How much it matters.
    pub importance: Importance,
    /// How sure it is.
    pub confidence: UnitScore,
    /// How much, how often: "很", "never".
    pub degree: Option<String>,
    /// When it begins to hold.
    pub valid_from: Option<Timestamp>,
    /// When it ceases to hold.
    pub valid_until: Option<Timestamp>,
    /// The role of the edge within the memory.
    pub role: EdgeRole,
    /// Free fields.
    pub metadata: Metadata,
}

impl Default for Claim {
    fn default() -> Self {
        Self {
            importance: Importance::DEFAULT,
            confidence: UnitScore::ONE,
            degree: None,
            valid_from: None,
            valid_until: None,
            role: EdgeRole::Statement,
            metadata: Metadata::new(),
        }
    }
}

impl Claim {
    pub(crate) fn record(&self, born: Timestamp) -> Result<EvidenceRecord, GraphError> {
        Ok(EvidenceRecord {
            born,
            importance: self.importance.get(),
            confidence: self.confidence.get(),
            degree: self.degree.clone(),
            valid_from: self.valid_from,
            valid_until: self.valid_until,
            role: self.role.to_byte(),
            metadata: metadata::to_json(&self.metadata)?,
        })
    }

    pub(crate) fn from_record(record: EvidenceRecord) -> Result<Self, String> {
        let range = |error: InvalidValue| error.to_string();
        Ok(Self {
            importance: Importance::new("importance", record.importance).map_err(range)?,
            confidence: UnitScore::new("confidence", record.confidence).map_err(range)?,
            degree: record.degree,
            valid_from: record.valid_from,
            valid_until: record.valid_until,
            role: EdgeRole::from_byte(record.role).ok_or("the role of an edge is unknown")?,
            metadata: metadata::from_json(record.metadata.as_deref())?,
        })
    }
}

/// Changes to a memory's claim on a triple. A field that is `None` stays as it was, or is as in
/// [`Claim::default`] when the claim is new.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClaimEdit {
    /// How much it matters.
    pub importance: Option<Importance>,
    /// How sure it is.
    pub confidence: Option<UnitScore>,
    /// How much, how often.
    pub degree: Option<String>,
    /// When it begins to hold.
    pub valid_from: Option<Timestamp>,
    /// When it ceases to hold.
    pub valid_until: Option<Timestamp>,
    /// The role of the edge within the memory.
    pub role: Option<EdgeRole>,
    /// Free fields, beside the others that are there.
    pub metadata: Metadata,
}

impl ClaimEdit {
    /// A claim with what is given in its place.
    fn over(&self, claim: Claim) -> Claim {
        let mut metadata = claim.metadata;
        metadata.extend(self.metadata.clone());
        Claim {
            importance: self.importance.unwrap_or(claim.importance),
            confidence: self.confidence.unwrap_or(claim.confidence),
            degree: self.degree.clone().or(claim.degree),
            valid_from: self.valid_from.or(claim.valid_from),
            valid_until: self.valid_until.or(claim.valid_until),
            role: self.role.unwrap_or(claim.role),
            metadata,
        }
    }

    /// Both edits, of which this one is the later: what it gives is in the place of what the
    /// `earlier` one gave.
    fn after(self, earlier: Self) -> Self {
        let mut metadata = earlier.metadata;
        metadata.extend(self.metadata);
        Self {
            importance: self.importance.or(earlier.importance),
            confidence: self.confidence.or(earlier.confidence),
            degree: self.degree.or(earlier.degree),
            valid_from: self.valid_from.or(earlier.valid_from),
            valid_until: self.valid_until.or(earlier.valid_until),
            role: self.role.or(earlier.role),
            metadata,
        }
    }
}

/// A triple that a memory says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[must_use]
pub struct Assertion {
    pub(crate) subject: Term,
    pub(crate) predicate: String,
    pub(crate) object: Term,
    pub(crate) negated: bool,
    pub(crate) condition: Option<String>,
    /// The claim that replaces an earlier one.
    pub(crate) claim: Option<Claim>,
    /// Changes over that claim, or over the earlier one.
    pub(crate) edit: ClaimEdit,
}

impl Assertion {
    /// Subject, predicate, object, without condition, not negated.
    pub fn new(
        subject: impl Into<Term>,
        predicate: impl Into<String>,
        object: impl Into<Term>,
    ) -> Self {
        Self {
            subject: subject.into(),
            predicate: predicate.into(),
            object: object.into(),
            negated: false,
            condition: None,
            claim: None,
            edit: ClaimEdit::default(),
        }
    }

    /// Says that it is not so.
    pub fn negated(mut self) -> Self {
        self.negated = true;
        self
    }

    /// Says when it is so.
    pub fn condition(mut self, condition: impl Into<String>) -> Self {
        self.condition = Some(condition.into());
        self
    }

    /// Says how much, or how often. Not part of what makes two triples one.
    pub fn degree(mut self, degree: impl Into<String>) -> Self {
        self.edit.degree = Some(degree.into());
        self
    }

    /// Sets all that the memory says beyond the triple, in place of what it said before.
    pub fn claim(mut self, claim: Claim) -> Self {
        (self.claim, self.edit) = (Some(claim), ClaimEdit::default());
        self
    }

    /// Sets some of what the memory says beyond the triple; the rest stays as it said it before,
    /// or as it was set here before.
    pub fn edit(mut self, edit: ClaimEdit) -> Self {
        self.edit = edit.after(self.edit);
        self
    }

    /// The claim of a memory whose earlier claim is `before`.
    pub(crate) fn told(&self, before: Option<Claim>) -> Result<Claim, GraphError> {
        let claim = self
            .edit
            .over(self.claim.clone().or(before).unwrap_or_default());
        if let (Some(start), Some(end)) = (claim.valid_from, claim.valid_until)
            && end < start
        {
            return Err(InvalidValue::Backwards {
                field: "validity",
                start,
                end,
            }
            .into());
        }
        Ok(claim)
    }

    /// Whether names, predicate, condition and fields are such that they can be stored. Entities
    /// named by number are not looked up.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.check().is_ok()
    }

    pub(crate) fn check(&self) -> Result<(), GraphError> {
        for term in [&self.subject, &self.object] {
            if let Term::Named(new) = term {
                new.check()?;
            }
        }
        LabelClass::Predicate.check(&self.predicate)?;
        if let Some(condition) = &self.condition {
            LabelClass::Condition.check(condition)?;
        }
        let claim = self.told(None)?;
        if let Some(degree) = &claim.degree {
            annals_types::Label::new("degree", degree.as_str())?;
        }
        metadata::to_json(&claim.metadata).map(drop)
    }

    /// The labels that it uses.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (LabelClass, &str)> {
        let condition = self
            .condition
            .as_deref()
            .map(|condition| (LabelClass::Condition, condition));
        let kinds = [&self.subject, &self.object]
            .into_iter()
            .filter_map(|term| match term {
                Term::Named(new) => new.kind_text().map(|kind| (LabelClass::Kind, kind)),
                Term::Entity(_) => None,
            });
        std::iter::once((LabelClass::Predicate, self.predicate.as_str()))
            .chain(condition)
            .chain(kinds)
    }
}
