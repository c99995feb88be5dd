use std::io::BufRead;

use annals::{BadLine, ImportFormat, ImportOptions, ImportReport, OnBad};
use serde_json::json;

use super::{Args, Imported, not_stored, resume};
use crate::app::{Access, App};
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::target::Target;
use crate::{card, visible};

/// Imports lines of an export or of turns.
pub(super) fn lines(
    args: &Args,
    format: ImportFormat,
    input: &mut dyn BufRead,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.conversation.is_some() || args.all {
        return Err(Failure::usage("--conversation and --all are for files of conversations; this one holds lines"));
    }
    let in_use = app.in_use().and_input(&args.file);
    let skipped = args.skip_bad.as_deref().map(|path| Target::begin(path, args.force, in_use)).transpose()?;
    let namespace = app.namespace(if args.resume { Access::Existing } else { Access::Create })?;
    let skip_lines = match args.from_line {
        Some(line) => line - 1,
        None if args.resume => resume::lines_done(&args.file, &namespace)?,
        None => 0,
    };
    let on_bad = if skipped.is_some() { OnBad::Collect } else { OnBad::Stop };
    let source = Some(resume::source(&args.file));
    let bring_back = args.bring_back;
    let options = ImportOptions { format, skip_lines, source, on_bad, bring_back, ..ImportOptions::default() };
    let progress = Progress::new(app, "importing", 0);
    let (mut done, mut refused) = (skip_lines, Vec::new());
    let imported = namespace.transfer().import(input, &options, &mut |report: &ImportReport| {
        done = report.lines_done;
        refused.extend(report.bad.iter().skip(refused.len()).cloned());
        progress.set(done);
    });
    drop(progress);
    app.note_masked(&namespace.admin().take_masked()?)?;
    let report = match imported {
        Ok(report) => report,
        Err(error) => {
            let position = resume::lines_done(&args.file, &namespace).ok();
            let done = error.import_line().map_or_else(|| position.unwrap_or(done), |line| line - 1);
            // A resumed import does not come to these lines again. A failure to write them is not
            // the reason of the stop.
            refused.retain(|bad| bad.line <= position.unwrap_or(done));
            if let Err(second) = leave_out(&refused, skipped, app) {
                app.note(&second.message)?;
            }
            return Err(stopped(error, done, position.is_some(), args));
        }
    };
    leave_out(&report.bad, skipped, app)?;
    Ok(counted(&report))
}

/// Writes the refused lines to their file, which appears only when there are some, and says what is
/// wrong with each.
fn leave_out(refused: &[BadLine], skipped: Option<Target>, app: &mut App<'_, '_>) -> Result<(), Failure> {
    let Some(mut target) = skipped.filter(|_| !refused.is_empty()) else { return Ok(()) };
    for bad in refused {
        let written = target.writer().write_all(&bad.bytes).and_then(|()| target.writer().write_all(b"\n"));
        written.map_err(|cause| Failure::new(Exit::Failed, format!("cannot write the refused lines: {cause}")))?;
        app.note(&format!("line {} was left out: {}", bad.line, visible::line(&bad.reason)))?;
    }
    target.finish()
}

/// Names the file and the line, and how to go on.
fn stopped(error: annals::Error, done: u64, resumable: bool, args: &Args) -> Failure {
    let line = error.import_line();
    let mut failure = Failure::from(error).at(&args.file, line);
    failure.message = format!("{}: {}", args.file.display(), failure.message);
    let next = done + 1;
    let stored = match done {
        0 => "nothing is stored".to_owned(),
        1 => "line 1 is stored".to_owned(),
        _ => format!("lines 1 to {done} are stored"),
    };
    let again = match done {
        0 => "import again".to_owned(),
        _ if resumable => "go on with --resume".to_owned(),
        _ => format!("go on with --from-line {next}"),
    };
    failure.advice(match line {
        Some(_) => format!("{stored}; correct line {next} and {again}, or leave it out with --skip-bad FILE"),
        None => format!("{stored}; {again}"),
    })
}

fn counted(report: &ImportReport) -> Imported {
    let bad: Vec<_> = report.bad.iter().map(|bad| json!({ "line": bad.line, "reason": bad.reason })).collect();
    let json = json!({
        "lines": report.lines_done, "stored": report.stored, "already_there": report.already_there,
        "deleted": report.deleted, "differing": report.differing, "graph_stored": report.graph_stored,
        "graph_already_there": report.graph_already_there, "judged_stored": report.judged_stored,
        "left_out": report.left_out, "bad": bad,
    });
    let mut text = format!("stored {}", card::counted(report.stored, "memory", "memories"));
    if report.graph_stored > 0 {
        text.push_str(&format!(
            " and {}",
            card::counted(report.graph_stored, "part of the graph", "parts of the graph")
        ));
    }
    if report.judged_stored > 0 {
        text.push_str(&format!(
            " and {}",
            card::counted(report.judged_stored, "decision or wait", "decisions and waits")
        ));
    }
    text.push_str(&not_stored(report));
    if report.left_out > 0 {
        let left_out = card::counted(report.left_out, "decision or wait", "decisions and waits");
        text.push_str(&format!(", {left_out} left out: not all that they name is here"));
    }
    if !report.bad.is_empty() {
        let bad = u64::try_from(report.bad.len()).unwrap_or(u64::MAX);
        text.push_str(&format!(", {} left out", card::counted(bad, "line", "lines")));
    }
    Imported { stored: report.stored, text, json }
}
