//! The language of what annals says itself.

use serde::{Deserialize, Serialize};

use super::BadProfile;

/// The language that follows what is said.
pub const AUTO: &str = "auto";

/// In which words a namespace is spoken about: to models, and to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageSettings {
    /// The tag of the language (`en`, `zh`, or one that has messages of its own), or `auto`: that
    /// of what is said.
    pub code: String,
    /// The design whose messages come before the common ones; none when empty.
    pub messages: String,
}

impl Default for LanguageSettings {
    fn default() -> Self {
        Self {
            code: AUTO.to_owned(),
            messages: String::new(),
        }
    }
}

impl LanguageSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        check_language("language.code", &self.code)
    }
}

/// Checks the tag of a language: letters and digits in parts of 1 to 8, joined by `-`.
///
/// # Errors
/// [`BadProfile`] with `key`.
pub fn check_language(key: &'static str, code: &str) -> Result<(), BadProfile> {
    let part = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if code.split('-').all(part) && code.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    let reason = format!("{code:?} is no language; write {AUTO:?}, \"en\", \"zh\" or another tag");
    Err(BadProfile::new(key, reason)
        .worded(crate::Wording::new("key-language", &[("value", &code)])))
}

/// Words of a profile: as they are, in every language, or a message of the language in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, or a message as { message = \"id\" }"
)]
pub enum Wording {
    /// These words.
    Text(String),
    /// A message by its id.
    Message {
        /// The id.
        message: String,
    },
}

impl Default for Wording {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl From<&str> for Wording {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Wording {
    /// The message of an id.
    #[must_use]
    pub fn message(id: &str) -> Self {
        Self::Message {
            message: id.to_owned(),
        }
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }
}
