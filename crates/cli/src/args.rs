use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::commands::*;

/// Long-term memory for agents, in one file.
#[derive(Debug, Parser)]
#[command(name = "annals", version, disable_help_subcommand = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  annals demo
  annals remember \"I moved to Berlin in March 2023.\"
  annals recall \"where do I live now?\" --explain
  annals --db team.annals -n user:42 import chat.json

Settings come from flags, then from ANNALS_DB, ANNALS_NAMESPACE,
ANNALS_EMBEDDER, ANNALS_EMBEDDER_KEY, ANNALS_ONNXRUNTIME, ANNALS_MODELS,
ANNALS_MIRRORS and ANNALS_CONFIG, then from the config file; `annals doctor` shows them.
ANNALS_LLM names a language model as URL#MODEL, anthropic#MODEL, anthropic:URL#MODEL or
replay:FILE; ANNALS_LLM_EXTRACT another one that looks through conversations, such as a
smaller one; ANNALS_LLM_KEY holds the key. [llm] and [llm_extract] of the config file name
them for good, with a key file, timeout, rate and prices. ANNALS_LLM_RECORD names a file for
what is asked and answered, ANNALS_TOKENIZER the model's tokenizer.json, by which tokens are
counted instead of estimated. TZ is the time zone in which days begin and hours are meant.

Exit codes:
  0 done       3 not found                 6 damaged, or not a database
  1 failed     4 invalid input             7 written by another version
  2 usage      5 database in use           8 cannot be written (rights, full disk)
                                           9 embedder or model not available";

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct Shared {
    /// The database [default: agent.annals in the data folder of the platform]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) db: Option<PathBuf>,
    /// The namespace; `recall` takes several [default: default]
    #[arg(long, short, global = true, value_name = "NAME", help_heading = "Everywhere")]
    pub(crate) namespace: Vec<String>,
    /// `builtin`, a model folder, the name of a pulled model, or URL#MODEL [default: builtin]
    #[arg(long, global = true, value_name = "WHICH", help_heading = "Everywhere")]
    pub(crate) embedder: Option<String>,
    /// The config file [default: annals/config.toml in the config folder of the platform]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) config: Option<PathBuf>,
    /// How long to wait for a database that another process has open
    #[arg(long, global = true, value_name = "SECONDS", default_value = "5", value_parser = seconds, help_heading = "Everywhere")]
    pub(crate) wait: Duration,
    /// Answer and complain in JSON
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,
    /// No colours (also NO_COLOR=1)
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_color: bool,
    /// No progress bars and notes
    #[arg(long, short, global = true, help_heading = "Everywhere")]
    pub(crate) quiet: bool,
}

/// A number of seconds, such as 5 or 0.5.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "it must be a number of seconds, such as 5 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows what annals does, on a conversation of two months in two languages
    Demo(demo::Args),
    /// Stores a memory
    Remember(remember::Args),
    /// Answers a question with the memories that fit
    Recall(recall::Args),
    /// Prints what of the memory belongs into a prompt
    Context(context::Args),
    /// Lists memories, newest first
    List(list::Args),
    /// Shows one memory with everything known about it
    Show(show::Args),
    /// Shows how a memory came to be what it is
    Explain(explain::Args),
    /// Changes a memory; what it said before stays in its history
    Edit(edit::Args),
    /// Hides memories; `restore` brings them back
    Forget(status::ForgetArgs),
    /// Brings back memories that were forgotten or archived
    #[command(after_help = "\
Examples:
  annals restore 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals restore 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e 0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01")]
    Restore(status::IdArgs),
    /// Reports that memories were of use, which is what keeps them
    #[command(after_help = "\
Examples:
  annals used 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e")]
    Used(status::IdArgs),
    /// Takes a memory back that was just stored, as if it had never been
    Undo(undo::Args),
    /// Keeps memories without bringing them forward by themselves
    #[command(after_help = "\
Examples:
  annals archive 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals list --status archived")]
    Archive(status::IdArgs),
    /// Deletes memories for good; shows what would go until --yes is given
    Delete(delete::Args),
    /// Makes, lists, measures, renames and deletes namespaces
    Namespace(namespace::Args),
    /// Lists, shows and stores profiles: how memories fade, and what becomes of them
    Profile(profile::Args),
    /// Does what the profiles want done as time passes
    Maintain(maintain::Args),
    /// Shows when the jobs of profiles run; stops and resumes them
    Jobs(jobs::Args),
    /// Shows background work that waits or failed, tries it again or drops it
    Queue(queue::Args),
    /// Ends a session: what lives as long as it goes
    EndSession(end_session::Args),
    /// Shows and sets what is being worked on
    Scratchpad(scratchpad::Args),
    /// Shows memories that wait for a verdict, and decides about them
    Review(review::Args),
    /// Shows what was decided about memories and why, and takes decisions back
    Decisions(decisions::Args),
    /// Lists what memories say as triples
    Triples(triples::Args),
    /// Shows one triple with the memories that say it
    #[command(after_help = "\
Examples:
  annals triples --subject Ada
  annals explain-triple 3")]
    ExplainTriple(triples::ExplainArgs),
    /// Stores what a memory says as a triple
    AddTriple(triples::AddArgs),
    /// Deletes triples; shows what would go until --yes is given
    DeleteTriple(delete_triple::Args),
    /// Lists, makes, names and deletes what triples speak of
    Entities(entities::Args),
    /// Finds entities that should be one, merges them and takes merges back
    Merges(merges::Args),
    /// Lists what is around an entity
    Neighbours(walks::NeighboursArgs),
    /// Shows the shortest ways between two entities
    Paths(walks::PathsArgs),
    /// Measures, shows and exports the graph
    Graph(graph::Args),
    /// Links two memories
    #[command(after_help = "\
Examples:
  annals link 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \\
    0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01
  annals links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e")]
    Link(link::LinkArgs),
    /// Takes a link between two memories away
    #[command(after_help = "\
Examples:
  annals unlink 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \\
    0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01")]
    Unlink(link::LinkArgs),
    /// Lists the links of a memory
    #[command(after_help = "\
Examples:
  annals links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals links 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --json")]
    Links(link::LinksArgs),
    /// Talks: a small assistant that remembers, over a language model
    Chat(chat::Args),
    /// Reads a conversation from a file and remembers what a language model finds in it
    Ingest(ingest::Args),
    /// Prints the tools that a model can call, as JSON schemas
    Tools(tools::Args),
    /// Brings files such as MEMORY.md and the memories into step, both ways
    Sync(sync::Args),
    /// Reads memories or conversations from a file
    Import(import::Args),
    /// Writes the namespace as JSON lines: memories with their history, and the graph
    Export(export::Args),
    /// Counts what the file and the namespace hold
    #[command(after_help = "\
Examples:
  annals stats
  annals stats -n user:42 --json")]
    Stats(stats::Args),
    /// Shows what language models were asked and what it cost
    Usage(usage::Args),
    /// Gives the file back the space that nothing uses
    #[command(after_help = "\
Examples:
  annals compact
  annals --db old.annals compact")]
    Compact(compact::Args),
    /// Makes the vectors of the namespace anew with the chosen embedder
    Reembed(reembed::Args),
    /// Pulls, imports and lists embedding models
    Model(model::Args),
    /// Measures recall and speed on an annotated data set
    Eval(eval::Args),
    /// Checks the database, the embedder and the settings, and says what to do
    Doctor(doctor::Args),
    /// Prints the completions of a shell
    Completions(completions::Args),
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};
    use unicode_width::UnicodeWidthStr;

    use super::Cli;

    /// A line that is broken to fit cannot be pasted, and leaves one of a few words behind.
    fn fits(command: &Command) {
        for line in command.get_after_help().map(ToString::to_string).unwrap_or_default().lines() {
            assert!(line.width() <= crate::WIDEST, "{}: {line}", command.get_name());
        }
        command.get_subcommands().for_each(fits);
    }

    #[test]
    fn examples_and_notes_are_printed_as_they_are_written() {
        fits(&Cli::command());
    }
}
