use annals::{ListQuery, Status, Timestamp};

use crate::app::{App, Record};
use crate::failure::Failure;
use crate::selection::Selection;
use crate::table::Table;
use crate::{card, visible};

/// What `annals list` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals list
  annals list --layer semantic --tag work --since 2026-01-01
  annals list --limit 100 --oldest-first --json")]
pub(crate) struct Args {
    /// The most memories of one page
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// Go on with this page, which the page before named
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
    /// Begin with what was stored first
    #[arg(long)]
    oldest_first: bool,
    /// Of any status, and also what has expired or was superseded: everything that was not deleted
    #[arg(long, conflicts_with = "status")]
    all: bool,
    /// Of this class of the profile, such as core; given twice, of either
    #[arg(long, value_name = "CLASS", help_heading = "Which memories")]
    class: Vec<String>,
    /// Only what lost one of the memories that it was derived from, and was not derived again
    #[arg(long)]
    stale: bool,
    #[command(flatten)]
    selection: Selection,
}

/// Prints one page.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut filter = args.selection.filter()?;
    if args.all {
        filter.statuses = Status::ALL.to_vec();
    }
    let namespace = app.plain_namespace()?;
    let query = ListQuery {
        filter,
        classes: args.class.clone(),
        stale: args.stale,
        past: args.all,
        limit: usize::from(args.limit),
        after: args.after.clone(),
        newest_first: !args.oldest_first,
    };
    let page = namespace.list(&query)?;
    if app.json {
        return app.answer_json(&page);
    }
    if page.memories.is_empty() {
        return app.note(&format!("no memories in {:?} that fit", visible::line(namespace.name())));
    }
    let text = table(&page.memories, app.world.clock.now()).render(app.paint, app.width());
    app.print(&text)?;
    match page.next {
        Some(next) => {
            app.note(&format!("{} of {} memories; the next page: --after {next}", page.memories.len(), page.total))
        }
        None => Ok(()),
    }
}

/// A line per memory.
fn table(memories: &[Record], now: Timestamp) -> Table {
    let mut table = Table::new(&["id", "when", "what", "who", "status", "~text"]);
    for memory in memories {
        let speaker = memory.body.turn.as_ref().and_then(|turn| turn.speaker.as_ref());
        table.row(vec![
            memory.id.to_string(),
            card::minute(card::moment(memory)),
            card::sort(memory),
            speaker.map(|name| visible::line(name.as_str()).into_owned()).unwrap_or_default(),
            standing(memory, now),
            visible::line(&memory.body.text).into_owned(),
        ]);
    }
    table
}

/// Its status, or why it takes no part in answers whatever that is.
fn standing(memory: &Record, now: Timestamp) -> String {
    if memory.superseded_by.is_some() {
        "superseded".to_owned()
    } else if memory.body.expires_at.is_some_and(|end| end < now) {
        "expired".to_owned()
    } else {
        memory.status.to_string()
    }
}
