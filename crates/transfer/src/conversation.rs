//! Documents of annotated conversations.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::{NewMemory, Timestamp};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::BYTE_ORDER_MARK;
use crate::json;
use crate::parts::parts;
use crate::surrogates::mended;
use crate::turn::ConversationTurn;
use annals_engine::Error;

/// Conversations of one JSON document in the normal form; other fields are passed over:
///
/// ```json
/// {"name"?, "conversations": [{"id", "turns": [
/// {"id"?, "session", "text", "speaker"?, "role"?, "time"?, "reply"?, "tool_calls"?,
/// "tags"?, "metadata"?}],
/// "questions"?: [{"id", "q", "evidence"?, "asked_at"?}]}]}
/// ```
///
/// ```
/// # use annals_transfer as annals;
/// let read = annals::Conversations::parse(
///     br#"{"conversations": [{"id": "c", "turns": [{"session": "s", "text": "My cat is called Turing."}]}]}"#,
/// )?;
/// let memories = read.conversations[0].memories()?;
/// assert_eq!(memories[0].body().text, "My cat is called Turing.");
/// # Ok::<(), annals_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Conversations {
    /// The name that the document gives itself; may be empty.
    #[serde(default)]
    pub name: String,
    /// The conversations, in the order of the document.
    pub conversations: Vec<Conversation>,
    #[serde(skip)]
    pub(super) left_out: BTreeMap<&'static str, u64>,
}

/// A conversation and what may be asked about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Conversation {
    /// Its id within the document.
    pub id: String,
    /// The turns, in order.
    pub turns: Vec<ConversationTurn>,
    /// Questions that may be asked about it.
    #[serde(default)]
    pub questions: Vec<Question>,
}

/// A question about a conversation, with the turns that hold its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Its id within the conversation.
    pub id: String,
    /// The question itself.
    pub q: String,
    /// The ids of the turns that hold the answer.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// When it is asked.
    #[serde(default)]
    pub asked_at: Option<Timestamp>,
}

/// The fields that tell the two forms of a document apart.
#[derive(Deserialize)]
struct Outline {
    turns: Option<IgnoredAny>,
}

impl Conversations {
    /// Reads a document; one that is a conversation by itself is read as the only one.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid); [`Error::import_line`] tells the
    /// line.
    pub fn parse(json: &[u8]) -> Result<Self, Error> {
        let json = &*mended(json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json));
        let single =
            serde_json::from_slice::<Outline>(json).is_ok_and(|outline| outline.turns.is_some());
        if single {
            let conversation = json::read_document(json)?;
            return Ok(Self {
                conversations: vec![conversation],
                ..Self::default()
            });
        }
        json::read_document(json)
    }

    /// The names of fields of turns that were passed over, each once, in order.
    #[must_use]
    pub fn unknown_fields(&self) -> Vec<&str> {
        let turns = self
            .conversations
            .iter()
            .flat_map(|conversation| &conversation.turns);
        turns
            .flat_map(ConversationTurn::unknown_fields)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// The parts of a list of messages that became no turn: each by its name, such as
    /// `instructions`, with how many there were.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, u64)> {
        self.left_out.iter().map(|(what, count)| (*what, *count))
    }
}

impl Conversation {
    /// Turns of any sessions.
    #[must_use]
    pub fn of_turns(turns: Vec<ConversationTurn>) -> Self {
        let id = turns
            .first()
            .map(|turn| turn.session.clone())
            .unwrap_or_default();
        Self {
            id,
            turns,
            questions: Vec::new(),
        }
    }

    /// The turns as memories, in order. The id of a turn is kept in the metadata field
    /// [`TURN_ID`](crate::TURN_ID). A turn of more than 32 KiB becomes several, one after the
    /// other.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid), naming the conversation and the
    /// turn.
    pub fn memories(&self) -> Result<Vec<NewMemory>, Error> {
        let build = |(at, turn): (usize, &ConversationTurn)| {
            let built: Result<Vec<NewMemory>, _> = parts(turn.clone())
                .into_iter()
                .map(ConversationTurn::build)
                .collect();
            built.map_err(|wrong| {
                let named = turn
                    .id
                    .as_ref()
                    .map_or_else(|| (at + 1).to_string(), |id| format!("{id:?}"));
                let reason = format!("conversation {:?}, turn {named}: {wrong}", self.id);
                let mut wording = wrong.wording();
                wording.places.insert("turn".to_owned(), named);
                Error::bad_input_worded(reason, Some(wording))
            })
        };
        let built: Result<Vec<Vec<NewMemory>>, Error> =
            self.turns.iter().enumerate().map(build).collect();
        Ok(built?.into_iter().flatten().collect())
    }

    /// The first moment of which a turn tells; the epoch when none does.
    #[must_use]
    pub fn start(&self) -> Timestamp {
        self.turns
            .iter()
            .filter_map(|turn| turn.time)
            .min()
            .unwrap_or_default()
    }

    /// The last moment of which a turn tells; the epoch when none does.
    #[must_use]
    pub fn end(&self) -> Timestamp {
        self.turns
            .iter()
            .filter_map(|turn| turn.time)
            .max()
            .unwrap_or_default()
    }

    /// The moment of a question; the end of the conversation when the document does not say.
    #[must_use]
    pub fn asked_at(&self, question: &Question) -> Timestamp {
        question.asked_at.unwrap_or_else(|| self.end())
    }

    /// Takes out the turns that say nothing and answers how they are called: by id, or by number
    /// from 1.
    pub fn drop_silent(&mut self) -> Vec<String> {
        let mut silent = Vec::new();
        let mut number = 0_usize;
        self.turns.retain(|turn| {
            number += 1;
            if turn.is_silent() {
                silent.push(turn.id.clone().unwrap_or_else(|| number.to_string()));
            }
            !turn.is_silent()
        });
        silent
    }
}
