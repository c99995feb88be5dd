use serde_json::json;

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::validation::{self, Validation};
use crate::visible;

/// Checks the file and lists every problem.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let validation = Validation::of(app)?;
    let problems = &validation.problems;
    if app.json {
        app.answer_json(&json!({ "values": validation.values, "problems": problems }))?;
    } else if problems.is_empty() {
        app.say(&validation.summary())?;
        app.say(&text!("common-validation-sound"))?;
    }
    if problems.is_empty() {
        return Ok(());
    }
    if !app.json {
        problems
            .iter()
            .try_for_each(|problem| app.say(&visible::line(problem)))?;
    }
    let path = &app.settings.db;
    Err(Failure::new(
        Exit::Damaged,
        text!(
            "common-of",
            what = path.display(),
            said = text!("common-problems", count = problems.len())
        ),
    )
    .advice(validation::advice())
    .at(path, None))
}
