use std::collections::BTreeMap;

use annals::{Spent, Timestamp};
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::moment::time;
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals db usage`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db usage
  annals db usage --since 2026-11-01 --days
  annals db usage --json

Every call of a language model is counted in the database that it was made for: by `chat`,
`ingest`, `jobs run`, `remember` and whatever else asks it. Days are days of UTC. The cost
is reckoned by price_input and price_output of [llm] in the config file, for a million
tokens, as they were when it was asked. ~ marks tokens that are estimated, because
the server did not say how many there were.")]
pub(crate) struct Args {
    /// Only what was asked since this day
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Each day by itself
    #[arg(long)]
    days: bool,
}

/// Prints what language models were asked and what it cost.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let day = |at: Timestamp| at.as_millis().div_euclid(86_400_000);
    let mut rows = memory.spent()?;
    rows.retain(|row| args.since.is_none_or(|since| day(row.day) >= day(since)));
    if !args.days {
        rows = whole(&rows);
    }
    if app.json {
        return app.answer_json(&json!({ "usage": rows }));
    }
    if rows.is_empty() {
        return app.say(&text!("db-usage-none"));
    }
    let text = table(&rows, args.days).render(app.paint, app.width());
    app.print(&text)
}

/// One row for each model and purpose, and for each day where that is wanted; the sum is the last.
fn table(rows: &[Spent], days: bool) -> Table {
    let columns = [
        "day",
        "~model",
        "for",
        ">calls",
        ">failed",
        ">tokens in",
        ">tokens out",
        ">cost",
    ];
    let from = usize::from(!days);
    let mut table = Table::new(columns.get(from..).unwrap_or(&columns));
    let mut push = |day: String, row: &Spent| {
        let tokens = |count: u64| format!("{}{count}", if row.estimated { "~" } else { "" });
        let cells = vec![
            day,
            visible::line(&row.model).into_owned(),
            visible::line(&row.purpose).into_owned(),
            row.calls.to_string(),
            row.failed.to_string(),
            tokens(row.input_tokens),
            tokens(row.output_tokens),
            cost(row.cost),
        ];
        table.row(cells.into_iter().skip(from).collect());
    };
    for row in rows {
        push(
            card::minute(row.day)
                .get(..10)
                .unwrap_or_default()
                .to_owned(),
            row,
        );
    }
    if let [first, rest @ ..] = rows
        && !rest.is_empty()
    {
        let mut sum = Spent {
            model: text!("db-usage-together"),
            purpose: String::new(),
            ..first.clone()
        };
        rest.iter().for_each(|row| add(&mut sum, row));
        push(String::new(), &sum);
    }
    table
}

/// The same whatever the day.
fn whole(rows: &[Spent]) -> Vec<Spent> {
    let mut whole: BTreeMap<(&str, &str), Spent> = BTreeMap::new();
    for row in rows {
        let key = (row.model.as_str(), row.purpose.as_str());
        whole
            .entry(key)
            .and_modify(|sum| add(sum, row))
            .or_insert_with(|| row.clone());
    }
    whole.into_values().collect()
}

fn add(sum: &mut Spent, more: &Spent) {
    sum.calls = sum.calls.saturating_add(more.calls);
    sum.failed = sum.failed.saturating_add(more.failed);
    sum.input_tokens = sum.input_tokens.saturating_add(more.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(more.output_tokens);
    sum.estimated |= more.estimated;
    sum.cost += more.cost;
}

/// A sum of money; `-` where there are no prices.
fn cost(cost: f64) -> String {
    if cost > 0.0 {
        format!("{cost:.4}")
    } else {
        "-".to_owned()
    }
}
