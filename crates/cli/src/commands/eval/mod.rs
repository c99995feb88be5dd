mod extraction;
mod nodes;
mod recall;

use crate::app::App;
use crate::failure::Failure;

/// Arguments of `annals eval`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals eval recall locomo-dev.json
  annals eval extraction
  annals eval nodes --embedder ./all-MiniLM-L6-v2")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Measures recall and speed on annotated conversations
    Recall(Box<recall::Args>),
    /// Measures what an extractor finds in labelled conversations, and what is kept of it
    Extraction(extraction::Args),
    /// Measures which entities are said to be one, on labelled pairs
    Nodes(nodes::Args),
}

/// Measures and prints.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Recall(args) => recall::run(args, app),
        Action::Extraction(args) => extraction::run(args, app),
        Action::Nodes(args) => nodes::run(args, app),
    }
}
