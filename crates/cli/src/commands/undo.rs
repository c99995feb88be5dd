use annals::blocking::Namespace;
use annals::{MemoryId, Status, Undone, UndoneChange, UndoneMemory};

use crate::app::App;
use crate::failure::{Failure, cause};
use crate::texts::{term, text};
use crate::{card, visible};

/// Arguments of `annals undo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals undo
  annals undo 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

Without a memory it takes back the last change of the namespace, in a repository that of the
project or its user, whichever was later; with one the last change of that memory: an edit,
forget, archive, restore, adjust, link or sync, another telling of what was known, or a
person's verdict. Asked again, it goes on with the change before.
What was stored is taken back for ten minutes, or as long as its profile says
(surface.undo_minutes): it is deleted for good, and what ended because of it is true
again. A deletion is not taken back.")]
pub(crate) struct Args {
    /// The memory [default: whichever was changed last]
    id: Option<MemoryId>,
}

/// Takes the last change back, and says which.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = match args.id {
        Some(id) => app.namespace_of(&[id])?,
        None => app.namespace_changed_last()?,
    };
    let undone = match args.id {
        Some(id) => namespace.undo(id),
        None => namespace.decisions().undo_last(),
    };
    let undone = undone.map_err(refused)?;
    if app.json {
        return app.answer_json(&undone);
    }
    let mut told = Vec::with_capacity(undone.memories.len());
    for memory in &undone.memories {
        told.push(line(memory, &undone, &namespace)?);
    }
    drop(namespace);
    app.say(&text!("memory-undo", undone = named(&undone)))?;
    told.iter().try_for_each(|line| app.say(line))?;
    for id in &undone.opened {
        app.say(&text!("memory-undo-opened", id))?;
    }
    Ok(())
}

/// Why nothing was taken back. In Chinese the heading of other errors would say that something
/// wrong was given.
fn refused(error: annals::Error) -> Failure {
    let why = error
        .wording()
        .filter(|wording| wording.name.starts_with("refusal-"))
        .as_ref()
        .and_then(cause);
    match why {
        Some(why) => Failure::invalid(text!("memory-undo-cannot", why)),
        None => error.into(),
    }
}

/// The change that was taken back.
fn named(undone: &Undone) -> String {
    let change = match undone.change {
        UndoneChange::Stored => text!("memory-undo-stored"),
        UndoneChange::Edited => text!("memory-undo-edited"),
        UndoneChange::Forgotten => text!("memory-undo-forgotten"),
        UndoneChange::Archived => text!("memory-undo-archived"),
        UndoneChange::Restored => text!("memory-undo-restored"),
        UndoneChange::Adjusted => text!("memory-undo-adjusted"),
        UndoneChange::Linked => text!("memory-undo-linked"),
        UndoneChange::Told => text!("memory-undo-told"),
        UndoneChange::Synced => text!("memory-undo-synced"),
        _ => text!("memory-undo-verdict"),
    };
    text!("memory-undo-of", change, at = card::minute(undone.at))
}

/// The state of a memory now.
fn line(memory: &UndoneMemory, undone: &Undone, namespace: &Namespace) -> Result<String, Failure> {
    let UndoneMemory { id, text, status } = memory;
    let is = match (status, undone.change) {
        (None, _) => text!("memory-undo-gone"),
        (Some(Status::Active), UndoneChange::Edited) if kept_text(*id, namespace)? => {
            text!("memory-undo-traits")
        }
        (Some(Status::Active), UndoneChange::Edited) => text!("memory-undo-says"),
        (Some(_), UndoneChange::Told) => text!("memory-undo-known"),
        (Some(status), _) => text!(
            "memory-undo-status",
            status = term("status", status.as_str())
        ),
    };
    Ok(text!(
        "memory-undo-line",
        id,
        is,
        text = visible::line(text)
    ))
}

/// Whether the edit that was taken back had left the text of a memory as it was.
fn kept_text(id: MemoryId, namespace: &Namespace) -> Result<bool, Failure> {
    let history = namespace.history(id)?;
    let mut texts = history
        .iter()
        .rev()
        .map(|revision| &revision.memory.body.text);
    Ok(texts.next().is_some_and(|now| texts.next() == Some(now)))
}
