//! Hooks of coding agents: what they are started with, and the projects in which they act.

mod event;
mod manage;

use std::path::PathBuf;

use annals_hooks::Host;

use crate::app::App;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::world::World;

/// Arguments of `annals hook`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals hook enable
  annals hook enable --profile coding
  annals hook status
  annals hook temporary on
  annals hook claude-code SessionStart < event.json

A host starts `annals hook HOST EVENT` with JSON on standard input. At the beginning of a
session and with a prompt the answer shows memories of the project and of the user; at the
end of a turn, before a compaction and at the end of a session what was said is kept.

Hooks act only in projects that were enabled here, and keep nothing that was said before.
Whatever fails, the answer is empty and the code 0: the host goes on. `annals doctor` shows
the last failures. ANNALS_HOOKS=off switches all hooks off.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lets hooks act in a project
    Enable(EnableArgs),
    /// Lets them act no longer; what was kept stays
    Disable(FolderArgs),
    /// Shows whether they act in a project, where else, and the last failures
    Status(FolderArgs),
    /// Makes a session of a project temporary: nothing of it is kept, and no memory is shown in it
    Temporary(TemporaryArgs),
    /// Serves an event of Claude Code
    ClaudeCode(EventArgs),
    /// Serves an event of Codex
    Codex(EventArgs),
    /// Serves an event of Cursor
    Cursor(EventArgs),
    /// Serves an event of Gemini CLI
    GeminiCli(EventArgs),
    /// Serves an event of Copilot CLI
    CopilotCli(EventArgs),
}

/// Arguments of `annals hook enable`.
#[derive(Debug, clap::Args)]
struct EnableArgs {
    /// A folder in it [default: the working directory]
    folder: Option<PathBuf>,
    /// The profile of its memories; `coding` lets a model find what holds in the next session
    /// [default: the one that it has, else `default`]
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// A project.
#[derive(Debug, clap::Args)]
struct FolderArgs {
    /// A folder in it [default: the working directory]
    folder: Option<PathBuf>,
}

/// Arguments of `annals hook temporary`.
#[derive(Debug, clap::Args)]
struct TemporaryArgs {
    /// Whether it is temporary from now on
    #[arg(value_parser = ["on", "off"])]
    state: String,
    /// The session [default: on: the one of the project that was shown something last; off: the
    /// one that is temporary]
    session: Option<String>,
    /// A folder in the project [default: the working directory]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// An event of a host.
#[derive(Debug, clap::Args)]
struct EventArgs {
    /// Its name, as the host calls it
    event: String,
}

impl Args {
    /// The host and the name of its event, where one is to be served.
    fn event(&self) -> Option<(Host, &str)> {
        let (host, event) = match &self.action {
            Action::ClaudeCode(args) => (Host::ClaudeCode, args),
            Action::Codex(args) => (Host::Codex, args),
            Action::Cursor(args) => (Host::Cursor, args),
            Action::GeminiCli(args) => (Host::GeminiCli, args),
            Action::CopilotCli(args) => (Host::CopilotCli, args),
            Action::Enable(_) | Action::Disable(_) | Action::Status(_) | Action::Temporary(_) => {
                return None;
            }
        };
        Some((host, &event.event))
    }

    /// Serves an event, if it is one: whatever happens, that is no failure. Answers whether it was.
    pub(crate) fn serve(&self, shared: &Shared, world: &mut World<'_>) -> bool {
        match self.event() {
            Some((host, event)) => {
                event::serve(host, event, shared, world);
                true
            }
            None => false,
        }
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Enable(args) => {
            manage::enable(args.folder.as_deref(), args.profile.as_deref(), app)
        }
        Action::Disable(args) => manage::disable(args.folder.as_deref(), app),
        Action::Status(args) => manage::status(args.folder.as_deref(), app),
        Action::Temporary(args) => manage::temporary(
            args.state == "on",
            args.session.as_deref(),
            args.folder.as_deref(),
            app,
        ),
        // `serve` has served them, without an app: that one may fail.
        _ => Ok(()),
    }
}
