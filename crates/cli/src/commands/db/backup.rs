use std::path::PathBuf;

use serde_json::json;

use crate::app::{Access, App};
use crate::card;
use crate::clones::Clones;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals db backup`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db backup ~/backups/agent-2026-11-27.annals
  annals db backup --force /mnt/usb/agent.annals

Everything of all namespaces, as it is after one write; whoever writes goes on meanwhile. The
copy is read again and checked before it gets its name, and it is a database by itself:
`annals --db FILE recall ...` asks it. What was deleted is not in it. A copy that `cp` makes of
a database in use may not open.")]
pub(crate) struct Args {
    /// The new file
    file: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// Writes a checked copy of the database.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let file = &args.file;
    // The copy knows the folders of its projects: without them another folder would be believed.
    let (clones, copied) = (Clones::of(&app.settings.db), Clones::of(file));
    for path in [file.as_path(), copied.list()] {
        app.in_use().spare(path)?;
        if path.exists() && !args.force {
            let shown = visible::line(&path.to_string_lossy()).into_owned();
            let exists = Failure::new(Exit::Invalid, text!("common-exists", path = shown));
            return Err(exists.advice(text!("common-force")).at(path, None));
        }
    }
    let memory = app.open_plain(Access::Existing)?;
    let progress = Progress::new(app, text!("db-backing-up"), 0);
    let report = memory.back_up(file, args.force)?;
    clones.copy_to(&copied)?;
    drop(progress);
    if app.json {
        return app
            .answer_json(&json!({ "file": file, "values": report.values, "bytes": report.bytes }));
    }
    let values = text!("common-values", count = report.values);
    app.say(&text!(
        "db-backed-up",
        values,
        bytes = card::bytes(report.bytes),
        file = file.display()
    ))
}
