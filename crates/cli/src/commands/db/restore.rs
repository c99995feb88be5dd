use std::path::PathBuf;

use crate::app::{Access, App};
use crate::clones::Clones;
use crate::failure::Failure;
use crate::texts::text;

/// Arguments of `annals db restore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db restore ~/backups/agent-2026-11-27.annals
  annals --db new.annals db restore old.annals
  annals db restore --force ~/backups/agent-2026-11-27.annals

The backup is checked first and stays as it is. With --force a database that exists is replaced,
and kept beside it as NAME.before-restore.")]
pub(crate) struct Args {
    /// The backup: a database that `annals db backup` wrote, or any other
    file: PathBuf,
    /// Replace the database where there is one
    #[arg(long)]
    force: bool,
}

/// Puts a backup in the place of the database.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let path = app.settings.db.clone();
    app.in_use().spare(&args.file)?;
    std::fs::metadata(&args.file)
        .map_err(|cause| Failure::file(&text!("common-read"), &args.file, &cause))?;
    if args.force && path.exists() {
        // The process that owns it for others gives it up. A damaged one has no owner.
        app.keeps_file = true;
        drop(app.open_plain(Access::Existing));
    }
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        annals_private::make_folder(folder).map_err(|cause| {
            Failure::file(&text!("common-make-database-folder"), folder, &cause)
        })?;
    }
    let options = app.storage_options();
    let report = options
        .restore(&args.file, &path, args.force)
        .map_err(|error| {
            let exists = error.is_invalid() && path.exists() && !args.force;
            let failure = Failure::from(error).at(&path, None);
            if exists {
                failure.advice(text!("db-restore-force"))
            } else {
                failure
            }
        })?;
    // The memories are back, whatever the list of folders is like.
    let taken_over = Clones::of(&args.file)
        .all()
        .and_then(|folders| Clones::of(&path).take_over(folders));
    if let Err(failure) = taken_over {
        app.note_with_json(&text!(
            "db-restore-without-folders",
            reason = failure.message
        ))?;
    }
    if app.json {
        return app.answer_json(&report);
    }
    let values = text!("common-values", count = report.values);
    app.say(&text!("db-restored", values, file = path.display()))?;
    match report.kept {
        Some(kept) => app.note(&text!("db-restore-kept", file = kept.display())),
        None => Ok(()),
    }
}
