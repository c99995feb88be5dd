//! Lines of an import as memories.

use annals_records::Chronicle;
use annals_types::{Metadata, NewMemory, NewTurn, Role, Timestamp};
use serde::Deserialize;

use super::ImportFormat;

/// A line that was understood.
pub(super) enum Item {
    Chronicle(Box<Chronicle>),
    Turn(Box<NewMemory>),
}

/// A turn as a line of an import or of a conversation has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnLine {
    #[serde(default)]
    pub(super) id: Option<String>,
    pub(super) session: String,
    pub(super) text: String,
    #[serde(default)]
    pub(super) speaker: Option<String>,
    #[serde(default)]
    pub(super) role: Option<Role>,
    #[serde(default)]
    pub(super) time: Option<Timestamp>,
    #[serde(default)]
    pub(super) reply: Option<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) metadata: Metadata,
}

/// The metadata field that keeps the id which a turn had where it came from.
pub(super) const TURN_ID: &str = "turn_id";

impl TurnLine {
    pub(super) fn build(self) -> Result<NewMemory, String> {
        let mut turn = NewTurn::builder(self.session, self.text);
        if let Some(speaker) = self.speaker {
            turn = turn.speaker(speaker);
        }
        if let Some(role) = self.role {
            turn = turn.role(role);
        }
        if let Some(time) = self.time {
            turn = turn.time(time);
        }
        if let Some(reply) = self.reply {
            turn = turn.reply(reply);
        }
        for tag in self.tags {
            turn = turn.tag(tag);
        }
        let turn: NewMemory = turn.build().map_err(|e| e.to_string())?.into();
        let mut body = turn.into_body();
        body.metadata = self.metadata;
        if let Some(id) = self.id {
            body.metadata.insert(TURN_ID.to_owned(), id.as_str().into());
        }
        NewMemory::from_body(body).map_err(|e| e.to_string())
    }
}

/// Reads one line.
pub(super) fn read(bytes: &[u8], format: ImportFormat) -> Result<Item, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("not UTF-8: byte {} is no text", e.valid_up_to() + 1))?;
    match format {
        ImportFormat::Export => {
            let chronicle = serde_json::from_str(text).map_err(|e| format!("no exported memory: {e}"))?;
            Ok(Item::Chronicle(Box::new(chronicle)))
        }
        ImportFormat::Turns => {
            let line: TurnLine = serde_json::from_str(text).map_err(|e| format!("no turn: {e}"))?;
            line.build().map(|turn| Item::Turn(Box::new(turn)))
        }
    }
}
