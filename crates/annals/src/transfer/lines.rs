//! Lines of an import as memories.

use annals_records::Chronicle;
use annals_types::NewMemory;

use super::ImportFormat;
use super::turn::ConversationTurn;

/// A line that was understood.
pub(super) enum Item {
    Chronicle(Box<Chronicle>),
    Turn(Box<NewMemory>),
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
            let line: ConversationTurn = serde_json::from_str(text).map_err(|e| format!("no turn: {e}"))?;
            // A line is all there is of a turn: what is not stored would be lost.
            if let Some(field) = line.unknown_fields().next() {
                return Err(format!(
                    "no turn: unknown field {field:?}; known are id, session, text, speaker, role, time, reply, tags, metadata"
                ));
            }
            line.build().map(|turn| Item::Turn(Box::new(turn)))
        }
    }
}
