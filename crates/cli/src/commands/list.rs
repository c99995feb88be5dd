use annals::blocking::Namespace;
use annals::{ListQuery, Revision, Role, Status, Timestamp, Turn};
use serde::Serialize;

use crate::app::{App, Record};
use crate::card::Stated;
use crate::failure::Failure;
use crate::range::within;
use crate::selection::Selection;
use crate::table::Table;
use crate::texts::{term, text};
use crate::{card, visible};

/// Arguments of `annals list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals list
  annals list --layer semantic --tag work --since 2026-01-01
  annals list --limit 100 --oldest-first --json

`annals ls` is the same command.")]
pub(crate) struct Args {
    /// The most memories of one page
    #[arg(long, value_name = "NUMBER", default_value_t = 20,
        value_parser = within::<u16>(1..=10_000))]
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

/// A page in JSON.
#[derive(Serialize)]
struct PageView<'a> {
    memories: Vec<Stated<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'a str>,
    total: u64,
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
    let mut page = namespace.list(&query)?;
    let now = app.world.clock.now();
    if app.json {
        card::age(&namespace, &mut page.memories)?;
        let memories = page
            .memories
            .iter()
            .map(|memory| Stated::at(memory, now))
            .collect();
        return app.answer_json(&PageView {
            memories,
            next: page.next.as_deref(),
            total: page.total,
        });
    }
    if page.memories.is_empty() {
        app.note_missing_kinds(args.selection.kinds(), std::slice::from_ref(&namespace))?;
        return app.note(&text!(
            "memory-list-none",
            name = format!("{:?}", visible::line(namespace.name()))
        ));
    }
    let mut moments = Vec::with_capacity(page.memories.len());
    for memory in &page.memories {
        moments.push(told_at(&namespace, memory)?);
    }
    let text = table(&page.memories, &moments, now).render(app.paint, app.width());
    app.print(&text)?;
    app.note_utc()?;
    match page.next {
        Some(next) => app.note(&text!(
            "memory-list-page",
            memories = page.memories.len(),
            total = page.total,
            next
        )),
        None => Ok(()),
    }
}

/// The moment at which a memory happened, or was stored first in these words: jobs revise its
/// traits, not its words.
fn told_at(namespace: &Namespace, memory: &Record) -> Result<Timestamp, Failure> {
    if memory.body.event_time.is_some() || memory.revision == 1 {
        return Ok(card::moment(memory));
    }
    let history = namespace.history(memory.id)?;
    let same =
        |old: &&Revision| old.memory.id == memory.id && old.memory.body.text == memory.body.text;
    let first = history.iter().rev().take_while(same).last();
    Ok(first.map_or(memory.stored_at, |first| first.memory.stored_at))
}

/// A line per memory.
fn table(memories: &[Record], moments: &[Timestamp], now: Timestamp) -> Table {
    let mut table = Table::new(&["id", "when", "what", "who", "status", "~text"]);
    for (memory, moment) in memories.iter().zip(moments) {
        table.row(vec![
            memory.id.to_string(),
            card::minute(*moment),
            card::sort(memory),
            memory.body.turn.as_ref().map(said_by).unwrap_or_default(),
            standing(memory, now),
            visible::line(&memory.body.text).into_owned(),
        ]);
    }
    table
}

/// The speaker of a turn; its role, where nobody is named or the role is not that of a user.
fn said_by(turn: &Turn) -> String {
    let role = term("role", turn.role.as_str());
    match &turn.speaker {
        Some(name) if turn.role == Role::User => visible::line(name.as_str()).into_owned(),
        Some(name) => format!("{} ({role})", visible::line(name.as_str())),
        None => role,
    }
}

/// Its state now; until when it was true, where that is over.
fn standing(memory: &Record, now: Timestamp) -> String {
    match (card::state(memory, now), memory.body.valid_until) {
        ("ended", Some(until)) => text!("common-true-until", until = card::minute(until)),
        (word, _) => term("status", word),
    }
}
