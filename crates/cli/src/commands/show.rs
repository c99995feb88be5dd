use annals::blocking::Namespace;
use annals::graph::{GraphRecord, Origin};
use annals::{MemoryId, Revision, Standing, Timestamp};
use serde::Serialize;

use crate::app::App;
use crate::card::{self, Stated};
use crate::failure::Failure;
use crate::table::Table;
use crate::texts::{found, said, text};
use crate::{lookup, visible};

/// Arguments of `annals show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --history --json
  annals show 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --explain")]
pub(crate) struct Args {
    /// The memory
    id: MemoryId,
    /// Also what it said before
    #[arg(long)]
    history: bool,
    /// Also how it came to be what it is; with --json also as a record of its nodes and edges
    #[arg(long)]
    explain: bool,
}

fn times(count: u32) -> String {
    text!("common-times", count = u64::from(count))
}

/// The worth of a memory under its profile, and its uses.
fn worth(standing: Standing) -> Vec<(String, String)> {
    let mut facts = vec![(text!("memory-score"), format!("{:.3}", standing.score))];
    if (standing.retention - standing.score).abs() > 1e-9 {
        facts.push((
            text!("memory-retention"),
            format!("{:.3}", standing.retention),
        ));
    }
    if !standing.class.is_empty() {
        facts.push((text!("memory-class"), standing.class));
    }
    facts.push((
        text!("memory-used"),
        text!(
            "memory-used-returned",
            used = times(standing.used),
            returned = times(standing.returned)
        ),
    ));
    facts.push((
        text!("memory-last-access"),
        card::minute(standing.last_access),
    ));
    facts.extend(
        standing
            .due_at
            .map(|at| (text!("memory-due"), card::minute(at))),
    );
    facts
}

#[derive(Serialize)]
struct MemoryView<'a> {
    memory: Stated<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<&'a Standing>,
    /// Memories that it was derived from and that were deleted.
    #[serde(skip_serializing_if = "<[MemoryId]>::is_empty")]
    deleted_sources: &'a [MemoryId],
    /// Since when it is to be derived again because of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_since: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<&'a Vec<Revision>>,
    #[serde(flatten)]
    explanation: Option<&'a Explanation>,
}

/// How a memory came to be what it is.
#[derive(Serialize)]
struct Explanation {
    /// The steps, the earliest first.
    steps: Vec<Origin>,
    record: GraphRecord,
    /// Its nodes and edges in one line.
    #[serde(skip)]
    drawn: String,
}

impl Explanation {
    fn of(namespace: &Namespace, id: MemoryId) -> Result<Self, Failure> {
        let steps = namespace.graph().explain(id)?;
        Ok(Self {
            steps,
            record: namespace.designs().graph().record(id)?,
            drawn: namespace.graph().subgraph(id)?.to_graph_text(),
        })
    }

    /// A step a line, then the graph.
    fn text(&self, app: &App<'_, '_>) -> String {
        let mut table = Table::new(&["when", "step", "~what detail"]);
        for step in &self.steps {
            let what = step
                .wording
                .as_ref()
                .and_then(|wording| said("memory-what-", wording));
            let what = what.unwrap_or_else(|| step.what.clone());
            let what = visible::line(&what).into_owned();
            let word = step.step.as_str();
            let word =
                found(&format!("memory-step-{word}"), &[]).unwrap_or_else(|| word.to_owned());
            table.row(vec![card::minute(step.at), word, what]);
        }
        let mut text = format!("\n{}", table.render(app.paint, app.width()));
        if !self.drawn.is_empty() {
            text.push_str(&format!("\n{}\n", visible::line(&self.drawn)));
        }
        text
    }
}

/// Prints the memory and, if wanted, its history.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace_of(&[args.id])?;
    let mut memory = lookup::memory(&namespace, args.id)?;
    card::age(&namespace, [&mut memory])?;
    let history = if args.history {
        namespace.history(args.id)?
    } else {
        Vec::new()
    };
    let standing = namespace.lifecycle().standings(&[args.id])?.pop().flatten();
    let stale_since = namespace.lifecycle().stale_since(args.id)?;
    let explanation = args
        .explain
        .then(|| Explanation::of(&namespace, args.id))
        .transpose()?;
    let mut deleted_sources = Vec::new();
    for id in &memory.body.provenance {
        if namespace.get(*id)?.is_none() {
            deleted_sources.push(*id);
        }
    }
    if app.json {
        let (standing, history) = (standing.as_ref(), args.history.then_some(&history));
        let deleted_sources = &deleted_sources;
        let memory = Stated::at(&memory, app.world.clock.now());
        return app.answer_json(&MemoryView {
            memory,
            standing,
            deleted_sources,
            stale_since,
            history,
            explanation: explanation.as_ref(),
        });
    }
    let mut facts = Vec::new();
    // What was edited has the moment of the edit; it was stored before.
    if memory.revision > 1 {
        facts.push((text!("memory-revised"), card::minute(memory.stored_at)));
        let first = namespace
            .history(args.id)?
            .into_iter()
            .find(|revision| revision.memory.id == args.id);
        memory.stored_at = first.map_or(memory.stored_at, |first| first.memory.stored_at);
    }
    facts.extend(standing.map_or_else(Vec::new, worth));
    for id in &memory.body.provenance {
        let gone = if deleted_sources.contains(id) {
            text!("memory-source-deleted")
        } else {
            String::new()
        };
        facts.push((card::derived_from(), format!("{id}{gone}")));
    }
    facts.extend(stale_since.map(|at| {
        (
            text!("memory-stale-since"),
            text!("memory-stale-why", at = card::minute(at)),
        )
    }));
    let mut text = card::full_with(&memory, &facts, app.paint, app.width());
    for revision in history
        .iter()
        .filter(|revision| revision.replaced_at.is_some())
    {
        let until = revision.replaced_at.map(card::minute).unwrap_or_default();
        let head = text!(
            "memory-revision-until",
            until,
            revision = revision.memory.revision
        );
        text.push_str(&format!("\n{}\n", app.paint.dim(&head)));
        text.push_str(&card::full(&revision.memory, app.paint, app.width()));
    }
    if let Some(explanation) = &explanation {
        text.push_str(&explanation.text(app));
    }
    app.print(&text)?;
    app.note_utc()
}
