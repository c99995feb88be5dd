//! Annotated conversations in their normal form: what `annals eval` measures with and `annals demo` shows.

use std::path::Path;

use annals::{MemoryId, NewMemory, NewTurn, Timestamp, Value};
use serde::Deserialize;

use crate::app::Record;
use crate::failure::Failure;

/// The metadata field that keeps the id of a turn in its data set.
pub(crate) const TURN_ID: &str = "turn_id";

#[derive(Debug, Deserialize)]
pub(crate) struct Dataset {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) conversations: Vec<Conversation>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    pub(crate) turns: Vec<Turn>,
    #[serde(default)]
    pub(crate) questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Turn {
    id: String,
    session: String,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    time: Option<Timestamp>,
    text: String,
    #[serde(default)]
    reply: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) q: String,
    #[serde(default)]
    pub(crate) evidence: Vec<String>,
    #[serde(default)]
    asked_at: Option<Timestamp>,
}

impl Dataset {
    pub(crate) fn parse(bytes: &[u8], path: &Path) -> Result<Self, Failure> {
        serde_json::from_slice(bytes).map_err(|error| {
            let line = u64::try_from(error.line()).ok().filter(|line| *line > 0);
            Failure::invalid(format!("{} is no data set: {error}", path.display()))
                .advice("the form is {\"conversations\": [{\"id\", \"turns\": [{\"id\", \"session\", \"text\"}], \"questions\"}]}")
                .at(path, line)
        })
    }
}

impl Dataset {
    /// Also reads a document that is one conversation by itself.
    pub(crate) fn read_any(bytes: &[u8], path: &Path) -> Result<Self, Failure> {
        match serde_json::from_slice::<Conversation>(bytes) {
            Ok(conversation) => Ok(Self { name: String::new(), conversations: vec![conversation] }),
            Err(_) => Self::parse(bytes, path),
        }
    }
}

impl Conversation {
    /// The last moment of which a turn tells; the epoch when none does.
    pub(crate) fn end(&self) -> Timestamp {
        self.turns.iter().filter_map(|turn| turn.time).max().unwrap_or_default()
    }

    /// The first moment of which a turn tells.
    pub(crate) fn start(&self) -> Timestamp {
        self.turns.iter().filter_map(|turn| turn.time).min().unwrap_or_default()
    }

    /// The moment of a question; right after the conversation when the data set does not say.
    pub(crate) fn asked_at(&self, question: &Question) -> Timestamp {
        question.asked_at.unwrap_or_else(|| self.end())
    }

    /// Everything that was said.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.turns.iter().flat_map(|turn| [Some(turn.text.as_str()), turn.reply.as_deref()]).flatten()
    }

    /// The turns as memories, each with its id in the data set.
    pub(crate) fn memories(&self) -> Result<Vec<NewMemory>, Failure> {
        self.turns.iter().map(|turn| turn.memory(&self.id)).collect()
    }

    /// Takes out the turns that say nothing, such as a picture without a caption, and answers their ids.
    pub(crate) fn drop_silent(&mut self) -> Vec<String> {
        let (spoken, silent) =
            std::mem::take(&mut self.turns).into_iter().partition(|turn: &Turn| !turn.text.trim().is_empty());
        self.turns = spoken;
        silent.into_iter().map(|turn: Turn| turn.id).collect()
    }
}

impl Turn {
    fn memory(&self, conversation: &str) -> Result<NewMemory, Failure> {
        let mut turn = NewTurn::builder(self.session.as_str(), self.text.as_str());
        if let Some(speaker) = self.speaker.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
            turn = turn.speaker(speaker);
        }
        if let Some(time) = self.time {
            turn = turn.time(time);
        }
        if let Some(reply) = &self.reply {
            turn = turn.reply(reply.as_str());
        }
        let built = turn.build().map(NewMemory::from).and_then(|memory| {
            let mut body = memory.into_body();
            body.metadata.insert(TURN_ID.to_owned(), Value::from(self.id.as_str()));
            NewMemory::from_body(body)
        });
        built.map_err(|reason| Failure::invalid(format!("conversation {conversation:?}, turn {:?}: {reason}", self.id)))
    }
}

/// The id that a memory has in its data set; its own where it came from elsewhere.
pub(crate) fn turn_id(id: MemoryId, memory: &Record) -> String {
    match memory.body.metadata.get(TURN_ID) {
        Some(Value::Text(text)) => text.clone(),
        _ => id.to_string(),
    }
}
