mod run;

use annals::JobInfo;
use serde_json::json;

use crate::app::{Access, App};
use crate::failure::Failure;
use crate::job_report::{name_of, next};
use crate::table::Table;
use crate::texts::text;
use crate::{card, visible};

/// Arguments of `annals jobs`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  annals jobs list
  annals jobs run
  annals jobs stop agent nightly
  annals jobs resume agent nightly")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Shows when jobs ran, and when they will
    List,
    /// Runs the jobs that are due, to maintain memories as the profiles say
    Run(run::Args),
    /// Lets a job rest
    Stop {
        /// The profile
        profile: String,
        /// The job
        job: String,
    },
    /// Says that the clock is right, where nothing used a namespace for long: what was kept because
    /// it may be ahead is deleted as the profile says
    TrustClock,
    /// Lets a job that was stopped go on
    Resume {
        /// The profile
        profile: String,
        /// The job
        job: String,
    },
}

/// Obeys one of the actions.
pub(crate) fn run(args: &Args, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let (profile, job, done) = match &args.action {
        Action::List => return list(&app.open_plain(Access::Existing)?.jobs().list()?, app),
        Action::Run(args) => return run::run(args, app),
        Action::TrustClock => return trust_clock(app),
        Action::Stop { profile, job } => {
            app.open_plain(Access::Existing)?
                .jobs()
                .stop(profile, job)?;
            (profile, job, "stopped")
        }
        Action::Resume { profile, job } => {
            app.open_plain(Access::Existing)?
                .jobs()
                .resume(profile, job)?;
            (profile, job, "resumed")
        }
    };
    if app.json {
        return app.answer_json(&json!({ "profile": profile, "job": job, "done": done }));
    }
    let (job, profile) = (visible::line(job), visible::line(profile));
    app.say(&match done {
        "stopped" => text!("jobs-stopped-job", job, profile),
        _ => text!("jobs-resumed-job", job, profile),
    })
}

fn trust_clock(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let jumps = app.open_plain(Access::Existing)?.jobs().trust_clock()?;
    if app.json {
        return app.answer_json(&json!({ "trusted": jumps }));
    }
    if jumps.is_empty() {
        return app.say(&text!("jobs-clock-right"));
    }
    for jump in &jumps {
        app.say(&text!(
            "jobs-clock-trusted",
            namespace = visible::line(&jump.namespace),
            from = card::minute(jump.from),
            to = card::minute(jump.to)
        ))?;
    }
    Ok(())
}

fn list(jobs: &[JobInfo], app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(&json!({ "jobs": jobs }));
    }
    if jobs.is_empty() {
        return app.say(&text!("jobs-none"));
    }
    let mut table = Table::new(&["profile", "job", "last run", "next run", "~state"]);
    for job in jobs {
        table.row(vec![
            visible::line(&job.profile).into_owned(),
            visible::line(&job.job).into_owned(),
            job.last
                .as_ref()
                .map_or_else(|| "-".to_owned(), |last| card::minute(last.at)),
            next(job),
            state(job),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)
}

fn state(job: &JobInfo) -> String {
    let failed = job.running.as_ref().and_then(|run| run.error.as_deref());
    let failed = failed.or_else(|| job.last.as_ref().and_then(|run| run.error.as_deref()));
    match (job.stopped, failed) {
        (true, _) => text!("jobs-stopped"),
        (_, Some(error)) => {
            let times = text!("common-times", count = u64::from(job.failures));
            text!("jobs-failed", times, error = visible::line(error))
        }
        (_, None) if job.running.is_some() => text!("jobs-cut-off"),
        _ => put_off(job).unwrap_or_default(),
    }
}

/// A step that the last run put off, though it ended.
fn put_off(job: &JobInfo) -> Option<String> {
    let mut steps = job.last.iter().flat_map(|run| &run.steps);
    let (step, error) = steps.find_map(|step| Some((step, step.error.as_deref()?)))?;
    Some(text!(
        "jobs-put-off",
        step = name_of(step),
        error = visible::line(error)
    ))
}
