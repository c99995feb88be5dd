use annals::MemoryId;
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;

/// What `annals undo` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals undo 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

Works for ten minutes after a memory was stored, or as long as its profile says
(surface.undo_minutes). What ended because of it is true again.")]
pub(crate) struct Args {
    /// The memory
    id: MemoryId,
}

/// Takes it back.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let opened = app.plain_namespace()?.undo(args.id)?;
    if app.json {
        return app.answer_json(&json!({ "id": args.id, "opened": opened }));
    }
    app.say(&format!("took back {}", args.id))?;
    for id in &opened {
        app.say(&format!("true again: {id}"))?;
    }
    Ok(())
}
