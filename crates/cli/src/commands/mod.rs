//! The command line: one module per command or group of commands, with its arguments, what it does
//! and how it answers.
//!
//! Commands do not know each other; what several of them need is a module of the program.

mod chat;
mod completions;
mod context;
mod db;
mod delete;
mod demo;
mod doctor;
mod edit;
mod eval;
mod export;
mod graph;
mod hook;
mod import;
mod ingest;
mod install;
mod jobs;
mod language;
mod list;
mod mcp;
mod model;
mod namespace;
mod profile;
mod queue;
mod recall;
mod remember;
mod review;
mod serve;
mod session;
mod show;
mod status;
mod sync;
mod token;
mod undo;
mod uninstall;

use clap::{CommandFactory, Parser, Subcommand};

use crate::app::App;
use crate::failure::Failure;
use crate::help;
use crate::shared::Shared;
use crate::world::World;

/// Long-term memory for agents, in one file
#[derive(Debug, Parser)]
#[command(name = "annals", version, disable_help_subcommand = true, help_template = help::PROGRAM)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands of every day, then the groups of all others.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows what annals does, on a conversation of two months in two languages
    Demo(demo::Args),
    /// Stores a memory
    #[command(visible_alias = "add")]
    Remember(remember::Args),
    /// Answers a question with the memories that fit
    #[command(visible_alias = "search")]
    Recall(recall::Args),
    /// Prints what of the memory belongs in a prompt
    Context(context::Args),
    /// Lists memories, the latest stored first
    #[command(visible_alias = "ls")]
    List(list::Args),
    /// Shows one memory with everything known about it
    Show(show::Args),
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
    /// Keeps memories without bringing them forward by themselves
    #[command(after_help = "\
Examples:
  annals archive 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals list --status archived")]
    Archive(status::IdArgs),
    /// Deletes memories for good; shows what would go until --yes is given
    #[command(visible_alias = "rm")]
    Delete(delete::Args),
    /// Takes the last change back, of one memory or of all
    Undo(undo::Args),
    /// Reports that memories were of use, which is what keeps them
    #[command(after_help = "\
Examples:
  annals used 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e")]
    Used(status::IdArgs),
    /// Talks: a small assistant that remembers, over a language model
    Chat(chat::Args),
    /// Reads a conversation from a file and remembers what a language model finds in it
    Ingest(ingest::Args),
    /// Reads memories or conversations from a file
    Import(import::Args),
    /// Writes the namespace as JSON lines: memories with their history, and the graph
    Export(export::Args),
    /// Brings files such as MEMORY.md and the memories into step, both ways
    Sync(sync::Args),
    /// Serves agents: the Model Context Protocol (MCP) over standard input and output or HTTP
    Mcp(mcp::Args),
    /// Checks the database, the embedder and the settings, and says what to do
    Doctor(doctor::Args),
    /// Puts annals into coding agents: the entry of its server, and hooks
    Install(install::Args),
    /// Takes annals out of coding agents again
    Uninstall(uninstall::Args),
    /// Makes, lists, measures, renames and deletes namespaces
    Namespace(namespace::Args),
    /// Lists, shows and stores profiles: how memories fade, and what becomes of them
    Profile(profile::Args),
    /// Languages of prompts and headings: that of a namespace, and files of messages
    Language(language::Args),
    /// Lists and ends sessions; shows and sets what is being worked on
    Session(session::Args),
    /// Triples that memories say, the entities in them, links between memories
    Graph(graph::Args),
    /// Memories that wait for a verdict, and what was decided about others
    Review(review::Args),
    /// Background work that waits or failed: shows it, tries it again, drops it
    Queue(queue::Args),
    /// Jobs of the profiles: runs those that are due, stops and resumes them
    Jobs(jobs::Args),
    /// Embedding models, and the tools that language models call
    Model(model::Args),
    /// Serves memories over HTTP, and owns the database for other processes
    Serve(serve::Args),
    /// Tokens of the HTTP server: makes, lists and revokes them
    Token(token::Args),
    /// The database file: counts, costs, space, vectors, verification
    Db(db::Args),
    /// Hooks of coding agents: serves their events, in the projects where they are enabled
    Hook(hook::Args),
    /// Measures recall, extraction and merging on labelled data
    Eval(eval::Args),
    /// Prints the completions of a shell
    Completions(completions::Args),
}

/// Commands about no namespace that `--namespace` could name: they are about the whole database,
/// take names as arguments, or open none.
const WITHOUT_NAMESPACE: [&str; 9] = [
    "demo",
    "install",
    "uninstall",
    "namespace",
    "profile",
    "jobs",
    "serve",
    "eval",
    "completions",
];

/// Whether a command takes no `--namespace`.
pub(crate) fn is_without_namespace(name: &str) -> bool {
    WITHOUT_NAMESPACE.contains(&name)
}

/// The program, whose command of that name shows no option that it does not take.
pub(crate) fn without_idle_options(mut program: clap::Command, name: &str) -> clap::Command {
    fn hidden(command: clap::Command) -> clap::Command {
        let idle = |arg: clap::Arg| {
            let takes_none =
                ["namespace", "global"].contains(&arg.get_id().as_str()) && arg.is_global_set();
            if takes_none { arg.hide(true) } else { arg }
        };
        command.mut_args(idle).mut_subcommands(hidden)
    }
    if !is_without_namespace(name) {
        return program;
    }
    // Options of every command are among those of one only once it was built.
    program.build();
    program.mut_subcommand(name, hidden)
}

impl Command {
    /// Whether the command only reads the database: it opens the file beside other readers, writes
    /// nothing, and says what it found once the file is closed.
    pub(crate) fn only_reads(&self) -> bool {
        match self {
            Self::Recall(_) | Self::List(_) | Self::Show(_) | Self::Doctor(_) | Self::Export(_) => {
                true
            }
            Self::Graph(args) => args.only_reads(),
            Self::Review(args) => args.only_reads(),
            Self::Db(args) => args.only_reads(),
            _ => false,
        }
    }

    /// Whether the command serves a client over standard input and output, which shows nothing of a
    /// server that does not start.
    pub(crate) const fn serves_client(&self) -> bool {
        if let Self::Mcp(args) = self {
            args.is_piped()
        } else {
            false
        }
    }

    /// Whether the command goes on where the list of known project folders cannot be read: damage
    /// is looked for with it, or the memory of a project is no concern of it.
    pub(crate) const fn goes_on_without_place(&self) -> bool {
        match self {
            Self::Doctor(_) | Self::Token(_) => true,
            Self::Db(args) => args.verifies(),
            _ => false,
        }
    }

    /// Whether the command gives the working directory the memory of the project that it says it
    /// is.
    pub(crate) const fn adopts(&self) -> bool {
        if let Self::Namespace(args) = self {
            args.adopts()
        } else {
            false
        }
    }

    /// Whether the command chooses namespaces by what it finds, so that none can be named.
    pub(crate) const fn chooses_namespaces(&self) -> bool {
        matches!(self, Self::Import(args) if args.is_of_agents())
    }

    /// Serves such a client where the settings cannot be read: every answer says why.
    pub(crate) fn serve_without_settings(failure: &Failure) -> Result<(), Failure> {
        mcp::serve_without_settings(failure)
    }

    /// Serves an event of a host, which never fails, if the command is one; answers whether it is.
    pub(crate) fn serves(&self, shared: &Shared, world: &mut World<'_>) -> bool {
        if let Self::Hook(args) = self {
            args.serve(shared, world)
        } else {
            false
        }
    }

    /// Obeys.
    pub(crate) fn run(&self, app: &mut App<'_, '_>) -> Result<(), Failure> {
        match self {
            Self::Demo(args) => demo::run(args, app),
            Self::Remember(args) => remember::run(args, app),
            Self::Recall(args) => recall::run(args, app),
            Self::Context(args) => context::run(args, app),
            Self::List(args) => list::run(args, app),
            Self::Show(args) => show::run(args, app),
            Self::Edit(args) => edit::run(args, app),
            Self::Forget(args) => status::forget(args, app),
            Self::Restore(args) => status::restore(args, app),
            Self::Archive(args) => status::archive(args, app),
            Self::Delete(args) => delete::run(args, app),
            Self::Undo(args) => undo::run(args, app),
            Self::Used(args) => status::used(args, app),
            Self::Chat(args) => chat::run(args, app),
            Self::Ingest(args) => ingest::run(args, app),
            Self::Import(args) => import::run(args, app),
            Self::Export(args) => export::run(args, app),
            Self::Sync(args) => sync::run(args, app),
            Self::Mcp(args) => mcp::run(args, app),
            Self::Doctor(args) => doctor::run(args, app),
            Self::Install(args) => install::run(args, app),
            Self::Uninstall(args) => uninstall::run(args, app),
            Self::Namespace(args) => namespace::run(args, app),
            Self::Profile(args) => profile::run(args, app),
            Self::Language(args) => language::run(args, app),
            Self::Session(args) => session::run(args, app),
            Self::Graph(args) => graph::run(args, app),
            Self::Review(args) => review::run(args, app),
            Self::Queue(args) => queue::run(args, app),
            Self::Jobs(args) => jobs::run(args, app),
            Self::Model(args) => model::run(args, app),
            Self::Serve(args) => serve::run(args, app),
            Self::Token(args) => token::run(args, app),
            Self::Db(args) => db::run(args, app),
            Self::Hook(args) => hook::run(args, app),
            Self::Eval(args) => eval::run(args, app),
            Self::Completions(args) => completions::run(args, Cli::command(), app),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| {
                if path.is_dir() {
                    files(&path)
                } else {
                    vec![path]
                }
            })
            .collect()
    }

    #[test]
    fn the_help_of_a_command_lists_no_namespace_where_it_takes_none() {
        use clap::CommandFactory;
        let options = |name: &str| -> String {
            let mut program = super::without_idle_options(super::Cli::command(), name);
            program.build();
            program
                .find_subcommand_mut(name)
                .unwrap()
                .render_help()
                .to_string()
        };
        for name in super::WITHOUT_NAMESPACE {
            assert!(
                !options(name).contains("--namespace <NAME>"),
                "{name}: {}",
                options(name)
            );
        }
        assert!(options("recall").contains("--namespace <NAME>"));
    }

    /// A group knows the modules below it; the path to any other command leads over this module.
    #[test]
    fn commands_do_not_know_each_other() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands");
        let files = files(&folder);
        assert!(files.len() > 50, "{files:?}");
        for path in files.iter().filter(|path| **path != folder.join("mod.rs")) {
            let text = std::fs::read_to_string(path).unwrap();
            let own = path.parent() == Some(&folder);
            let above = if own || path.ends_with("mod.rs") {
                "use super::"
            } else {
                "super::super::"
            };
            for word in ["crate::commands", above] {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
        }
    }
}
