//! The database file as a whole.

mod compact;
mod reembed;
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
  annals --db old.annals db compact")]
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
    Stats(stats::Args),
    /// Shows what language models were asked and what it cost
    Usage(usage::Args),
    /// Checks every index of the file against every other
    Verify(verify::Args),
    /// Gives the file back the space that nothing uses
    #[command(after_help = "\
Examples:
  annals db compact
  annals --db old.annals db compact")]
    Compact(compact::Args),
    /// Makes the vectors of the namespace anew with the chosen embedder
    Reembed(reembed::Args),
}

impl Args {
    /// Whether the action only reads.
    pub(crate) const fn only_reads(&self) -> bool {
        matches!(self.action, Action::Stats(_) | Action::Usage(_) | Action::Verify(_))
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Stats(args) => stats::run(args, app),
        Action::Usage(args) => usage::run(args, app),
        Action::Verify(args) => verify::run(args, app),
        Action::Compact(args) => compact::run(args, app),
        Action::Reembed(args) => reembed::run(args, app),
    }
}
