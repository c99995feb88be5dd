use annals_types::{InvalidValue, NewMemory};
use annals_types::{Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

/// A memory as programs of the agent design write it: eleven fields, under the names of that
/// design.
///
/// Fields that are left out of a file have these values: importance 0.5, confidence 0.8, an empty
/// subject and predicate, and the priority and expiry that its type has in the profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentMemory {
    /// Its id: that of the engine, or the one that another program gave it; empty for a new one.
    #[serde(default)]
    pub id: String,
    /// Its type: `FACT`, `PREFERENCE`, `SKILL`, `ERROR` or `RULE`.
    #[serde(rename = "type")]
    pub kind: String,
    /// How long it lives, as the profile says: `TRANSIENT`, `SHORT_TERM`, `LONG_TERM` or
    /// `PERMANENT`; empty when its type decides that.
    #[serde(default)]
    pub priority: String,
    /// Its text.
    pub content: String,
    /// The subject of its statement; empty when that is not known.
    #[serde(default)]
    pub subject: String,
    /// The predicate of its statement; empty when that is not known.
    #[serde(default)]
    pub predicate: String,
    /// How much it matters, 0 to 1.
    #[serde(default = "AgentMemory::default_importance")]
    pub importance_score: f64,
    /// How sure it is, 0 to 1.
    #[serde(default = "AgentMemory::default_confidence")]
    pub confidence: f64,
    /// When it stops being shown. `None` means never in a memory that is read, and as its priority
    /// says in a new one.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// When it was stored first.
    #[serde(default = "AgentMemory::unknown")]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[serde(default = "AgentMemory::unknown")]
    pub updated_at: Timestamp,
}

impl AgentMemory {
    /// A new one of which only type and content are said.
    #[must_use]
    pub fn new(kind: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            id: String::new(),
            kind: kind.into(),
            priority: String::new(),
            content: content.into(),
            subject: String::new(),
            predicate: String::new(),
            importance_score: Self::default_importance(),
            confidence: Self::default_confidence(),
            expires_at: None,
            created_at: Self::unknown(),
            updated_at: Self::unknown(),
        }
    }

    const fn default_importance() -> f64 {
        0.5
    }

    const fn default_confidence() -> f64 {
        0.8
    }

    const fn unknown() -> Timestamp {
        Timestamp::from_millis(0)
    }
}

impl TryFrom<AgentMemory> for NewMemory {
    type Error = InvalidValue;

    /// The memory to be stored; its id and times are those of the storing.
    fn try_from(memory: AgentMemory) -> Result<Self, InvalidValue> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "importance and confidence are single-precision numbers"
        )]
        let single = |number: f64| number as f32;
        UnitScore::new("importance_score", single(memory.importance_score))?;
        let mut new = Self::builder(memory.content)
            .kind(memory.kind)
            .importance(single(memory.importance_score))
            .confidence(single(memory.confidence));
        for (key, value) in [
            ("class", memory.priority),
            ("subject", memory.subject),
            ("predicate", memory.predicate),
        ] {
            if !value.is_empty() {
                new = new.metadata(key, value.as_str());
            }
        }
        if let Some(expires) = memory.expires_at {
            new = new.expires_at(expires);
        }
        new.build()
    }
}
