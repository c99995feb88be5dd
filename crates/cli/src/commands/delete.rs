use std::path::{Path, PathBuf};

use annals::{MemoryId, Mode};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::selection::Selection;
use crate::texts::text;
use crate::{receipt, source, visible};

/// Arguments of `annals delete`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --yes
  annals delete --session monday --status forgotten --yes
  annals delete --list ids.txt
  annals delete --all --background --yes

A selection without --status means memories of any status. `annals rm` is the same command.")]
pub(crate) struct Args {
    /// The memories
    #[arg(conflicts_with = "Selection")]
    id: Vec<MemoryId>,
    /// Read ids from this file, separated by commas, spaces or lines; `-` reads standard input.
    /// Memories that the profile keeps from deletions in bulk are passed over
    #[arg(long, value_name = "PATH", conflicts_with_all = ["id", "Selection"])]
    list: Option<PathBuf>,
    /// Every memory of the namespace
    #[arg(long, conflicts_with_all = ["id", "list", "Selection"])]
    all: bool,
    /// Do not wait: they go in batches while a program has the file open, and by `annals jobs run`;
    /// `annals queue list` shows it
    #[arg(long, conflicts_with_all = ["id", "list"])]
    background: bool,
    /// Delete them, instead of showing what would be deleted
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    selection: Selection,
}

/// Shows what would go, or deletes it.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if let Some(path) = &args.list {
        return listed(path, args.yes, app);
    }
    let filter = args.selection.filter()?;
    if args.id.is_empty() && filter.is_empty() && !args.all {
        return Err(Failure::usage(text!("memory-nothing-selected"))
            .advice(text!("memory-delete-everything")));
    }
    let mode = if args.yes { Mode::Commit } else { Mode::DryRun };
    let namespace = app.plain_namespace_of(&args.id)?;
    if args.background && args.yes {
        let number = namespace.queue().delete(&filter)?;
        return match app.json {
            true => app.answer_json(&json!({ "number": number, "done": "queued" })),
            false => app.say(&text!("memory-delete-queued", number)),
        };
    }
    let receipt = if args.id.is_empty() {
        namespace.bulk().delete_where(&filter, mode)?
    } else {
        namespace.bulk().delete(&args.id, mode)?
    };
    if app.json {
        return app.answer_json(&receipt);
    }
    let text = receipt::text(&receipt, &text!("memory-word-deleted"), &namespace, app)?;
    app.print(&text)
}

/// Deletes what a file names.
fn listed(path: &Path, yes: bool, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let given = path.as_os_str().to_owned();
    let list = match path == Path::new("-") {
        true => source::text(Some(&given), None, app.world)?,
        false => source::text(None, Some(&path.to_owned()), app.world)?,
    };
    let mode = if yes { Mode::Commit } else { Mode::DryRun };
    let namespace = app.plain_namespace()?;
    let done = namespace.bulk().delete_listed(&list, mode)?;
    if app.json {
        return app.answer_json(&done);
    }
    let mut text = receipt::text(
        &done.receipt,
        &text!("memory-word-deleted"),
        &namespace,
        app,
    )?;
    for id in &done.skipped {
        text.push_str(&(text!("memory-delete-kept", id) + "\n"));
    }
    for word in &done.unknown {
        text.push_str(&(text!("memory-delete-unknown", word = visible::line(word)) + "\n"));
    }
    app.print(&text)
}
