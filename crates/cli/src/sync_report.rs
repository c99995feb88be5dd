//! The report of a sync, as a person reads it.

use annals::{SyncReport, SyncedFile};

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::table::Table;
use crate::texts::text;
use crate::visible;

/// The warnings of a file that are shown; a large file may have one for each line.
const MOST_WARNINGS: usize = 20;

/// Says what was done.
pub(crate) fn tell(report: &SyncReport, app: &mut App<'_, '_>) -> Result<(), Failure> {
    if app.json {
        return app.answer_json(report);
    }
    let mut table = Table::new(&[
        "file",
        ">entries",
        ">added",
        ">changed",
        ">confirmed",
        ">taken out",
        "~",
    ]);
    for file in &report.files {
        table.row(vec![
            visible::line(&file.path.display().to_string()).into_owned(),
            file.entries.to_string(),
            file.added.to_string(),
            file.updated.to_string(),
            file.confirmed.to_string(),
            file.retracted.to_string(),
            told(file),
        ]);
    }
    let text = table.render(app.paint, app.width());
    app.print(&text)?;
    warn(report, app)
}

/// Says what there is to know of files.
fn warn(report: &SyncReport, app: &mut App<'_, '_>) -> Result<(), Failure> {
    for file in &report.files {
        let path = file.path.display().to_string();
        for warning in file.warnings.iter().take(MOST_WARNINGS) {
            app.note(&text!(
                "common-of",
                what = visible::line(&path),
                said = visible::line(warning)
            ))?;
        }
        let more = file.warnings.len().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            app.note(&text!(
                "transfer-more-warnings",
                path = visible::line(&path),
                count = more
            ))?;
        }
        if let Some(kept) = &file.kept_in {
            app.note(&text!(
                "transfer-kept-in",
                path = visible::line(&kept.to_string_lossy())
            ))?;
        }
    }
    Ok(())
}

/// Says which files went because nothing makes them any more.
pub(crate) fn tell_removed(report: &SyncReport, app: &mut App<'_, '_>) -> Result<(), Failure> {
    for file in report.files.iter().filter(|file| file.removed) {
        app.note(&text!(
            "transfer-removed",
            path = visible::line(&file.path.display().to_string())
        ))?;
    }
    for left in report
        .files
        .iter()
        .filter_map(|file| file.failed.as_deref())
    {
        app.note(&text!("transfer-left", left = visible::line(left)))?;
    }
    warn(report, app)
}

fn told(file: &SyncedFile) -> String {
    match (file.written, file.conflicts) {
        _ if file.failed.is_some() => text!("transfer-failed"),
        _ if file.removed => text!("transfer-file-removed"),
        (true, 0) => text!("transfer-written"),
        (true, _) => text!("transfer-written-conflict"),
        (false, 0) => text!("transfer-unchanged"),
        (false, _) => text!("transfer-conflict"),
    }
}

/// The error for files that could not be read or written.
pub(crate) fn failed(report: &SyncReport) -> Option<Failure> {
    let reasons: Vec<&str> = report
        .failed()
        .filter_map(|file| file.failed.as_deref())
        .collect();
    let first = reasons.first()?;
    Some(match reasons.len() {
        1 => Failure::new(Exit::Failed, first),
        files => Failure::new(Exit::Failed, text!("transfer-not-in-step", files, first)),
    })
}
