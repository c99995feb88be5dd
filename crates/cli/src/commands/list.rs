use annals::ListQuery;

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
    /// Of this class of the profile, such as core; given twice, of either
    #[arg(long, value_name = "CLASS", help_heading = "Which memories")]
    class: Vec<String>,
    #[command(flatten)]
    selection: Selection,
}

/// Prints one page.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let filter = args.selection.filter()?;
    let namespace = app.plain_namespace()?;
    let query = ListQuery {
        filter,
        classes: args.class.clone(),
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
    let text = table(&page.memories).render(app.paint, app.width());
    app.print(&text)?;
    match page.next {
        Some(next) => {
            app.note(&format!("{} of {} memories; the next page: --after {next}", page.memories.len(), page.total))
        }
        None => Ok(()),
    }
}

/// A line per memory.
pub(crate) fn table(memories: &[Record]) -> Table {
    let mut table = Table::new(&["id", "when", "what", "who", "status", "~text"]);
    for memory in memories {
        let speaker = memory.body.turn.as_ref().and_then(|turn| turn.speaker.as_ref());
        table.row(vec![
            memory.id.to_string(),
            card::minute(card::moment(memory)),
            card::sort(memory),
            speaker.map(|name| visible::line(name.as_str()).into_owned()).unwrap_or_default(),
            memory.status.to_string(),
            visible::line(&memory.body.text).into_owned(),
        ]);
    }
    table
}
