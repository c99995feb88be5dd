//! One module per command: its arguments, what it does, and how it answers.

pub(crate) mod chat;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod context;
pub(crate) mod decisions;
pub(crate) mod delete;
pub(crate) mod delete_triple;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod end_session;
pub(crate) mod entities;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod graph;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod jobs;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod maintain;
pub(crate) mod merges;
pub(crate) mod model;
pub(crate) mod namespace;
pub(crate) mod profile;
pub(crate) mod queue;
pub(crate) mod recall;
mod receipt;
pub(crate) mod reembed;
pub(crate) mod remember;
mod resume;
pub(crate) mod review;
pub(crate) mod scratchpad;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod tools;
pub(crate) mod triples;
pub(crate) mod undo;
pub(crate) mod usage;
pub(crate) mod walks;

use crate::app::App;
use crate::args::Command;
use crate::failure::Failure;

/// Whether a command only reads the database: it opens the file beside other readers, writes nothing, and says what it found once the
/// file is closed.
pub(crate) fn only_reads(command: &Command) -> bool {
    match command {
        Command::Recall(_)
        | Command::List(_)
        | Command::Show(_)
        | Command::Explain(_)
        | Command::Stats(_)
        | Command::Doctor(_)
        | Command::Export(_)
        | Command::Usage(_)
        | Command::Triples(_)
        | Command::ExplainTriple(_)
        | Command::Neighbours(_)
        | Command::Paths(_)
        | Command::Graph(_)
        | Command::Links(_) => true,
        Command::Decisions(args) => args.only_reads(),
        _ => false,
    }
}

/// Obeys one command.
pub(crate) fn run(command: &Command, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match command {
        Command::Demo(args) => demo::run(args, app),
        Command::Remember(args) => remember::run(args, app),
        Command::Recall(args) => recall::run(args, app),
        Command::Context(args) => context::run(args, app),
        Command::List(args) => list::run(args, app),
        Command::Show(args) => show::run(args, app),
        Command::Explain(args) => explain::run(args, app),
        Command::Edit(args) => edit::run(args, app),
        Command::Forget(args) => status::forget(args, app),
        Command::Used(args) => status::used(args, app),
        Command::Restore(args) => status::restore(args, app),
        Command::Undo(args) => undo::run(args, app),
        Command::Archive(args) => status::archive(args, app),
        Command::Delete(args) => delete::run(args, app),
        Command::Namespace(args) => namespace::run(args, app),
        Command::Profile(args) => profile::run(args, app),
        Command::Maintain(args) => maintain::run(args, app),
        Command::Jobs(args) => jobs::run(args, app),
        Command::Queue(args) => queue::run(args, app),
        Command::EndSession(args) => end_session::run(args, app),
        Command::Review(args) => review::run(args, app),
        Command::Decisions(args) => decisions::run(args, app),
        Command::Chat(args) => chat::run(args, app),
        Command::Ingest(args) => ingest::run(args, app),
        Command::Tools(args) => tools::run(args, app),
        Command::Triples(args) => triples::run(args, app),
        Command::ExplainTriple(args) => triples::explain(args, app),
        Command::AddTriple(args) => triples::add(args, app),
        Command::DeleteTriple(args) => delete_triple::run(args, app),
        Command::Entities(args) => entities::run(args, app),
        Command::Merges(args) => merges::run(args, app),
        Command::Neighbours(args) => walks::neighbours(args, app),
        Command::Paths(args) => walks::paths(args, app),
        Command::Graph(args) => graph::run(args, app),
        Command::Link(args) => link::link(args, app),
        Command::Unlink(args) => link::unlink(args, app),
        Command::Links(args) => link::links(args, app),
        Command::Sync(args) => sync::run(args, app),
        Command::Import(args) => import::run(args, app),
        Command::Export(args) => export::run(args, app),
        Command::Scratchpad(args) => scratchpad::run(args, app),
        Command::Usage(args) => usage::run(args, app),
        Command::Stats(args) => stats::run(args, app),
        Command::Compact(args) => compact::run(args, app),
        Command::Reembed(args) => reembed::run(args, app),
        Command::Model(args) => model::run(args, app),
        Command::Eval(args) => eval::run(args, app),
        Command::Doctor(args) => doctor::run(args, app),
        Command::Completions(args) => completions::run(args, app),
    }
}
