use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

/// A change of how much a memory matters, without limits of reinforcement. The default changes
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjustment {
    /// Its new score, on the scale of the profile; a score outside of it becomes the nearest
    /// bound.
    #[serde(serialize_with = "finite")]
    pub importance: Option<f64>,
    /// The number that is added to its score, or, below 0, taken off.
    pub add: f64,
    /// Whether it stays as it is, whatever time does. Where the profile has a class for that, a
    /// pinned memory gets it, and keeps it until it is given another.
    pub pinned: Option<bool>,
}

/// Writes a score. One that is no number has no form in JSON, and must not become none.
#[expect(clippy::ref_option, reason = "the signature that serde asks for")]
fn finite<S: Serializer>(score: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match score {
        Some(score) if !score.is_finite() => {
            Err(S::Error::custom("a score must be a finite number"))
        }
        score => score.serialize(serializer),
    }
}

impl Adjustment {
    /// Another score.
    #[must_use]
    pub const fn to(importance: f64) -> Self {
        Self {
            importance: Some(importance),
            add: 0.0,
            pinned: None,
        }
    }

    /// A higher or lower score.
    #[must_use]
    pub const fn by(add: f64) -> Self {
        Self {
            importance: None,
            add,
            pinned: None,
        }
    }

    /// It stays as it is.
    #[must_use]
    pub const fn pin() -> Self {
        Self {
            importance: None,
            add: 0.0,
            pinned: Some(true),
        }
    }
}
