//! Reports of jobs, and when they run next, as a person reads them.

use annals::profile::JobStep;
use annals::{JobInfo, JobReport, StepOutcome};

use crate::app::App;
use crate::table::Table;
use crate::{card, visible};

/// One run of a job, a step a line.
pub(crate) fn told(report: &JobReport, dry_run: bool, app: &App<'_, '_>) -> String {
    let profile = if report.profile.is_empty() { "every profile" } else { &report.profile };
    let (profile, job) = (visible::line(profile), visible::line(&report.job));
    let mut text = match dry_run {
        true => format!("{}: what the rules would do now\n", app.paint.bold(&profile)),
        false => format!("{}: {job} ({}, {})\n", app.paint.bold(&profile), why(&report.why), card::minute(report.at)),
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
pub(crate) fn name_of(step: &StepOutcome) -> String {
    match serde_json::to_value(step.step) {
        Ok(serde_json::Value::String(word)) => word,
        _ => format!("{:?}", step.step),
    }
}

fn outcome(step: &StepOutcome) -> String {
    if step.passed_over {
        let files = [JobStep::Mirrors, JobStep::CoreFiles, JobStep::UserFiles, JobStep::TakeOver].contains(&step.step);
        return match files {
            true => "passed over: no folder for its files is set; see `annals jobs run --help`".to_owned(),
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

/// When a job runs next.
pub(crate) fn next(job: &JobInfo) -> String {
    match (job.stopped, job.due, job.next) {
        (true, ..) => "-".to_owned(),
        (_, true, _) => "now".to_owned(),
        (_, _, Some(at)) => card::minute(at),
        (_, _, None) => "at its event".to_owned(),
    }
}
