use std::path::PathBuf;

use annals::LostPart;
use serde_json::json;

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::texts::text;
use crate::visible;

/// Parts that are named on the screen; all of them are in the answer of --json.
const NAMED: usize = 50;

/// Arguments of `annals db repair`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals db repair agent.annals saved.annals
  annals db repair agent.annals saved.annals --json

SOURCE is only read. What can be read of it goes into TARGET: each value as it was, or not at
all. What is lost is listed with its namespace, kind and id; it counts as lost and never as
deleted. It ends with 6 when something is lost. `annals db restore TARGET --force` puts it in
the place of the database.")]
pub(crate) struct Args {
    /// The damaged database
    source: PathBuf,
    /// The new file
    target: PathBuf,
}

/// Saves what can be read of a damaged database.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (source, target) = (&args.source, &args.target);
    if !source.exists() {
        let missing = Failure::new(
            Exit::NotFound,
            text!("common-no-database", path = source.display()),
        );
        return Err(missing.at(source, None));
    }
    let options = app.options_without_model()?;
    let progress = Progress::new(app, text!("db-repairing"), 0);
    let report = options.wait(app.wait()).repair(source, target)?;
    drop(progress);
    if app.json {
        app.answer_json(&json!({ "file": target, "report": report }))?;
    } else {
        let memories = text!("common-memories", count = report.memories);
        let values = text!("common-values", count = report.values);
        app.say(&text!(
            "db-repaired",
            memories,
            values,
            file = target.display()
        ))?;
        if report.mended > 0 {
            app.say(&text!("db-repair-mended", count = report.mended))?;
        }
        for part in report.lost.iter().take(NAMED) {
            app.say(&visible::line(&named(part)))?;
        }
        let more = report
            .lost_count
            .saturating_sub(u64::try_from(report.lost.len().min(NAMED)).unwrap_or(0));
        if more > 0 {
            app.say(&text!("db-repair-more", count = more))?;
        }
        report.rebuilt.iter().try_for_each(|name| {
            app.say(&text!("db-repair-rebuilt", name = visible::line(name)))
        })?;
        report
            .problems
            .iter()
            .try_for_each(|problem| app.say(&visible::line(problem)))?;
    }
    if report.lost_count == 0 && report.problems.is_empty() {
        return Ok(());
    }
    let lost = text!(
        "db-repair-lost",
        count = report.lost_count,
        file = target.display()
    );
    Err(Failure::new(Exit::Damaged, lost).at(source, None))
}

/// Where something was, what it was and which.
fn named(part: &LostPart) -> String {
    let namespace = part.namespace.as_deref().unwrap_or("-");
    let id = part.id.as_deref().unwrap_or("-");
    text!(
        "db-repair-part",
        namespace,
        kind = part.kind,
        id,
        reason = part.reason
    )
}
