use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::InvalidValue;
use crate::error::shorten;

/// Methods of every text type that is checked when it is made.
macro_rules! checked_text {
    ($name:ident $(, $field:literal)?) => {
        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidValue;

            fn try_from(text: String) -> Result<Self, InvalidValue> {
                Self::new($($field,)? text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use checked_text;

/// A short validated text: 1 to 256 bytes, no control characters, no white space at its ends.
///
/// Sessions, speakers, tags, sources and tool names are labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);

impl Label {
    /// The longest label in bytes.
    pub const MAX_BYTES: usize = 256;

    /// Checks `text`; `field` names it in the error.
    ///
    /// # Errors
    /// [`InvalidValue::Empty`], [`InvalidValue::TooLong`] or [`InvalidValue::BadLabel`].
    pub fn new(field: &'static str, text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_label(field, &text, Self::MAX_BYTES)?;
        Ok(Self(text))
    }
}

pub(crate) fn check_label(
    field: &'static str,
    text: &str,
    limit: usize,
) -> Result<(), InvalidValue> {
    if text.trim().is_empty() {
        return Err(InvalidValue::Empty { field });
    }
    if text.len() > limit {
        return Err(InvalidValue::TooLong {
            field,
            bytes: text.len(),
            limit,
        });
    }
    if text.trim() != text || text.chars().any(char::is_control) {
        return Err(InvalidValue::BadLabel {
            field,
            value: shorten(text),
        });
    }
    Ok(())
}

checked_text!(Label, "label");

impl AsRef<str> for Label {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The kind of a memory, out of the profile's list (`fact`, `episode`, `turn`, ...).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Kind(String);

impl Kind {
    /// The longest kind in bytes.
    pub const MAX_BYTES: usize = 64;

    /// Checks `text` as a kind.
    ///
    /// # Errors
    /// As for [`Label::new`], with 64 bytes as the limit.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        check_label("kind", &text, Self::MAX_BYTES)?;
        Ok(Self(text))
    }
}

checked_text!(Kind);

/// Defines an enum whose variants have one stable word and one stable byte each.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $field:literal, $allowed:literal {
        $($(#[$vdoc:meta])* $variant:ident = $byte:literal, $word:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of their bytes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word used in the program, in JSON and in errors.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The byte used on disk.
            #[must_use]
            pub const fn to_byte(self) -> u8 {
                match self { $(Self::$variant => $byte,)+ }
            }

            /// The value of a byte on disk; `None` for a byte that no released version wrote.
            #[must_use]
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte { $($byte => Some(Self::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, InvalidValue> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err(InvalidValue::Unknown { field: $field, value: shorten(text), allowed: $allowed }),
                }
            }
        }
    };
}

words! {
    /// The role of a memory in storage.
    Layer, "layer", "turn, working, episodic, semantic, core, system" {
        /// A turn of a conversation as it was said.
        Turn = 0, "turn";
        /// Short-lived notes of a running task.
        Working = 1, "working";
        /// A summary of what happened.
        Episodic = 2, "episodic";
        /// A fact or rule.
        Semantic = 3, "semantic";
        /// Memories that are always worth knowing.
        Core = 4, "core";
        /// Memories that the application itself put there.
        System = 5, "system";
    }
}

words! {
    /// Where a memory is in its life. Deleted is not a status: what is deleted is gone.
    Status, "status", "staged, active, archived, forgotten" {
        /// Stored, not yet consolidated.
        Staged = 0, "staged";
        /// In use.
        Active = 1, "active";
        /// Kept and found on request, no longer brought forward by itself.
        Archived = 2, "archived";
        /// Hidden, restorable.
        Forgotten = 3, "forgotten";
    }
}

words! {
    /// The role of the speaker of a turn.
    Role, "role", "user, assistant, system, tool" {
        /// A person.
        User = 0, "user";
        /// The assistant.
        Assistant = 1, "assistant";
        /// The application.
        System = 2, "system";
        /// A tool.
        Tool = 3, "tool";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_are_stable() {
        for layer in Layer::ALL {
            assert_eq!(layer.as_str().parse::<Layer>().unwrap(), *layer);
            assert_eq!(Layer::from_byte(layer.to_byte()), Some(*layer));
            assert_eq!(
                serde_json::to_string(layer).unwrap(),
                format!("{:?}", layer.as_str())
            );
        }
        for status in Status::ALL {
            assert_eq!(status.as_str().parse::<Status>().unwrap(), *status);
            assert_eq!(Status::from_byte(status.to_byte()), Some(*status));
        }
        assert_eq!(Layer::from_byte(99), None);
        let error = "gone".parse::<Status>().unwrap_err().to_string();
        assert!(
            error.contains("staged, active, archived, forgotten"),
            "{error}"
        );
    }

    #[test]
    fn labels_refuse_what_would_confuse_a_terminal() {
        assert!(Label::new("tag", "work\u{1b}[31m").is_err());
        assert!(Label::new("tag", " work").is_err());
        assert!(Label::new("tag", "").is_err());
        assert!(Label::new("tag", "x".repeat(257)).is_err());
        assert_eq!(Label::new("tag", "工作").unwrap().as_str(), "工作");
    }
}
