//! How a memory came to be what it is.

use annals::MemoryId;
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::table::Table;
use crate::{card, visible};

/// What `annals explain` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals explain 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e
  annals explain 0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e --json

With --json also the memory as a record of its nodes and edges.")]
pub(crate) struct Args {
    /// The memory
    id: MemoryId,
}

/// Prints the steps, the earliest first.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let steps = namespace.explain(args.id)?;
    if app.json {
        let record = namespace.graph_record(args.id)?;
        return app.answer_json(&json!({ "id": args.id, "steps": steps, "record": record }));
    }
    let mut table = Table::new(&["when", "step", "~what"]);
    for step in &steps {
        let what = visible::line(&step.what).into_owned();
        table.row(vec![card::minute(step.at), step.step.as_str().to_owned(), what]);
    }
    let mut text = table.render(app.paint, app.width());
    let drawn = namespace.subgraph(args.id)?.to_graph_text();
    if !drawn.is_empty() {
        text.push_str(&format!("\n{}\n", visible::line(&drawn)));
    }
    app.print(&text)
}
