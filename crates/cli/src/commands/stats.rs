use annals::blocking::Namespace;
use annals::{JobInfo, NamespaceStats};
use serde_json::{Value, json};

use crate::app::{Access, App, asked};
use crate::failure::{Exit, Failure};
use crate::{card, visible};

/// What `annals stats` takes: nothing of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Counts the namespace and the file.
pub(crate) fn run(_args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let name = app.namespace_name()?.to_owned();
    // Vectors are counted for the chosen embedder; when it cannot be had, everything else is counted all the same.
    let memory = match app.open(Access::Existing) {
        Err(failure) if failure.exit == Exit::Embedder => app.open_plain(Access::Existing)?,
        opened => opened?,
    };
    let namespace = Counted::of(&asked(&memory, &name)?)?;
    let file = memory.stats()?;
    if app.json {
        return app.answer_json(&json!({ "namespace": namespace.json(), "file": file }));
    }
    let mut text = namespace.text(app);
    let mut row = |name: &str, value: String| push(&mut text, name, &value, app);
    row("", String::new());
    row("file", app.settings.db.display().to_string());
    row("size", bytes(file.file_bytes));
    row("namespaces", file.namespaces.to_string());
    row("memories", file.memories.to_string());
    row("embedder", format!("{}, {} numbers a vector", file.embedder, file.dims));
    app.print(&text)
}

/// A namespace that is asked how much is in it.
pub(crate) enum Counted {
    There(Box<NamespaceStats>),
    /// Nobody has written to it yet: its name and the profile that it will have.
    Empty(String, String),
}

impl Counted {
    pub(crate) fn of(namespace: &Namespace) -> Result<Self, Failure> {
        Ok(match namespace.exists()? {
            true => Self::There(Box::new(namespace.stats()?)),
            false => Self::Empty(namespace.name().to_owned(), namespace.profile()?),
        })
    }

    pub(crate) fn json(&self) -> Value {
        match self {
            Self::There(stats) => json!(stats),
            Self::Empty(name, profile) => json!({ "name": name, "profile": profile, "memories": 0 }),
        }
    }

    /// The counts, one a line.
    pub(crate) fn text(&self, app: &App<'_, '_>) -> String {
        let (name, profile) = match self {
            Self::There(stats) => return of_namespace(stats, app),
            Self::Empty(name, profile) => (name, profile),
        };
        let mut text = String::new();
        for (row, value) in [("namespace", name.as_str()), ("profile", profile), ("memories", "0")] {
            push(&mut text, row, value, app);
        }
        text
    }
}

fn of_namespace(stats: &NamespaceStats, app: &App<'_, '_>) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| push(&mut text, name, &value, app);
    row("namespace", stats.name.clone());
    row("profile", stats.profile.clone());
    row("created", card::minute(stats.created_at));
    row("memories", stats.memories.to_string());
    let layers = stats.open.iter().flat_map(|open| &open.by_layer);
    for (word, count) in stats.by_status.iter().chain(layers).filter(|(_, count)| **count > 0) {
        row(&format!("  {word}"), format!("  {count}"));
    }
    let kinds = stats.open.iter().flat_map(|open| &open.by_kind).filter(|(_, count)| **count > 0);
    let kinds: Vec<String> = kinds.map(|(kind, count)| format!("{kind} {count}")).collect();
    row("kinds", kinds.join(", "));
    row("replaced texts", stats.replaced.to_string());
    row("text", bytes(stats.text_bytes));
    if let Some(open) = &stats.open {
        row("sessions", open.sessions.to_string());
        row("vectors", format!("{}, of these {} in the graph", open.vectors, open.graph_rows));
        row("text segments", format!("{}, and {} memories beside them", open.segments, open.unfolded));
        row("memory in use", bytes(open.memory_bytes));
        row("work waiting", open.queued.to_string());
        open.jobs.iter().for_each(|job| row(&format!("job {}", job.job), of_job(job)));
    }
    text
}

/// When a job ran, how long it took, and when it runs next.
fn of_job(job: &JobInfo) -> String {
    let last = job.last.as_ref().map_or_else(
        || "has not run yet".to_owned(),
        |last| format!("ran {}, took {} ms", card::minute(last.at), last.took_millis()),
    );
    format!("{last}; next {}", super::jobs::next(job))
}

fn push(text: &mut String, name: &str, value: &str, app: &App<'_, '_>) {
    // A long name keeps its distance.
    let name = format!("{:<15} ", visible::line(name));
    text.push_str(format!("{}{}", app.paint.dim(&name), visible::line(value)).trim_end());
    text.push('\n');
}

/// A size as a person reads it.
pub(crate) fn bytes(count: u64) -> String {
    indicatif::BinaryBytes(count).to_string()
}
