//! Files that mirror memories.

use std::path::PathBuf;

use annals::SyncedFile;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::{table::Table, visible};

/// What `annals sync` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder of the files [default: the one that the profile names]
    folder: Option<PathBuf>,
}

/// Brings files and memories into step.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.namespace(Access::Existing)?;
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => namespace.mirror_home()?.ok_or_else(|| {
            Failure::usage("the profile of this namespace names no folder for its files; give one: annals sync FOLDER")
        })?,
    };
    let report = namespace.sync(&folder)?;
    if app.json {
        return app.answer_json(&report);
    }
    let mut table = Table::new(&["file", ">entries", ">added", ">changed", ">confirmed", ">taken out", "~"]);
    for file in &report.files {
        table.row(vec![
            visible::line(&file.path.display().to_string()).into_owned(),
            file.entries.to_string(),
            file.added.to_string(),
            file.updated.to_string(),
            file.confirmed.to_string(),
            file.retracted.to_string(),
            told(file).to_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)?;
    for file in &report.files {
        for warning in &file.warnings {
            app.note(&format!("{}: {}", file.path.display(), visible::line(warning)))?;
        }
    }
    Ok(())
}

fn told(file: &SyncedFile) -> &'static str {
    match (file.written, file.conflicts) {
        (true, 0) => "written",
        (true, _) => "written; both sides had changed something, the older text is in the history",
        (false, _) => "as it was",
    }
}
