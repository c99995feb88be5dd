use annals::NamespaceStats;
use serde_json::json;

use crate::app::{Access, App};
use crate::card;
use crate::failure::Failure;
use crate::table::Table;
use crate::visible;

/// What `annals stats` takes: nothing of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Counts the namespace and the file.
pub(crate) fn run(_args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    let memory = app.open_plain(Access::Existing)?;
    let namespace = memory.namespace(&name)?.stats()?;
    let file = memory.stats()?;
    if app.json {
        return app.answer_json(&json!({ "namespace": namespace, "file": file }));
    }
    let mut text = of_namespace(&namespace, app);
    let mut table = Table::new(&["file", ">"]);
    let mut row = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
    row("size", bytes(file.file_bytes));
    row("namespaces", file.namespaces.to_string());
    row("memories", file.memories.to_string());
    row("embedder", format!("{}, {} numbers", visible::line(&file.embedder), file.dims));
    text.push('\n');
    text.push_str(&table.render(app.paint, app.width()));
    app.print(&text)
}

/// The counts of a namespace as a table.
pub(crate) fn of_namespace(stats: &NamespaceStats, app: &App<'_, '_>) -> String {
    let mut table = Table::new(&["namespace", ">"]);
    let mut row = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
    row("name", visible::line(&stats.name).into_owned());
    row("created", card::minute(stats.created_at));
    row("memories", stats.memories.to_string());
    let layers = stats.open.iter().flat_map(|open| &open.by_layer);
    for (word, count) in stats.by_status.iter().chain(layers).filter(|(_, count)| **count > 0) {
        row(&format!("  {word}"), count.to_string());
    }
    row("replaced texts", stats.replaced.to_string());
    row("text", bytes(stats.text_bytes));
    if let Some(open) = &stats.open {
        row("sessions", open.sessions.to_string());
        row("vectors", format!("{} ({} in the graph)", open.vectors, open.graph_rows));
        row("text segments", format!("{} ({} memories beside them)", open.segments, open.unfolded));
        row("memory in use", bytes(open.memory_bytes));
    }
    table.render(app.paint, app.width())
}

/// A size as a person reads it.
pub(crate) fn bytes(count: u64) -> String {
    indicatif::BinaryBytes(count).to_string()
}
