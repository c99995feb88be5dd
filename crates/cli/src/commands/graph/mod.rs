//! The graph: triples that memories say, the entities in them, and links between memories.

mod delete;
mod entities;
mod links;
mod merges;
mod triples;
mod walks;
mod whole;

use annals::MemoryId;

use crate::app::App;
use crate::failure::Failure;

/// Arguments of `annals graph`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals graph triples --subject Ada
  annals graph add 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e Ada \"lives in\" Berlin
  annals graph neighbours Ada --depth 2
  annals graph duplicates
  annals graph export --format dot graph.dot && dot -Tsvg graph.dot > graph.svg

An entity is named by its name or, as `annals graph entities` shows it, by #NUMBER.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists what memories say as triples
    Triples(triples::Args),
    /// Shows one triple with the memories that say it
    Explain(triples::ExplainArgs),
    /// Stores what a memory says as a triple
    Add(triples::AddArgs),
    /// Deletes triples; shows what would go until --yes is given
    Delete(delete::Args),
    /// Lists what triples speak of
    Entities(entities::Args),
    /// Makes an entity that stays without any triple
    AddEntity(entities::AddArgs),
    /// Changes what an entity is called and what it is; what is said of it stays
    EditEntity(entities::EditArgs),
    /// Deletes an entity of which no triple speaks; shows it until --yes is given
    DeleteEntity(entities::DeleteArgs),
    /// Lists what is around an entity
    Neighbours(walks::NeighboursArgs),
    /// Shows the shortest ways between two entities
    Paths(walks::PathsArgs),
    /// Finds entities that should be one, by name, similarity and context
    Duplicates(merges::DuplicatesArgs),
    /// Shows how similar entities must be to be found
    #[command(after_help = "\
Examples:
  annals graph thresholds

Under an adaptive profile, merges that were taken back raise the numbers of their kinds.")]
    Thresholds,
    /// Makes one entity another, or all that `duplicates` finds
    Merge(merges::MergeArgs),
    /// Takes a merge back
    Unmerge(merges::UnmergeArgs),
    /// Lists the merges that stand
    Merges(merges::Args),
    /// Lists the links of a memory
    Links(links::LinksArgs),
    /// Links two memories
    #[command(after_help = "\
Examples:
  annals graph link 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \\
    0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01")]
    Link(links::LinkArgs),
    /// Takes a link between two memories away
    #[command(after_help = "\
Examples:
  annals graph unlink 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e causes \\
    0197f5c2-7a11-7d90-8a21-5b6c7d8e9f01")]
    Unlink(links::LinkArgs),
    /// Shows a memory as nodes and edges
    Show {
        /// The memory
        id: MemoryId,
    },
    /// Shows what a memory says that cannot hold with what others say
    Clashes {
        /// The memory
        id: MemoryId,
    },
    /// Counts what the graph holds
    Stats,
    /// Writes the graph for other programs
    Export(whole::ExportArgs),
}

impl Args {
    /// Whether the action only reads.
    pub(crate) const fn only_reads(&self) -> bool {
        matches!(
            self.action,
            Action::Triples(_)
                | Action::Explain(_)
                | Action::Entities(_)
                | Action::Neighbours(_)
                | Action::Paths(_)
                | Action::Merges(_)
                | Action::Links(_)
                | Action::Show { .. }
                | Action::Clashes { .. }
                | Action::Stats
                | Action::Export(_)
        )
    }
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match &args.action {
        Action::Triples(args) => triples::run(args, app),
        Action::Explain(args) => triples::explain(args, app),
        Action::Add(args) => triples::add(args, app),
        Action::Delete(args) => delete::run(args, app),
        Action::Entities(args) => entities::run(args, app),
        Action::AddEntity(args) => entities::add(args, app),
        Action::EditEntity(args) => entities::edit(args, app),
        Action::DeleteEntity(args) => entities::delete(args, app),
        Action::Neighbours(args) => walks::neighbours(args, app),
        Action::Paths(args) => walks::paths(args, app),
        Action::Duplicates(args) => merges::duplicates(args, app),
        Action::Thresholds => merges::thresholds(app),
        Action::Merge(args) => merges::merge(args, app),
        Action::Unmerge(args) => merges::unmerge(args, app),
        Action::Merges(args) => merges::run(args, app),
        Action::Links(args) => links::links(args, app),
        Action::Link(args) => links::link(args, app),
        Action::Unlink(args) => links::unlink(args, app),
        Action::Show { id } => whole::show(*id, app),
        Action::Clashes { id } => whole::clashes(*id, app),
        Action::Stats => whole::stats(app),
        Action::Export(args) => whole::export(args, app),
    }
}
