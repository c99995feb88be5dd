//! Sessions: which there are, how one ends, what is kept of it, and what is being worked on.

mod end;
mod list;
mod scratchpad;
mod temporary;

use crate::app::App;
use crate::failure::Failure;

/// Arguments of `annals session`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals session list
  annals session end 2026-03-07-morning
  annals session temporary 2026-03-07-evening on
  annals session scratchpad
  annals session focus \"Write the report for May\"
  annals session projects website annals

The scratchpad holds the current task, the projects beside it, and the tasks before it,
as profiles with a scratchpad show them in prompts.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the sessions, the latest first: how many turns each has, and when they were said
    List,
    /// Ends a session: what lives as long as it goes
    End(end::Args),
    /// Makes a session temporary, or no longer: nothing of it is kept, and no memory is used in it
    Temporary(temporary::Args),
    /// Shows what is being worked on
    Scratchpad,
    /// Sets the current task; the one before becomes the latest of those that are done
    Focus(scratchpad::FocusArgs),
    /// Sets the projects that go on beside it; none without names
    Projects(scratchpad::ProjectsArgs),
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::List => list::run(app),
        Action::End(args) => end::run(args, app),
        Action::Temporary(args) => temporary::run(args, app),
        Action::Scratchpad => scratchpad::run(app),
        Action::Focus(args) => scratchpad::focus(args, app),
        Action::Projects(args) => scratchpad::projects(args, app),
    }
}
