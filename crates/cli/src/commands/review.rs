use annals::profile::ReviewKind;
use annals::{MemoryId, Verdict};
use serde_json::json;

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::table::Table;
use crate::visible;

/// What `annals review` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals review
  annals review keep 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals review delete 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e

Memories wait here when their profile wants a verdict before they go, or before
they are kept for good.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// The memories that wait for a verdict
    List {
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Memories that matter much and are not sure
    Doubtful {
        /// At most so many
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Lets a memory stay
    Keep {
        /// The memory
        id: MemoryId,
    },
    /// Deletes a memory for good
    Delete {
        /// The memory
        id: MemoryId,
    },
    /// Keeps a memory for good
    Promote {
        /// The memory
        id: MemoryId,
    },
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match args.action {
        None => list(50, app),
        Some(Action::List { limit }) => list(limit, app),
        Some(Action::Doubtful { limit }) => doubtful(limit, app),
        Some(Action::Keep { id }) => decide(id, Verdict::Keep, app),
        Some(Action::Delete { id }) => decide(id, Verdict::Delete, app),
        Some(Action::Promote { id }) => decide(id, Verdict::Promote, app),
    }
}

const fn question(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Decay => "may it go?",
        ReviewKind::Promote => "keep for good?",
    }
}

fn list(limit: u32, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let reviews = app.plain_namespace()?.reviews(usize::try_from(limit).unwrap_or(usize::MAX))?;
    if app.json {
        return app.answer_json(&json!({ "reviews": reviews }));
    }
    if reviews.is_empty() {
        return app.say("no memory waits for a verdict");
    }
    let mut table = Table::new(&["id", "question", ">score", "~text"]);
    for review in &reviews {
        table.row(vec![
            review.id.to_string(),
            question(review.kind).to_owned(),
            format!("{:.3}", review.score),
            visible::line(&review.text).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn doubtful(limit: u32, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memories = app.plain_namespace()?.doubtful(usize::try_from(limit).unwrap_or(usize::MAX))?;
    if app.json {
        return app.answer_json(&json!({ "doubtful": memories }));
    }
    if memories.is_empty() {
        return app.say("no memory is in doubt");
    }
    let mut table = Table::new(&["id", ">importance", ">confidence", "~text"]);
    for memory in &memories {
        table.row(vec![
            memory.id.to_string(),
            format!("{:.2}", memory.body.importance.get()),
            format!("{:.2}", memory.body.confidence.get()),
            visible::line(&memory.body.text).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

/// A memory that waits for both verdicts gets the one about its going first, unless it is to be promoted.
fn decide(id: MemoryId, verdict: Verdict, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let kinds: Vec<ReviewKind> =
        namespace.reviews(usize::MAX)?.iter().filter(|review| review.id == id).map(|review| review.kind).collect();
    let wanted = if verdict == Verdict::Promote { ReviewKind::Promote } else { ReviewKind::Decay };
    let Some(kind) = kinds.iter().find(|kind| **kind == wanted).or(kinds.first()) else {
        return Err(Failure::new(Exit::NotFound, format!("memory {id} does not wait for a verdict"))
            .advice("`annals review` shows those that do"));
    };
    let done = match namespace.decide(id, *kind, verdict)? {
        Verdict::Promote => "promoted",
        Verdict::Keep => "kept",
        Verdict::Delete => "deleted",
    };
    if app.json {
        return app.answer_json(&json!({ "id": id, "kind": kind, "done": done }));
    }
    app.say(&format!("{done} {id}"))
}
