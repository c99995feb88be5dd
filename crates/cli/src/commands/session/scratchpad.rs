use annals::blocking::Namespace;
use annals::profile::PartSource;
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// Arguments of `annals session focus`.
#[derive(Debug, clap::Args)]
pub(crate) struct FocusArgs {
    /// The task
    task: String,
}

/// Arguments of `annals session projects`.
#[derive(Debug, clap::Args)]
pub(crate) struct ProjectsArgs {
    /// Their names
    names: Vec<String>,
}

/// Shows the scratchpad.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    shown(&namespace, app)
}

/// Sets the current task, and shows the scratchpad.
pub(crate) fn focus(args: &FocusArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    // The embedder decides, too, whether a task is another one.
    let namespace = app.namespace(Access::Create)?;
    namespace.designs().agent().focus(&args.task)?;
    note_unseen(&namespace, app)?;
    shown(&namespace, app)
}

/// Sets the projects, and shows the scratchpad.
pub(crate) fn projects(args: &ProjectsArgs, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.namespace(Access::Create)?;
    namespace.designs().agent().set_projects(&args.names)?;
    note_unseen(&namespace, app)?;
    shown(&namespace, app)
}

/// Says that no context will show what is set, where the profile has no part for it.
fn note_unseen(namespace: &Namespace, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let parts = namespace.admin().settings()?.inject.parts;
    if parts
        .iter()
        .any(|part| !part.off && part.source == PartSource::Scratchpad)
    {
        return Ok(());
    }
    let profile = namespace.admin().profile()?;
    app.note(&text!(
        "session-not-shown",
        profile = visible::line(&profile)
    ))
}

fn shown(namespace: &Namespace, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let pad = namespace.designs().agent().scratchpad()?;
    if app.json {
        return app.answer_json(&json!({ "scratchpad": pad }));
    }
    if pad.is_empty() {
        return app.say(&text!("session-no-scratchpad"));
    }
    let text = namespace.designs().agent().scratchpad_markdown()?;
    app.print(&visible::block(&text))
}
