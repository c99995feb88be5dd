//! The database file as a whole.

mod backup;
mod compact;
mod moving;
mod reembed;
mod repair;
mod restore;
mod stats;
mod usage;
mod verify;

use crate::app::App;
use crate::failure::Failure;

/// Arguments of `annals db`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db stats
  annals db usage --days
  annals --db old.annals db verify
  annals --db old.annals db compact
  annals db backup ~/backups/agent.annals
  annals db repair damaged.annals saved.annals")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Counts what the file and the namespace hold
    #[command(after_help = "\
Examples:
  annals db stats
  annals db stats -n user:42 --json")]
    Stats,
    /// Shows what language models were asked and what it cost
    Usage(usage::Args),
    /// Checks every index of the file against every other
    #[command(after_help = "\
Examples:
  annals db verify
  annals --db old.annals db verify --json

Reads every value of the database and checks every index against every other, which takes
a while for a large one. It needs no embedder and no language model. Each problem is a
line; it ends with 6 when there is one. `annals doctor` checks the settings, too.")]
    Verify,
    /// Gives the file back the space that nothing uses
    #[command(after_help = "\
Examples:
  annals db compact
  annals --db old.annals db compact")]
    Compact,
    /// Copies the database while it is in use, and checks the copy
    Backup(backup::Args),
    /// Puts a backup in the place of the database
    Restore(restore::Args),
    /// Copies the database between a file and PostgreSQL, and compares both
    Move(moving::Args),
    /// Saves what can be read of a damaged database into a new file
    Repair(repair::Args),
    /// Makes the vectors of the namespace anew with the chosen embedder
    #[command(after_help = "\
Examples:
  annals db reembed --embedder ./all-MiniLM-L6-v2
  annals db reembed --embedder builtin -n user:42

Stopped half way, it goes on where it was when it is called again. Recall goes on meanwhile.")]
    Reembed,
}

impl Args {
    /// Whether the action only reads.
    pub(crate) const fn only_reads(&self) -> bool {
        matches!(
            self.action,
            Action::Stats | Action::Usage(_) | Action::Verify
        )
    }

    /// Whether the action checks the file, and works on no namespace.
    pub(crate) const fn verifies(&self) -> bool {
        matches!(self.action, Action::Verify)
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Stats => stats::run(app),
        Action::Usage(args) => usage::run(args, app),
        Action::Verify => verify::run(app),
        Action::Compact => compact::run(app),
        Action::Backup(args) => backup::run(args, app),
        Action::Restore(args) => restore::run(args, app),
        Action::Move(args) => moving::run(args, app),
        Action::Repair(args) => repair::run(args, app),
        Action::Reembed => reembed::run(app),
    }
}
