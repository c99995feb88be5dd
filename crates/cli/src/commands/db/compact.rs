use crate::app::{Access, App};
use crate::card;
use crate::failure::Failure;
use crate::progress::Progress;

/// Makes the file as small as it can be.
pub(crate) fn run(app: &mut App<'_, '_>) -> Result<(), Failure> {
    let memory = app.open_plain(Access::Existing)?;
    let progress = Progress::new(app, "compacting", 0);
    let report = memory.compact()?;
    drop(progress);
    if app.json {
        return app.answer_json(&report);
    }
    app.say(&format!("{} before, {} after", card::bytes(report.before_bytes), card::bytes(report.after_bytes)))
}
