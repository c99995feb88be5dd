//! The contents of a namespace in numbers.

use annals::blocking::Namespace;
use annals::{JobInfo, NamespaceStats};
use serde_json::{Value, json};

use crate::app::App;
use crate::failure::Failure;
use crate::job_report::next;
use crate::{card, visible};

/// A namespace that is asked how much is in it.
pub(crate) enum Counted {
    There(Box<NamespaceStats>),
    /// A namespace without memories: its name and the profile that it will have.
    Empty(String, String),
}

impl Counted {
    pub(crate) fn of(namespace: &Namespace) -> Result<Self, Failure> {
        Ok(match namespace.admin().exists()? {
            true => Self::There(Box::new(namespace.admin().stats()?)),
            false => Self::Empty(namespace.name().to_owned(), namespace.admin().profile()?),
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
    row("text", card::bytes(stats.text_bytes));
    if let Some(open) = &stats.open {
        row("sessions", open.sessions.to_string());
        row("vectors", format!("{}, of these {} in the graph", open.vectors, open.graph_rows));
        row("text segments", format!("{}, and {} memories beside them", open.segments, open.unfolded));
        row("memory in use", card::bytes(open.memory_bytes));
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
    format!("{last}; next {}", next(job))
}

/// A line with a name and a value.
pub(crate) fn push(text: &mut String, name: &str, value: &str, app: &App<'_, '_>) {
    // A long name keeps its distance.
    let name = format!("{:<15} ", visible::line(name));
    text.push_str(format!("{}{}", app.paint.dim(&name), visible::line(value)).trim_end());
    text.push('\n');
}
