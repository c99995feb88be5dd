use std::fmt;

use annals_types::{MemoryId, Statement, Timestamp};

/// A memory as an answer describes it. Only the text is certain; everything else is there if the
/// answer said it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// The text to remember.
    pub text: String,
    /// Its kind, a word of the profile.
    pub kind: Option<String>,
    /// How much it matters as a number, already within the profile's bounds.
    pub importance: Option<f64>,
    /// How much it matters as a word: `high`, `medium`, `low`.
    pub level: Option<String>,
    /// How sure it is, 0 to 1.
    pub confidence: Option<f64>,
    /// How long it is to be kept, a word of the profile: `permanent`, `7d` ...
    pub duration: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// The predicate: what it says of its subject.
    pub predicate: Option<String>,
    /// When it stops being of interest.
    pub expires_at: Option<Timestamp>,
    /// Its statements in three parts.
    pub triples: Vec<Statement>,
    /// Shown memories that are no longer true because of it.
    pub contradicts: Vec<MemoryId>,
}

impl Draft {
    /// A draft of which only the text is known.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// One thing that an answer asks for. Every id in it was shown to the model that answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Remember something new.
    Add(Draft),
    /// A memory says something else now: the new one takes its place.
    Update {
        /// The memory.
        id: MemoryId,
        /// The new content.
        draft: Draft,
    },
    /// A memory was of use: it counts for more.
    Boost(MemoryId),
    /// A memory is wrong or outdated.
    Delete(MemoryId),
    /// A memory was said again.
    Reinforce(MemoryId),
    /// A memory is contradicted, and nothing new takes its place.
    Contradict(MemoryId),
    /// Nothing is to be done.
    Skip,
}

/// Why a part of an answer was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// It names a memory that was not shown.
    NotShown(String),
    /// It is a command that does not exist.
    UnknownCommand(String),
    /// It is neither a command nor what was asked for.
    NotUnderstood(String),
    /// It says nothing.
    Empty(String),
    /// An earlier part of the same answer already decided about that memory.
    Twice(String),
    /// The memory never goes because of an answer.
    Kept(String),
    /// A word or number that the profile does not know; another was taken.
    Replaced {
        /// The field.
        field: &'static str,
        /// The given word or number.
        given: String,
        /// The word or number in its place; empty when it was left out.
        taken: String,
    },
    /// It holds what must not be stored.
    Sensitive,
    /// There was more than is read.
    TooMuch(usize),
    /// The answer was cut off at so many tokens.
    CutOff(u32),
    /// The answer ends before it is complete, though the provider does not say that it was cut
    /// off.
    Unfinished,
}

impl Warning {
    /// Its kind, without anything of the answer: what a log may hold.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotShown(_) => "not shown",
            Self::UnknownCommand(_) => "unknown command",
            Self::NotUnderstood(_) => "not understood",
            Self::Empty(_) => "empty",
            Self::Twice(_) => "twice",
            Self::Kept(_) => "kept",
            Self::Replaced { .. } => "replaced",
            Self::Sensitive => "sensitive",
            Self::TooMuch(_) => "too much",
            Self::CutOff(_) => "cut off",
            Self::Unfinished => "unfinished",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotShown(name) => write!(f, "{name:?} was not shown; left out"),
            Self::UnknownCommand(word) => write!(f, "{word:?} is no command; left out"),
            Self::NotUnderstood(text) => write!(f, "{text:?} cannot be understood; left out"),
            Self::Empty(what) => write!(f, "{what} says nothing; left out"),
            Self::Twice(name) => write!(f, "{name:?} was decided about already; left out"),
            Self::Kept(name) => write!(f, "{name:?} never goes because of an answer; left out"),
            Self::Replaced {
                field,
                given,
                taken,
            } if taken.is_empty() => {
                write!(f, "{field} {given:?} is unknown; left out")
            }
            Self::Replaced {
                field,
                given,
                taken,
            } => write!(f, "{field} {given:?} is unknown; {taken:?} was taken"),
            Self::Sensitive => f.write_str("it holds something secret; left out"),
            Self::TooMuch(limit) => write!(
                f,
                "there are more than {limit} operations; the rest is left out"
            ),
            Self::CutOff(tokens) => write!(
                f,
                "the answer was cut off at {tokens} tokens; the rest is missing"
            ),
            Self::Unfinished => {
                f.write_str("the answer ends before it is complete; the rest is missing")
            }
        }
    }
}

/// The operations of an answer, and the parts of it that were left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heard {
    /// In the order of the answer.
    pub operations: Vec<Operation>,
    /// Operations that a person has to confirm first.
    pub pending: Vec<Operation>,
    /// Parts that were left out, with the reason.
    pub warnings: Vec<Warning>,
    /// Whether the answer had the form that was asked for. An answer without it did not fail to
    /// find anything: it failed.
    pub understood: bool,
}
