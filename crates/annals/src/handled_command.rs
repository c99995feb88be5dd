use annals_messages::Messages;
use annals_types::MemoryId;
use serde::{Deserialize, Serialize};

/// What came of a message in which somebody may have said outright what is to be remembered or
/// forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandledCommand {
    /// The message says nothing of the kind.
    Nothing,
    /// This is remembered now.
    Remembered {
        /// The memory.
        id: MemoryId,
        /// What it says.
        text: String,
    },
    /// This is what seems to be meant; it is forgotten when somebody confirms it.
    ToForget {
        /// The memory.
        id: MemoryId,
        /// What it says.
        text: String,
    },
    /// This is forgotten now. It can be restored.
    Forgotten {
        /// The memory.
        id: MemoryId,
        /// What it said.
        text: String,
    },
    /// No memory is about what was to be forgotten.
    NotFound {
        /// What was asked for.
        asked: String,
    },
    /// Everything is to be forgotten, which nobody does at a word.
    Everything {
        /// The message.
        message: String,
    },
    /// Somebody was asked whether to forget, and said no. An application makes this itself, for
    /// [`reply`](crate::Session::reply).
    Declined {
        /// The message.
        message: String,
    },
    /// "This" or "that", and nothing was said before that it could mean.
    Unclear {
        /// The message.
        message: String,
    },
}

impl HandledCommand {
    /// The text that it is about; none when nothing was asked for.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Remembered { text, .. }
            | Self::ToForget { text, .. }
            | Self::Forgotten { text, .. } => Some(text),
            Self::NotFound { asked: text }
            | Self::Everything { message: text }
            | Self::Unclear { message: text }
            | Self::Declined { message: text } => Some(text),
        }
    }

    /// The answer to the person; none when nothing was asked for.
    pub(crate) fn reply(&self, messages: &Messages) -> Option<String> {
        let id = match self {
            Self::Nothing => return None,
            Self::Remembered { .. } => "remembered",
            Self::ToForget { .. } => "forget-this",
            Self::Forgotten { .. } => "forgotten",
            Self::NotFound { .. } => "nothing-found",
            Self::Everything { .. } => "forgets-no-everything",
            Self::Unclear { .. } => "nothing-before",
            Self::Declined { .. } => "nothing-forgotten",
        };
        Some(messages.text(id, &[("text", self.text()?.into())]))
    }
}
