//! Conversations in the normal form of the evaluation sets.

use annals_types::NewMemory;
use serde::Deserialize;

use super::lines::TurnLine;
use crate::Error;

#[derive(Deserialize)]
struct File {
    conversations: Vec<Conversation>,
}

#[derive(Deserialize)]
struct Conversation {
    id: String,
    turns: Vec<TurnLine>,
}

/// The conversations of a JSON file `{"conversations": [{"id", "turns": [{"id", "session", "speaker", "time", "text", "reply"?}]}]}`: each
/// with its id and its turns as memories. The id of a turn is kept in the metadata field `turn_id`.
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid), naming the conversation and the turn.
pub fn conversations(json: &str) -> Result<Vec<(String, Vec<NewMemory>)>, Error> {
    let file: File = serde_json::from_str(json).map_err(|e| Error::bad_input(format!("no conversations: {e}")))?;
    let build = |conversation: Conversation| {
        let turns = conversation.turns.into_iter().enumerate().map(|(at, turn)| {
            turn.build().map_err(|reason| {
                Error::bad_input(format!("conversation {:?}, turn {}: {reason}", conversation.id, at + 1))
            })
        });
        Ok((conversation.id.clone(), turns.collect::<Result<_, Error>>()?))
    };
    file.conversations.into_iter().map(build).collect()
}
