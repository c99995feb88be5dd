use annals::{QueueState, QueuedTask};
use serde_json::json;

use crate::app::App;
use crate::failure::Failure;
use crate::limit::Limit;
use crate::table::Table;
use crate::texts::{in_words, term, text};
use crate::{card, visible};

/// Arguments of `annals queue`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals queue list
  annals queue retry 3
  annals queue retry --all
  annals queue drop 3

Work that `annals jobs run` does in the background waits here: conversations
to be looked through for what is worth keeping, memories to be made again because
one of several sources was deleted, and deletions with --background. Work that needs a
model waits for one; work that a model refused or answered badly five times is given up
until `retry`. Below it stands what was left out of the latest answers. Dropping a
deletion leaves what is not deleted yet.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Lists the background work of the namespace
    List(Limit),
    /// Lets one be tried now, as if it had never failed, or all that failed
    Retry {
        /// Its number
        #[arg(required_unless_present = "all")]
        number: Option<u64>,
        /// All that wait after a failure or were given up
        #[arg(long, conflicts_with = "number")]
        all: bool,
    },
    /// Takes one out of the queue
    Drop {
        /// Its number
        number: u64,
    },
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    match args.action {
        Action::List(limit) => list(limit, app),
        Action::Retry {
            number: Some(number),
            ..
        } => {
            app.plain_namespace()?.queue().retry(number)?;
            done("queued again", number, app)
        }
        Action::Retry { number: None, .. } => retry_all(app),
        Action::Drop { number } => {
            app.plain_namespace()?.queue().drop(number)?;
            done("dropped", number, app)
        }
    }
}

fn retry_all(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let count = app.plain_namespace()?.queue().retry_all()?;
    if app.json {
        return app.answer_json(&json!({ "count": count, "done": "queued again" }));
    }
    app.say(&text!(
        "queue-again-all",
        work = text!("common-pieces-of-work", count = count)
    ))
}

fn done(word: &str, number: u64, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        app.answer_json(&json!({ "number": number, "done": word }))
    } else {
        app.say(&match word {
            "dropped" => text!("queue-dropped", number),
            _ => text!("queue-again", number),
        })
    }
}

fn list(limit: Limit, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let namespace = app.plain_namespace()?;
    let (tasks, remarks) = (
        namespace.queue().list(limit.most())?,
        namespace.queue().remarks(REMARKS)?,
    );
    drop(namespace);
    if app.json {
        return app.answer_json(&json!({ "queue": tasks, "left_out": remarks }));
    }
    match tasks.is_empty() {
        true => app.say(&text!("queue-none"))?,
        false => table(&tasks, app)?,
    }
    if !remarks.is_empty() {
        app.say(&format!("\n{}", text!("queue-left-out")))?;
    }
    for remark in &remarks {
        for why in &remark.left_out {
            app.say(&format!(
                "  {}  {}",
                card::minute(remark.at),
                visible::line(why)
            ))?;
        }
    }
    Ok(())
}

/// So many answers are shown of which something was left out.
const REMARKS: usize = 5;

fn table(tasks: &[QueuedTask], app: &mut App<'_, '_>) -> Result<(), Failure> {
    let mut table = Table::new(&[
        ">number",
        "work",
        "memory",
        "state",
        ">attempts",
        "next",
        "~last error",
    ]);
    for task in tasks {
        table.row(vec![
            task.number.to_string(),
            term("task", &task.kind),
            task.memory
                .map_or_else(|| "-".to_owned(), |id| id.to_string()),
            state(task),
            task.attempts.to_string(),
            task.next.map_or_else(|| "-".to_owned(), card::minute),
            visible::line(&in_words(task.last_error.clone())).into_owned(),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn state(task: &QueuedTask) -> String {
    match task.state {
        QueueState::Waiting => text!("queue-waits"),
        QueueState::Running => text!("queue-running"),
        QueueState::Dead => text!("queue-given-up"),
    }
}
