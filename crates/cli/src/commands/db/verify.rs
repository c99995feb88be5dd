use serde_json::json;

use crate::app::App;
use crate::card;
use crate::failure::{Exit, Failure};
use crate::validation::{ADVICE, Validation};
use crate::visible;

/// Arguments of `annals db verify`: none of its own.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db verify
  annals --db old.annals db verify --json

Reads every value of the database and checks every index against every other, which takes
a while for a large one. It needs no embedder and no language model. Each problem is a
line; it ends with 6 when there is one. `annals doctor` checks the settings, too.")]
pub(crate) struct Args {}

/// Checks the file and lists every problem.
pub(crate) fn run(_args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let validation = Validation::of(app)?;
    let problems = &validation.problems;
    if app.json {
        app.answer_json(&json!({ "values": validation.values, "problems": problems }))?;
    } else if problems.is_empty() {
        app.say(&validation.summary())?;
    }
    if problems.is_empty() {
        return Ok(());
    }
    if !app.json {
        problems.iter().try_for_each(|problem| app.say(&visible::line(problem)))?;
    }
    let path = &app.settings.db;
    Err(Failure::new(
        Exit::Damaged,
        format!("{}: {}", path.display(), card::many(problems.len(), "problem", "problems")),
    )
    .advice(ADVICE)
    .at(path, None))
}
