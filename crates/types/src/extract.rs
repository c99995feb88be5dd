use serde::{Deserialize, Serialize};

use crate::{EpisodeDraft, JudgeError, Memory, MemoryId, NewMemory, Shown};

/// The metadata that an extraction gives a memory: its level, its duration, its subject and its
/// predicate.
pub const EXTRACTED_FIELDS: [&str; 4] = ["level", "duration", "subject", "predicate"];

/// The input of an extractor.
#[derive(Debug, Clone, Copy)]
pub struct ExtractWindow<'a> {
    /// The turns to extract from, oldest first.
    pub turns: &'a [Memory],
    /// Memories that exist already. Answers can name these and no others.
    pub known: &'a [Shown],
}

/// One thing that an extractor found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Extracted {
    /// Something new.
    Add(NewMemory),
    /// Something new, with what it says as triples.
    AddSaying(NewMemory, Vec<Statement>),
    /// A known memory says something else now.
    Update(MemoryId, NewMemory),
    /// The same, with what it says as triples.
    UpdateSaying(MemoryId, NewMemory, Vec<Statement>),
    /// A known memory was of use.
    Used(MemoryId),
    /// A known memory is wrong or outdated.
    Delete(MemoryId),
    /// A known memory contradicts what was said: the addition directly before it, where there is
    /// one.
    Contradicted {
        /// The memory.
        id: MemoryId,
        /// The turn that says otherwise; `None` where any of the window may.
        by: Option<MemoryId>,
    },
    /// A part of what was answered that is not done, and why, for a person to see.
    LeftOut(String),
}

/// A statement of a memory, in three parts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Of what it speaks.
    pub subject: String,
    /// The predicate: what it says of the subject.
    pub predicate: String,
    /// The other end.
    pub object: String,
    /// Whether it says that it is not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// When it is so: "下雨天", "on weekdays".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// How much, or how often: "很", "never".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
}

/// The answer of an [`Interpreter`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interpreted {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Parts of the answer that were not used, with the reason, for a person to see.
    pub left_out: Vec<String>,
}

impl From<Vec<Statement>> for Interpreted {
    fn from(statements: Vec<Statement>) -> Self {
        Self {
            statements,
            ..Self::default()
        }
    }
}

/// Says what single memories say, in three parts each: usually a language model, in tests a script.
/// Blocks until done.
pub trait Interpreter: Send + Sync {
    /// The statements of a memory; an empty list is a good answer.
    ///
    /// # Errors
    /// [`JudgeError`]; the memory then stays without triples, and is tried again later.
    fn interpret(&self, memory: &Shown) -> Result<Interpreted, JudgeError>;
}

/// Finds memories in conversations: usually a language model, in tests a script. Blocks until done.
pub trait Extractor: Send + Sync {
    /// The name of the extractor, for readers of the changes that it caused. Never holds a key.
    fn name(&self) -> String {
        "an extractor".to_owned()
    }

    /// Memories worth keeping from the turns; an empty list is a good answer.
    ///
    /// # Errors
    /// [`JudgeError`]; nothing is then stored, and the turns are tried again later.
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError>;
}

/// Makes one text of several: usually a language model, in tests a script. Blocks until done.
pub trait Summarizer: Send + Sync {
    /// A summary of the turns, oldest first.
    ///
    /// # Errors
    /// [`JudgeError`]; the turns then stay, and are summarized later.
    fn summarize(&self, turns: &[Memory]) -> Result<String, JudgeError>;

    /// The episode of a session that has ended. Unless implemented, its summary without goal,
    /// outcome and entities.
    ///
    /// # Errors
    /// As [`summarize`](Self::summarize).
    fn episode(&self, turns: &[Memory]) -> Result<EpisodeDraft, JudgeError> {
        Ok(EpisodeDraft {
            summary: self.summarize(turns)?,
            ..EpisodeDraft::default()
        })
    }
}
