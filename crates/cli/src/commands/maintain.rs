use annals::profile::JobStep;
use annals::{JobReport, Mode, StepOutcome};
use serde_json::json;

use super::queue;
use crate::app::{Access, App};
use crate::failure::{Exit, Failure};
use crate::table::Table;
use crate::{card, visible};

/// What `annals maintain` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals maintain
  annals maintain --dry-run
  annals maintain --all

Run it now and then, for instance every hour by cron: only what is due is done. A
namespace of the default profile has no jobs.

Jobs that write files, such as the MEMORY.md of profile markdown, need a folder: name it
with --files, with $ANNALS_MIRRORS, or as `mirrors` in the config file. {name} in it is
the namespace, for instance ~/notes/{name}.")]
pub(crate) struct Args {
    /// Show which jobs are due, what the rules would do now and how much the other steps would look at, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Run every job, due or not
    #[arg(long, conflicts_with = "dry_run")]
    all: bool,
    /// Keep mirrored files below this folder; {name} in it is the namespace
    #[arg(long, value_name = "FOLDER")]
    files: Option<String>,
}

/// Runs the jobs of the profiles.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if args.files.is_some() {
        app.settings.mirrors.clone_from(&args.files);
    }
    app.counts_tokens = true;
    let memory = app.open(Access::Existing)?;
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Commit };
    let reports = memory.maintain(args.all, mode)?;
    let failed = reports.iter().flat_map(|report| &report.steps).find_map(|step| step.error.clone());
    if app.json {
        app.answer_json(&json!({ "dry_run": args.dry_run, "jobs": reports }))?;
    } else if reports.is_empty() {
        app.say("nothing is due")?;
    } else {
        let text: Vec<String> = reports.iter().map(|report| told(report, args.dry_run, app)).collect();
        app.print(&text.join("\n"))?;
    }
    if let Some(troubles) = queue::troubles(&memory)? {
        app.note(&format!("background work: {troubles}; see `annals queue`"))?;
    }
    match failed {
        Some(error) => Err(Failure::new(Exit::Failed, format!("a job failed: {error}"))
            .advice("what was done stays done; `annals maintain` goes on with the rest")),
        None => Ok(()),
    }
}

pub(crate) fn told(report: &JobReport, dry_run: bool, app: &App<'_, '_>) -> String {
    let profile = if report.profile.is_empty() { "every profile" } else { &report.profile };
    let (profile, job) = (visible::line(profile), visible::line(&report.job));
    let mut text = match dry_run {
        true => format!("{}: what the rules would do now\n", app.paint.bold(&profile)),
        false => format!("{}: {job} ({}, {})\n", app.paint.bold(&profile), why(report.why), card::minute(report.at)),
    };
    for step in &report.steps {
        text.push_str(&format!("  {} {}\n", app.paint.dim(&format!("{:<12}", name_of(step))), outcome(step)));
    }
    if dry_run {
        let due: Vec<_> = report.due.iter().map(|job| visible::line(job)).collect();
        let due = if due.is_empty() { "nothing".to_owned() } else { due.join(", ") };
        text.push_str(&format!("  {} {due}\n", app.paint.dim(&format!("{:<12}", "due"))));
    }
    if !report.planned.is_empty() {
        let mut table = Table::new(&["namespace", "id", "rule", "~would be", ">worth"]);
        for planned in &report.planned {
            table.row(vec![
                visible::line(&planned.namespace).into_owned(),
                planned.id.to_string(),
                visible::line(&planned.rule).into_owned(),
                planned.action.clone(),
                format!("{:.3}", planned.retention),
            ]);
        }
        text.push_str(&table.render(app.paint, app.width()));
    }
    text
}

fn why(word: &str) -> &str {
    match word {
        "resume" => "goes on after a failure",
        "start" => "at the start",
        "first" => "it has never run",
        "interval" => "its interval is over",
        "hour" => "its hour has come",
        "event" => "at the end of a session",
        _ => "asked for",
    }
}

/// The word of a profile for a step.
pub(super) fn name_of(step: &StepOutcome) -> String {
    match serde_json::to_value(step.step) {
        Ok(serde_json::Value::String(word)) => word,
        _ => format!("{:?}", step.step),
    }
}

fn outcome(step: &StepOutcome) -> String {
    if step.passed_over {
        let files = [JobStep::Mirrors, JobStep::CoreFiles, JobStep::UserFiles, JobStep::TakeOver].contains(&step.step);
        return match files {
            true => "passed over: no folder for its files is set; see `annals maintain --help`".to_owned(),
            false => "passed over: not made by this version".to_owned(),
        };
    }
    let told = |(word, count): (&String, &u64)| match (word.as_str(), count) {
        ("passes", 1) => "1 pass".to_owned(),
        (word, count) => format!("{count} {word}"),
    };
    let counts: Vec<String> = step.counts.iter().filter(|(_, count)| **count > 0).map(told).collect();
    if let Some(error) = &step.error {
        let counts = if counts.is_empty() { "failed".to_owned() } else { counts.join(", ") };
        let again = step.retry_at.map_or(String::new(), |at| format!("; next attempt {}", card::minute(at)));
        return format!("{counts}: {}{again}", visible::line(error));
    }
    if counts.is_empty() { "nothing to do".to_owned() } else { counts.join(", ") }
}
