use annals_messages::Localizer;
use annals_types::MemoryId;
use serde::{Deserialize, Serialize};

/// What came of a message in which somebody may have said outright what is to be remembered or forgotten.
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
    /// "This" or "that", and nothing was said before that it could mean.
    Unclear {
        /// The message.
        message: String,
    },
}

impl HandledCommand {
    /// The answer to the person, in the language of the text it is about where that has messages, else in English;
    /// nothing when nothing was asked for.
    #[must_use]
    pub fn reply(&self) -> Option<String> {
        let (id, text) = match self {
            Self::Nothing => return None,
            Self::Remembered { text, .. } => ("remembered", text),
            Self::ToForget { text, .. } => ("forget-this", text),
            Self::Forgotten { text, .. } => ("forgotten", text),
            Self::NotFound { asked } => ("nothing-found", asked),
            Self::Everything { message } => ("forgets-no-everything", message),
            Self::Unclear { message } => ("nothing-before", message),
        };
        let messages = Localizer::default().of([text.as_str()]);
        Some(messages.text(id, &[("text", text.into())]))
    }
}
