use annals::blocking::Namespace;
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::visible;

/// What `annals scratchpad` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals scratchpad
  annals scratchpad focus \"Write the report for May\"
  annals scratchpad projects website annals
  annals scratchpad projects

The current task, the projects beside it, and the tasks before it, as profiles with a
scratchpad show them in prompts. `focus` with another task makes the current one the
latest of those that are done; `projects` without names leaves none.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Shows it
    Show,
    /// Says what is being worked on now
    Focus {
        /// The task
        task: String,
    },
    /// Says which projects go on beside it
    Projects {
        /// Their names
        names: Vec<String>,
    },
}

/// Obeys one of the actions, and shows the scratchpad.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = match &args.action {
        None | Some(Action::Show) => app.plain_namespace()?,
        // Whether a task is another one is decided by its meaning, too.
        Some(Action::Focus { task }) => {
            let namespace = app.namespace(Access::Create)?;
            namespace.focus(task)?;
            namespace
        }
        Some(Action::Projects { names }) => {
            let namespace = app.namespace(Access::Create)?;
            namespace.set_projects(names)?;
            namespace
        }
    };
    shown(&namespace, app)
}

fn shown(namespace: &Namespace, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let pad = namespace.scratchpad()?;
    if app.json {
        return app.answer_json(&json!({ "scratchpad": pad }));
    }
    if pad.is_empty() {
        return app.say("nothing is on the scratchpad");
    }
    let text = namespace.scratchpad_markdown()?;
    app.print(&visible::block(&text))
}
