use std::io::BufRead;

use annals::{BadLine, ImportFormat, ImportOptions, ImportReport, OnBad};
use serde_json::json;

use super::records::reason;
use super::{Args, Imported, not_stored, resume};
use crate::app::{Access, App};
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::target::Target;
use crate::texts::text;

/// Imports lines of an export or of turns.
pub(super) fn lines(
    args: &Args,
    format: ImportFormat,
    input: &mut dyn BufRead,
    app: &mut App<'_, '_>,
) -> Result<Imported, Failure> {
    if args.conversation.is_some() || args.all {
        return Err(Failure::usage(text!("transfer-conversation-flags")));
    }
    let in_use = app.in_use().and_input(args.file());
    let skipped = args
        .skip_bad
        .as_deref()
        .map(|path| Target::begin(path, args.force, in_use))
        .transpose()?;
    let namespace = app.namespace(if args.resume {
        Access::Existing
    } else {
        Access::Create
    })?;
    let skip_lines = match args.from_line {
        Some(line) => line - 1,
        None if args.resume => resume::lines_done(args.file(), &namespace)?,
        None => 0,
    };
    let on_bad = if skipped.is_some() {
        OnBad::Collect
    } else {
        OnBad::Stop
    };
    let source = Some(resume::source(args.file()));
    let bring_back = args.bring_back;
    let options = ImportOptions {
        format,
        skip_lines,
        source,
        on_bad,
        bring_back,
        run: Some(app.world.clock.now()),
        ..ImportOptions::default()
    };
    let progress = Progress::new(app, text!("common-importing"), 0);
    let (mut done, mut refused) = (skip_lines, Vec::new());
    let imported = namespace
        .transfer()
        .import(input, &options, &mut |report: &ImportReport| {
            done = report.lines_done;
            refused.extend(report.bad.iter().skip(refused.len()).cloned());
            progress.set(done);
        });
    drop(progress);
    let report = match imported {
        Ok(report) => report,
        Err(error) => {
            let position = resume::lines_done(args.file(), &namespace).ok();
            let done = error
                .import_line()
                .map_or_else(|| position.unwrap_or(done), |line| line - 1);
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
pub(super) fn leave_out(
    refused: &[BadLine],
    skipped: Option<Target>,
    app: &mut App<'_, '_>,
) -> Result<(), Failure> {
    let Some(mut target) = skipped.filter(|_| !refused.is_empty()) else {
        return Ok(());
    };
    for bad in refused {
        let written = target
            .writer()
            .write_all(&bad.bytes)
            .and_then(|()| target.writer().write_all(b"\n"));
        written
            .map_err(|cause| Failure::new(Exit::Failed, text!("transfer-cannot-refused", cause)))?;
        app.note(&text!(
            "transfer-line-left-out",
            line = bad.line,
            reason = reason(bad)
        ))?;
    }
    target.finish()
}

/// Names the file and the line, and how to go on.
fn stopped(error: annals::Error, done: u64, resumable: bool, args: &Args) -> Failure {
    let line = error.import_line();
    let mut failure = Failure::from(error).at(args.file(), line);
    failure.message = format!("{}: {}", args.file().display(), failure.message);
    let next = done + 1;
    let stored = match done {
        0 => text!("transfer-stored-none"),
        1 => text!("transfer-stored-one"),
        _ => text!("transfer-stored-lines", done),
    };
    let again = match done {
        0 => text!("transfer-again"),
        _ if resumable => text!("transfer-resume"),
        _ => text!("transfer-go-on", next),
    };
    failure.advice(match line {
        Some(_) => text!("transfer-correct", stored, next, again),
        None => format!("{stored}; {again}"),
    })
}

fn counted(report: &ImportReport) -> Imported {
    let bad: Vec<_> = report
        .bad
        .iter()
        .map(|bad| json!({ "line": bad.line, "reason": bad.reason }))
        .collect();
    let json = json!({
        "lines": report.lines_done, "stored": report.stored, "already_there": report.already_there,
        "deleted": report.deleted, "differing": report.differing,
        "graph_stored": report.graph_stored,
        "graph_already_there": report.graph_already_there, "judged_stored": report.judged_stored,
        "left_out": report.left_out, "bad": bad,
    });
    let mut text = text!(
        "transfer-stored",
        memories = text!("common-memories", count = report.stored)
    );
    if report.graph_stored > 0 {
        text.push_str(&text!(
            "transfer-and-parts",
            parts = text!("common-parts-of-graph", count = report.graph_stored)
        ));
    }
    if report.judged_stored > 0 {
        text.push_str(&text!(
            "transfer-and-judged",
            judged = text!("common-decisions-and-waits", count = report.judged_stored)
        ));
    }
    text.push_str(&not_stored(report));
    if report.left_out > 0 {
        let left_out = text!("common-decisions-and-waits", count = report.left_out);
        text.push_str(&text!("transfer-left-out", left_out));
    }
    if !report.bad.is_empty() {
        let bad = u64::try_from(report.bad.len()).unwrap_or(u64::MAX);
        text.push_str(&text!(
            "transfer-lines-left-out",
            lines = text!("common-lines", count = bad)
        ));
    }
    Imported {
        stored: report.stored,
        text,
        json,
    }
}
