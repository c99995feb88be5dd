use annals_types::Wording;
use thiserror::Error;

/// The reason why a file of messages is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadMessages {
    /// The name is not a language, or a language and a design.
    #[error(
        "{name:?} names no file of messages; write a language, \"de\", or a language and a design, \"de/studio\""
    )]
    Name {
        /// The name.
        name: String,
    },
    /// A line cannot be read.
    #[error("line {line} of the messages {name:?} cannot be read: {reason}")]
    Syntax {
        /// The name of the file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// A message is never said.
    #[error(
        "the messages {name:?} hold {id:?}, which is no message of annals; `annals language show en` lists them"
    )]
    Unknown {
        /// The name of the file.
        name: String,
        /// The message, with its attribute if it is one.
        id: String,
    },
    /// A message needs a place that it is never given.
    #[error(
        "the message {id:?} of {name:?} names the place ${place}, which it is never given; it can use {allowed}"
    )]
    Place {
        /// The name of the file.
        name: String,
        /// The message.
        id: String,
        /// The place.
        place: String,
        /// The places that there are, separated by commas; "none".
        allowed: String,
    },
}

impl BadMessages {
    /// What it says, apart from its words.
    #[must_use]
    pub fn wording(&self) -> Wording {
        match self {
            Self::Name { name } => Wording::new("messages-name", &[("name", name)]),
            Self::Syntax { name, line, reason } => Wording::new(
                "messages-syntax",
                &[("name", name), ("line_number", line), ("reason", reason)],
            ),
            Self::Unknown { name, id } => {
                Wording::new("messages-unknown", &[("name", name), ("id", id)])
            }
            Self::Place {
                name,
                id,
                place,
                allowed,
            } => {
                let places: [(&str, &dyn std::fmt::Display); 4] = [
                    ("name", name),
                    ("id", id),
                    ("place", place),
                    ("allowed", allowed),
                ];
                Wording::new("messages-place", &places)
            }
        }
    }
}
