//! Reports of jobs, and when they run next, as a person reads them.

use annals::profile::JobStep;
use annals::{JobInfo, JobReport, StepOutcome};

use crate::app::App;
use crate::table::Table;
use crate::texts::{found, term, text};
use crate::{card, visible, wrap};

/// One run of a job, a step a line.
pub(crate) fn told(report: &JobReport, dry_run: bool, app: &App<'_, '_>) -> String {
    let profile = if report.profile.is_empty() {
        &text!("jobs-every-profile")
    } else {
        &report.profile
    };
    let (profile, job) = (visible::line(profile), visible::line(&report.job));
    let mut text = match dry_run {
        true => text!("jobs-would-do", profile = app.paint.bold(&profile)) + "\n",
        false => format!(
            "{}: {job} ({}, {})\n",
            app.paint.bold(&profile),
            why(&report.why),
            card::minute(report.at)
        ),
    };
    for step in &report.steps {
        text.push_str(&format!(
            "  {} {}\n",
            app.paint.dim(&wrap::pad(&name_of(step), 12)),
            outcome(step)
        ));
    }
    if dry_run {
        let due: Vec<_> = report.due.iter().map(|job| visible::line(job)).collect();
        let due = if due.is_empty() {
            text!("jobs-due-nothing")
        } else {
            due.join(&text!("common-comma"))
        };
        text.push_str(&format!(
            "  {} {due}\n",
            app.paint.dim(&wrap::pad(&text!("jobs-due"), 12))
        ));
    }
    if !report.planned.is_empty() {
        let mut table = Table::new(&["namespace", "id", "rule", "~would be", ">worth"]);
        for planned in &report.planned {
            table.row(vec![
                visible::line(&planned.namespace).into_owned(),
                planned.id.to_string(),
                visible::line(&planned.rule).into_owned(),
                term("status", &planned.action),
                format!("{:.3}", planned.retention),
            ]);
        }
        text.push_str(&table.render(app.paint, app.width()));
    }
    text
}

fn why(word: &str) -> String {
    match word {
        "resume" => text!("jobs-why-resume"),
        "start" => text!("jobs-why-start"),
        "first" => text!("jobs-why-first"),
        "interval" => text!("jobs-why-interval"),
        "hour" => text!("jobs-why-hour"),
        "event" => text!("jobs-why-event"),
        _ => text!("jobs-why-asked"),
    }
}

/// The name of a step: in English the word that profiles have for it.
pub(crate) fn name_of(step: &StepOutcome) -> String {
    match serde_json::to_value(step.step) {
        Ok(serde_json::Value::String(word)) => term("step", &word),
        _ => format!("{:?}", step.step),
    }
}

/// A count that a step tells under an English word, such as `7 archived`; a word that has no text
/// stays as it is.
pub(crate) fn counted(word: &str, count: u64) -> String {
    // What stands behind these words is a name, and differs.
    if let Some(namespace) = word.strip_prefix("in ") {
        return text!("jobs-count-in", count, namespace = visible::line(namespace));
    }
    if let Some(kind) = word.strip_prefix("of kind ") {
        return text!("jobs-count-of-kind", count, kind = visible::line(kind));
    }
    let id = format!("jobs-count-{}", word.replace(' ', "-"));
    found(&id, &[("count", &count)])
        .unwrap_or_else(|| format!("{count} {}", word.replace('_', " ")))
}

fn outcome(step: &StepOutcome) -> String {
    if step.passed_over {
        let files = [
            JobStep::Mirrors,
            JobStep::CoreFiles,
            JobStep::UserFiles,
            JobStep::TakeOver,
        ]
        .contains(&step.step);
        return match files {
            true => text!("jobs-no-folder"),
            false => text!("jobs-not-made"),
        };
    }
    let told = |(word, count): (&String, &u64)| counted(word, *count);
    let counts: Vec<String> = step
        .counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(told)
        .collect();
    if let Some(error) = &step.error {
        let counts = if counts.is_empty() {
            text!("jobs-step-failed")
        } else {
            counts.join(&text!("common-comma"))
        };
        let again = step.retry_at.map_or(String::new(), |at| {
            text!("jobs-next-attempt", at = card::minute(at))
        });
        return format!("{counts}: {}{again}", visible::line(error));
    }
    if counts.is_empty() {
        text!("jobs-nothing-to-do")
    } else {
        counts.join(&text!("common-comma"))
    }
}

/// When a job runs next.
pub(crate) fn next(job: &JobInfo) -> String {
    match (job.stopped, job.due, job.next) {
        (true, ..) => "-".to_owned(),
        (_, true, _) => text!("jobs-now"),
        (_, _, Some(at)) => card::minute(at),
        (_, _, None) => text!("jobs-at-event"),
    }
}
