//! The last import, taken back.

use serde_json::json;

use super::Imported;
use crate::app::{Access, App};
use crate::failure::{Exit, Failure};
use crate::texts::text;

/// Deletes what the last import brought; says only how much that is where it is `dry`.
pub(crate) fn undone(dry: bool, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    let namespace = app.namespace(Access::Existing)?;
    let transfer = namespace.transfer();
    let Some(run) = transfer.import_runs()?.into_iter().next() else {
        return Err(Failure::new(
            Exit::NotFound,
            text!("transfer-no-run", name = namespace.name()),
        ));
    };
    let began = run.began;
    if dry {
        let memories = text!("common-memories", count = run.memories);
        let json = json!({ "began": began, "memories": run.memories });
        return Ok(Imported {
            stored: 0,
            text: text!("transfer-would-undo", memories, began),
            json,
        });
    }
    let count = transfer.undo_import(began)?;
    let memories = text!("common-memories", count);
    let json = json!({ "began": began, "deleted": count });
    Ok(Imported {
        stored: 0,
        text: text!("transfer-undone", memories, began),
        json,
    })
}
