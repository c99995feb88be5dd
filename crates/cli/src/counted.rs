//! The contents of a namespace in numbers.

use annals::blocking::Namespace;
use annals::{JobInfo, NamespaceStats};
use serde_json::{Value, json};

use crate::app::App;
use crate::failure::Failure;
use crate::job_report::next;
use crate::texts::{term, text};
use crate::{card, visible, wrap};

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
            Self::Empty(name, profile) => {
                json!({ "name": name, "profile": profile, "memories": 0 })
            }
        }
    }

    /// The counts, one a line.
    pub(crate) fn text(&self, app: &App<'_, '_>) -> String {
        let (name, profile) = match self {
            Self::There(stats) => return of_namespace(stats, app),
            Self::Empty(name, profile) => (name, profile),
        };
        let mut text = String::new();
        for (row, value) in [
            (&text!("namespace-name"), name.as_str()),
            (&text!("namespace-profile"), profile),
            (&text!("namespace-memories"), "0"),
        ] {
            push(&mut text, row, value, app);
        }
        text
    }
}

fn of_namespace(stats: &NamespaceStats, app: &App<'_, '_>) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| push(&mut text, name, &value, app);
    row(&text!("namespace-name"), stats.name.clone());
    row(&text!("namespace-profile"), stats.profile.clone());
    row(&text!("namespace-created"), card::minute(stats.created_at));
    row(&text!("namespace-memories"), stats.memories.to_string());
    let layers = stats.open.iter().flat_map(|open| &open.by_layer);
    for (word, count) in stats
        .by_status
        .iter()
        .chain(layers)
        .filter(|(_, count)| **count > 0)
    {
        row(&format!("  {}", term("status", word)), format!("  {count}"));
    }
    let kinds = stats
        .open
        .iter()
        .flat_map(|open| &open.by_kind)
        .filter(|(_, count)| **count > 0);
    let kinds: Vec<String> = kinds
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    row(&text!("namespace-kinds"), kinds.join(", "));
    row(&text!("namespace-replaced"), stats.replaced.to_string());
    row(&text!("namespace-text"), card::bytes(stats.text_bytes));
    if let Some(open) = &stats.open {
        row(&text!("namespace-sessions"), open.sessions.to_string());
        row(
            &text!("namespace-vectors"),
            text!(
                "namespace-vectors-of-these",
                vectors = open.vectors,
                graph_rows = open.graph_rows
            ),
        );
        row(
            &text!("namespace-segments"),
            text!(
                "namespace-segments-and",
                segments = open.segments,
                unfolded = open.unfolded
            ),
        );
        row(
            &text!("namespace-memory-in-use"),
            card::bytes(open.memory_bytes),
        );
        row(&text!("namespace-work"), stats.queued.to_string());
        open.jobs
            .iter()
            .for_each(|job| row(&text!("namespace-job", job = job.job), of_job(job)));
    }
    text
}

/// When a job ran, how long it took, and when it runs next.
fn of_job(job: &JobInfo) -> String {
    let last = job.last.as_ref().map_or_else(
        || text!("namespace-job-not-run"),
        |last| {
            text!(
                "namespace-job-ran",
                at = card::minute(last.at),
                took_millis = last.took_millis()
            )
        },
    );
    text!("namespace-job-next", last, next = next(job))
}

/// A line with a name and a value.
pub(crate) fn push(text: &mut String, name: &str, value: &str, app: &App<'_, '_>) {
    // A long name keeps its distance.
    let name = wrap::pad(&visible::line(name), 15) + " ";
    text.push_str(format!("{}{}", app.paint.dim(&name), visible::line(value)).trim_end());
    text.push('\n');
}
