use annals::Mode;
use serde_json::json;

use crate::app::{Access, App};
use crate::backlog::troubles;
use crate::failure::{Exit, Failure};
use crate::job_report;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals jobs run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals jobs run
  annals jobs run --dry-run
  annals jobs run --all

Run it now and then, for instance every hour by cron: only what is due is done. A
namespace of the default profile has no jobs.

Jobs that write files, such as the MEMORY.md of profile markdown, need a folder: name it
with --files, with $ANNALS_MIRRORS, or as `mirrors` in the config file. {name} in it is
the namespace, for instance ~/notes/{name}.")]
pub(crate) struct Args {
    /// Show which jobs are due, what the rules would do now and how much the other steps would look
    /// at, and do nothing
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
    let mode = if args.dry_run {
        Mode::DryRun
    } else {
        Mode::Commit
    };
    let reports = memory.maintain(args.all, mode)?;
    let failed = reports
        .iter()
        .flat_map(|report| &report.steps)
        .find_map(|step| step.error.clone());
    if app.json {
        app.answer_json(&json!({ "dry_run": args.dry_run, "jobs": reports }))?;
    } else if reports.is_empty() {
        app.say(&text!("jobs-nothing-due"))?;
    } else {
        let text: Vec<String> = reports
            .iter()
            .map(|report| job_report::told(report, args.dry_run, app))
            .collect();
        app.print(&text.join("\n"))?;
    }
    for jump in memory.jobs().clock_jumps()? {
        app.note(&text!(
            "jobs-clock-ahead",
            namespace = visible::line(&jump.namespace),
            from = card::minute(jump.from),
            to = card::minute(jump.to)
        ))?;
    }
    if let Some(troubles) = troubles(&memory)? {
        app.note(&text!("jobs-background", troubles))?;
    }
    match failed {
        Some(error) => Err(Failure::new(Exit::Failed, text!("jobs-job-failed", error))
            .advice(text!("jobs-job-failed-advice"))),
        None => Ok(()),
    }
}
