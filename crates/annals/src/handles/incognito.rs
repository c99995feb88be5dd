use annals_extraction::context::Context;
use annals_recall::Query;
use annals_types::NewTurn;

use crate::handles::{asynchronous, blocking};
use crate::{Answer, ContextRequest};

/// A conversation of which nothing stays: it takes the calls of a [`Namespace`](crate::Namespace)
/// and never touches the file.
///
/// Nothing is stored, recalled, counted, extracted or logged, and what was said cannot be stored
/// later: the turns are only in this handle, for the window of the conversation itself, and go with
/// it.
#[derive(Debug, Clone, Default)]
pub struct Incognito {
    turns: Vec<NewTurn>,
}

impl blocking::Sessions {
    /// Begins a conversation of which nothing stays.
    #[must_use]
    pub fn incognito(&self) -> Incognito {
        Incognito::default()
    }
}

impl asynchronous::Sessions {
    /// Begins a conversation of which nothing stays.
    #[must_use]
    pub fn incognito(&self) -> Incognito {
        Incognito::default()
    }
}

impl Incognito {
    /// Takes turns for as long as this handle lives.
    pub fn append_turns(&mut self, turns: Vec<NewTurn>) {
        self.turns.extend(turns);
    }

    /// At most so many of the latest turns, the oldest first.
    #[must_use]
    pub fn recent(&self, limit: usize) -> &[NewTurn] {
        self.turns
            .get(self.turns.len().saturating_sub(limit)..)
            .unwrap_or_default()
    }

    /// No memory answers here.
    #[must_use]
    pub fn answer(&self, query: impl Into<Query>) -> Answer {
        Answer::nothing(&query.into())
    }

    /// No memory is put before a model here.
    #[must_use]
    pub fn context(&self, _request: impl Into<ContextRequest>) -> Context {
        Context::default()
    }
}
