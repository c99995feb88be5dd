use crate::app::{Access, App};
use crate::card;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::texts::text;

/// Makes the file as small as it can be.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let progress = Progress::new(app, text!("common-compacting"), 0);
    let report = memory.compact()?;
    drop(progress);
    if app.json {
        return app.answer_json(&report);
    }
    app.say(&text!(
        "db-compacted",
        before = card::bytes(report.before_bytes),
        after = card::bytes(report.after_bytes)
    ))
}
